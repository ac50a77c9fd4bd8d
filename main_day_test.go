package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

// BenchmarkDay is a day in the life of the program as it is shipped, hour by hour on a
// clock that is turned, with everybody told of every alert by mail: what it writes to
// the device, which wears out memory cards, what it uses of the processor, and how
// large file and memory are in the end. A day takes minutes:
//
//	go test -run '^$' -bench Day -benchtime 1x -timeout 2h .
func BenchmarkDay(b *testing.B) {
	if testing.Short() {
		b.Skip("a day takes minutes")
	}
	for _, size := range []struct{ trails, subscribers int }{{216, 0}, {216, 1000}, {216, 100_000}, {2000, 1000}} {
		b.Run(fmt.Sprintf("%d trails, %d subscribers", size.trails, size.subscribers), func(b *testing.B) {
			for range b.N {
				day(b, size.trails, size.subscribers)
			}
		})
	}
}

func day(b *testing.B, trails, subscribers int) {
	parks := catalogue.Default()
	if trails != len(parks.Trails) {
		parks = catalogue.Scaled(trails)
	}
	s, dir := surround(b), b.TempDir()
	data, list := filepath.Join(dir, "data"), filepath.Join(dir, "parques.json")
	exported, err := os.Create(list)
	if err != nil {
		b.Fatal(err)
	}
	if err := parks.Export(exported); err != nil {
		b.Fatal(err)
	}
	if err := exported.Close(); err != nil {
		b.Fatal(err)
	}
	subscribe(b, filepath.Join(data, "vigia.db"), parks, subscribers)
	c := begin(b, s.clock, append(s.serving(data, list), "--provider-key", "x", "--metrics-listen", "127.0.0.1:0")...)
	figures := c.out.find(b, `Métricas en (http://\S+)`)
	figure := func(pattern string) (sum float64) {
		for _, found := range regexp.MustCompile(`(?m)^`+pattern+` (\S+)$`).FindAllStringSubmatch(text(b, figures), -1) {
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
		pollFor(b, 20*time.Minute, fmt.Sprintf("the end of cycle %d", cycles), func() bool {
			return figure("vigia_cycles_total") >= float64(cycles) && figure(waiting) == 0
		})
	}
	settled(1)
	first := float64(c.written(b))
	for hour := 1; hour <= 24; hour++ {
		s.clock.turn(b, time.Hour)
		settled(hour + 1)
	}
	b.ReportMetric((float64(c.written(b))-first)/1e6, "MB-written/day")
	b.ReportMetric(first/1e6, "MB-written-at-first")
	b.ReportMetric(figure(`vigia_deliveries_total\{channel="email",result="delivered"\}`), "mails")
	b.ReportMetric(figure("process_cpu_seconds_total"), "cpu-s")
	b.ReportMetric(figure("vigia_store_file_bytes")/1e6, "MB-file")
	b.ReportMetric(figure("process_resident_memory_bytes")/1e6, "MB-resident")
	if status := c.stop(b); status != 0 {
		b.Errorf("status %d\n%s", status, c.errs)
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

// written is how many bytes the program has caused to be written to the device.
func (c *child) written(b *testing.B) int64 {
	b.Helper()
	account, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", c.command.Process.Pid))
	if err != nil {
		b.Skipf("what a process writes is not told here: %v", err)
	}
	found := regexp.MustCompile(`(?m)^write_bytes: (\d+)$`).FindSubmatch(account)
	if found == nil {
		b.Fatalf("no write_bytes in\n%s", account)
	}
	n, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return n
}
