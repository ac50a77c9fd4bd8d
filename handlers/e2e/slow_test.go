//go:build trials

package e2e

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vigia/handlers/cli/clitest"
)

// slowVariable says how many slow connections the built program is tried with, as in
// VIGIA_SLOW_CONNECTIONS=10000. The short form of this, which always runs, is that of
// package handlers.
const slowVariable = "VIGIA_SLOW_CONNECTIONS"

// built is the program as people run it, in a process of its own.
type built struct {
	t       *testing.T
	public  string      // address, host:port
	figures string      // of the metrics
	secure  *tls.Config // nil without HTTPS
}

// underLoad runs the program on some made-up weather, by HTTPS or not.
func underLoad(t *testing.T, byTLS bool) *built {
	t.Helper()
	_, url := clitest.Weather(t)
	data, b := t.TempDir(), &built{t: t}
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at.Close() // free a moment ago
	b.public = at.Addr().String()
	args := []string{"serve", "--contact", "a@example.cl", "--provider-url", url, "--archive-url", url, "--data", data, "--catalogue", clitest.FewParks(t),
		"--listen", b.public, "--metrics-listen", "127.0.0.1:0"}
	if byTLS {
		authority := "http://127.0.0.1:9/dir"
		b.secure = clitest.KeptCertificate(t, data, authority, "parques.example.cl", 80).Transport.(*http.Transport).TLSClientConfig
		args = append(args, "--domain", "parques.example.cl", "--acme-url", authority)
	}
	p := clitest.Launch(t, exec.Command(clitest.Path(), args...))
	t.Cleanup(func() {
		if status := p.Stop(t); status != 0 || strings.Contains(p.String(), "panic") {
			t.Errorf("the program ended with status %d:\n%s", status, p)
		}
	})
	b.figures = p.Find(t, `Métricas en (http://\S+)`)
	clitest.Poll(t, "estimates", func() bool { return b.figure("vigia_estimates_current") == 1 })
	return b
}

// figure reads one figure of the program.
func (b *built) figure(name string) float64 {
	b.t.Helper()
	found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(clitest.Text(b.t, b.figures))
	if found == nil {
		return 0
	}
	value, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		b.t.Fatal(err)
	}
	return value
}

// from dials the program from one of this machine's addresses.
func (b *built) from(ctx context.Context, address string) (net.Conn, error) {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: 20 * time.Second}
	return dialer.DialContext(ctx, "tcp", b.public)
}

// outcome is what honest clients saw.
type outcome struct {
	took    []time.Duration
	refused atomic.Int32 // over the limit of requests
	failed  atomic.Int32
}

func (o *outcome) String() string {
	if len(o.took) == 0 {
		return fmt.Sprintf("no answer, %d over the limit of requests, %d failed", o.refused.Load(), o.failed.Load())
	}
	slices.Sort(o.took)
	at := func(part float64) time.Duration {
		return o.took[int(part*float64(len(o.took)-1))].Round(100 * time.Microsecond)
	}
	return fmt.Sprintf("%d answers, median %s, 99 of 100 in %s, all in %s; %d over the limit of requests, %d failed", len(o.took), at(.5), at(.99), at(1), o.refused.Load(), o.failed.Load())
}

// ask has some clients, each at an address of its own, ask again and again over new
// connections for a time.
func (b *built) ask(ctx context.Context, addresses ...string) *outcome {
	var o outcome
	var mu sync.Mutex
	var tasks sync.WaitGroup
	scheme := "http://"
	if b.secure != nil {
		scheme = "https://"
	}
	for _, address := range addresses {
		tasks.Go(func() {
			transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: b.secure, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return b.from(ctx, address)
			}}
			client := &http.Client{Transport: transport, Timeout: 20 * time.Second}
			for ctx.Err() == nil {
				began := time.Now()
				response, err := client.Get(scheme + b.public + "/parques/los-andes")
				if err == nil {
					_, err = io.Copy(io.Discard, response.Body)
					response.Body.Close()
				}
				switch {
				case err != nil || response.StatusCode != 200 && response.StatusCode != 429:
					o.failed.Add(1)
				case response.StatusCode == 429:
					o.refused.Add(1)
				default:
					mu.Lock()
					o.took = append(o.took, time.Since(began))
					mu.Unlock()
				}
				rest(ctx, 150*time.Millisecond) // within the limit of requests
			}
		})
	}
	tasks.Wait()
	return &o
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// hold keeps one slow connection of a kind from an address, and opens another when it
// was closed.
func (b *built) hold(ctx context.Context, kind int, address string) {
	for ctx.Err() == nil {
		if c, err := b.from(ctx, address); err == nil {
			stop := context.AfterFunc(ctx, func() { c.Close() })
			b.dawdle(ctx, c, kind)
			stop()
			c.Close()
		}
		rest(ctx, 15*time.Second)
	}
}

