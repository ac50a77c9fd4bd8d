//go:build trials

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/forecast/simulate"
	"vigia/handlers/cli/clitest"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/catalogue/cataloguetest"
	"vigia/store/subscription"
)

// BenchmarkDay is a day in the life of the program as it is shipped, hour by hour on a
// clock that is turned, with everybody told of every alert by mail: what it writes to
// the device, which wears out memory cards, what it uses of the processor, and how
// large file and memory are in the end. A day takes minutes, the last ones half an hour:
//
//	go test -tags trials -run '^$' -bench Day -benchtime 1x -timeout 4h ./handlers/e2e
func BenchmarkDay(b *testing.B) {
	if testing.Short() {
		b.Skip("a day takes minutes")
	}
	b.Run("calm, 216 trails, 0 subscribers", func(b *testing.B) {
		for range b.N {
			day(b, 216, 0, calmly)
		}
	})
	for _, size := range []struct{ trails, subscribers int }{
		{216, 0}, {216, 1000}, {216, 100_000}, {216, 1_000_000}, {2000, 1000}, {20_000, 1000},
	} {
		b.Run(fmt.Sprintf("%d trails, %d subscribers", size.trails, size.subscribers), func(b *testing.B) {
			for range b.N {
				day(b, size.trails, size.subscribers, nil)
			}
		})
	}
}

// calmly leaves the weather its variety, within what nobody needs to be told of.
func calmly(_ string, _ catalogue.Location, _ time.Time, v *simulate.Values) {
	for variable, most := range map[hazard.Variable]float64{
		hazard.Temperature: 26, hazard.Precipitation: 0, hazard.Snowfall: 0, hazard.SnowDepth: 0, hazard.WindSpeed: 15, hazard.WindGust: 25,
		hazard.CAPE: 50, hazard.WeatherCode: 3, hazard.UVIndex: 2,
	} {
		v[variable] = min(v[variable], most)
	}
	v[hazard.Temperature] = max(v[hazard.Temperature], 12)
	v[hazard.SightRange] = max(v[hazard.SightRange], 10_000)
}

// day runs a day with the weather as an override has it, that of the simulation without.
func day(b *testing.B, trails, subscribers int, override simulate.Override) {
	parks, file := catalogue.Default(), catalogue.DefaultFile()
	if trails != len(parks.Trails) {
		parks, file = cataloguetest.Scaled(trails), cataloguetest.File(trails)
	}
	s, dev := surround(b), newDevice(b)
	dir := dev.path
	s.weather.Override(override)
	data, list := filepath.Join(dir, "data"), filepath.Join(dir, "parques.json")
	if err := os.WriteFile(list, file, 0o600); err != nil {
		b.Fatal(err)
	}
	subscribe(b, filepath.Join(data, "vigia.db"), parks, subscribers)
	c := begin(b, s.clock, append(s.serving(data, list), "--provider-key", "x", "--metrics-listen", "127.0.0.1:0")...)
	figures := c.Find(b, `Métricas en (http://\S+)`)
	figure := func(pattern string) (sum float64) {
		for _, found := range regexp.MustCompile(`(?m)^`+pattern+` (\S+)$`).FindAllStringSubmatch(clitest.Text(b, figures), -1) {
			value, err := strconv.ParseFloat(found[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			sum += value
		}
		return sum
	}
	const waiting = `vigia_outbox_messages\{channel="email",state="[a-z]+"\}`
	settled := func(cycles int) {
		clitest.PollFor(b, 20*time.Minute, fmt.Sprintf("the end of cycle %d", cycles), func() bool {
			return figure("vigia_cycles_total") >= float64(cycles) && figure(waiting) == 0
		})
	}
	settled(1)
	first := dev.written()
	for hour := 1; hour <= 24; hour++ {
		s.clock.turn(b, time.Hour)
		settled(hour + 1)
	}
	b.ReportMetric(float64(dev.written()-first)/1e6, "MB-written/day")
	b.ReportMetric(figure(`vigia_deliveries_total\{channel="email",result="delivered"\}`), "mails")
	b.ReportMetric(figure("process_cpu_seconds_total"), "cpu-s")
	b.ReportMetric(figure("vigia_store_file_bytes")/1e6, "MB-file")
	b.ReportMetric(figure("process_resident_memory_bytes")/1e6, "MB-resident")
	if status := c.Stop(b); status != 0 {
		b.Errorf("status %d\n%s", status, c.Errs)
	}
}

// subscribe fills a new file with subscribers by mail, spread over the parks.
func subscribe(b *testing.B, path string, parks *catalogue.Catalogue, n int) {
	b.Helper()
	file, err := store.Open(path, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	const together = 5000
	for from := 0; from < n; from += together {
		err := file.Update("subscribe", func(tx *store.Tx) error {
			for i := from; i < min(n, from+together); i++ {
				now := time.Now()
				if err := tx.PutSubscription(&subscription.Subscription{
					ID: subscription.NewID(), Address: fmt.Sprintf("p%d@example.cl", i), CreatedAt: now, ConfirmedAt: now,
					Preferences: subscription.Preferences{
						Parks: []string{parks.Parks[i%len(parks.Parks)].Slug}, Conditions: subscription.Conditions{MinLevel: alert.Caution},
					},
				}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// device is a disk of its own, with the file system that small machines have, so that
// what reaches it can be counted: the file system's journal too, and a page once that
// is written once.
type device struct {
	b    *testing.B
	path string
	name string // of the kernel, as in loop0
}

func newDevice(b *testing.B) *device {
	b.Helper()
	d := &device{b: b, path: b.TempDir()}
	image := filepath.Join(b.TempDir(), "disk")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 16<<30)); err != nil {
		b.Fatal(err)
	}
	d.run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", image)
	d.run("mount", "-o", "loop", image, d.path)
	b.Cleanup(func() {
		if err := syscall.Unmount(d.path, syscall.MNT_DETACH); err != nil {
			b.Error(err)
		}
	})
	d.name = strings.TrimSpace(d.run("findmnt", "-no", "SOURCE", d.path))
	return d
}

// run runs a program of the system. Without it, or without the right to mount, there
// is nothing to measure.
func (d *device) run(name string, args ...string) string {
	d.b.Helper()
	said, err := exec.CommandContext(d.b.Context(), name, args...).CombinedOutput()
	if err != nil {
		d.b.Fatalf("a disk to count on cannot be had here: %s: %v\n%s", name, err, said)
	}
	return string(said)
}

// written is how many bytes have been written to the device.
func (d *device) written() int64 {
	d.b.Helper()
	d.run("sync", "-f", d.path)
	stat, err := os.ReadFile(filepath.Join("/sys/block", filepath.Base(d.name), "stat"))
	if err != nil {
		d.b.Fatal(err)
	}
	fields := strings.Fields(string(stat))
	const sectorsWritten, sector = 6, 512 // Documentation/block/stat.rst of the kernel
	n, err := strconv.ParseInt(fields[sectorsWritten], 10, 64)
	if err != nil {
		d.b.Fatal(err)
	}
	return n * sector
}