// dawdle does one of four things as slowly as can be, until it is cut off.
func (b *built) dawdle(ctx context.Context, c net.Conn, kind int) {
	text := ""
	switch kind % 4 {
	case 0:
		text = "GET / HTTP/1.1\r\nHost: x\r\nX-Never: "
	case 1:
		text = "POST /api/v1/suscriptores HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 8000\r\n\r\n{"
	case 2:
		c.(*net.TCPConn).SetReadBuffer(4 << 10)
		text = strings.Repeat("GET /parques/los-andes HTTP/1.1\r\nHost: x\r\n\r\n", 30)
	case 3:
		text = "\x16\x03\x01\x02\x00\x01\x00"
	}
	if b.secure != nil && kind%4 != 3 {
		secured := tls.Client(c, b.secure)
		if secured.HandshakeContext(ctx) != nil {
			return
		}
		c = secured
	}
	for text != "" {
		if _, err := io.WriteString(c, text); err != nil {
			return
		}
		text = " "
		rest(ctx, 5*time.Second)
		if ctx.Err() != nil {
			return
		}
	}
}

// holdSlow has a process of its own, which everything else goes before, hold slow
// connections from some addresses until ctx ends.
func (b *built) holdSlow(ctx context.Context, count, addresses int) *exec.Cmd {
	b.t.Helper()
	said, err := json.Marshal(slowLoad{b.public, count, addresses, b.secure != nil})
	if err != nil {
		b.t.Fatal(err)
	}
	process := exec.CommandContext(ctx, "nice", "-n", "19", os.Args[0], "-test.run", "^TestHoldSlowConnections$", "-test.timeout", "5m")
	process.Env = append(os.Environ(), loadVariable+"="+string(said))
	if err := process.Start(); err != nil {
		b.t.Fatal(err)
	}
	return process
}

// slowLoad is what the process that holds slow connections is told.
type slowLoad struct {
	Target           string
	Count, Addresses int
	TLS              bool
}

const loadVariable = "VIGIA_SLOW_LOAD"

// This is the process that holds slow connections, and no test.
func TestHoldSlowConnections(t *testing.T) {
	var told slowLoad
	if err := json.Unmarshal([]byte(os.Getenv(loadVariable)), &told); err != nil {
		t.Skip("a part of TestThousandsOfSlowConnections")
	}
	b := &built{t: t, public: told.Target}
	if told.TLS {
		b.secure = &tls.Config{InsecureSkipVerify: true, ServerName: "parques.example.cl"}
	}
	var tasks sync.WaitGroup
	for i := range told.Count {
		tasks.Go(func() {
			rest(t.Context(), time.Duration(i)*10*time.Second/time.Duration(told.Count))
			b.hold(t.Context(), i, fmt.Sprintf("127.0.1.%d", 1+i/4%told.Addresses))
		})
	}
	tasks.Wait()
}

// Thousands of slow connections, from one address and from a hundred: who comes
// honestly is answered at once, and memory and goroutines are bounded and come back.
func TestThousandsOfSlowConnections(t *testing.T) {
	count, err := strconv.Atoi(os.Getenv(slowVariable))
	if err != nil {
		t.Skipf("%s=10000 runs it, for about five minutes", slowVariable)
	}
	for _, c := range []struct {
		name      string
		byTLS     bool
		addresses int
	}{{"plain, one address", false, 1}, {"plain, 100 addresses", false, 100}, {"TLS, one address", true, 1}, {"TLS, 100 addresses", true, 100}} {
		t.Run(c.name, func(t *testing.T) {
			b := underLoad(t, c.byTLS)
			honest := []string{"127.0.9.1", "127.0.9.2", "127.0.9.3"}
			peace, end := context.WithTimeout(t.Context(), 10*time.Second)
			t.Logf("alone: %s", b.ask(peace, honest...))
			end()
			goroutines, memory := b.figure("go_goroutines"), b.figure("process_resident_memory_bytes")
			load, end := context.WithCancel(t.Context())
			defer end()
			slowClients := b.holdSlow(load, count, c.addresses)
			rest(load, 15*time.Second)
			cpu := b.figure("process_cpu_seconds_total")
			measured, done := context.WithTimeout(load, 30*time.Second)
			beside := make(chan *outcome)
			go func() { beside <- b.ask(measured, "127.0.1.1") }()
			got := b.ask(measured, honest...)
			done()
			t.Logf("among %d slow ones: %s", count, got)
			t.Logf("from an address of theirs: %s", <-beside)
			t.Logf("goroutines %.0f, then %.0f; resident %.0f MB, then %.0f MB; %.1f s of processor in 30 s", goroutines, b.figure("go_goroutines"),
				memory/1e6, b.figure("process_resident_memory_bytes")/1e6, b.figure("process_cpu_seconds_total")-cpu)
			if got.failed.Load() > 0 || len(got.took) < 100 {
				t.Errorf("%d answers, %d failed", len(got.took), got.failed.Load())
			}
			if n := b.figure("go_goroutines"); n > 3*2048+goroutines {
				t.Errorf("%.0f goroutines", n)
			}
			if n := b.figure("process_resident_memory_bytes"); n > 300e6 {
				t.Errorf("%.0f MB", n/1e6)
			}
			end()
			slowClients.Wait() // killed
			clitest.Poll(t, "the goroutines end", func() bool { return b.figure("go_goroutines") < goroutines+20 })
			t.Logf("afterwards: goroutines %.0f, resident %.0f MB", b.figure("go_goroutines"), b.figure("process_resident_memory_bytes")/1e6)
		})
	}
}
