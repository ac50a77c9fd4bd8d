package metrics

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"vigia/handlers/https"
	"vigia/store"
	"vigia/store/subscription"
)

var now = time.Date(2026, 11, 21, 13, 5, 0, 0, time.UTC)

// world is a service whose parts tell what the test says.
type world struct {
	snap         *store.Snapshot
	ended        time.Time
	took         time.Duration
	cycles       uint64
	channels     [subscription.NumChannels]store.ChannelFigures
	file         store.FileFigures
	used, limit  float64
	copied       time.Time
	certificates []https.State
}

func (w *world) snapshot() *store.Snapshot                           { return w.snap }
func (w *world) lastCycle() (time.Time, time.Duration, uint64)       { return w.ended, w.took, w.cycles }
func (w *world) weight() (used, limit float64)                       { return w.used, w.limit }
func (w *world) backups() (time.Time, bool)                          { return w.copied, false }
func (w *world) states() []https.State                               { return w.certificates }
func (w *world) figures() store.FileFigures                          { return w.file }
func (w *world) channel(c subscription.Channel) store.ChannelFigures { return w.channels[c] }

// full is a service of which everything is known.
func full() *world {
	w := &world{
		snap: &store.Snapshot{
			IssuedAt: now.Add(-5 * time.Minute), ValidUntil: now.Add(time.Hour), Trails: make([]store.TrailForecast, 2),
			Models: []store.ModelStatus{{Model: "ecmwf_ifs", Run: now.Add(-7 * time.Hour), State: "ok"}, {Model: "ncep_gfs_global", State: "sin_datos"}},
		},
		ended: now.Add(-4 * time.Minute), took: 90 * time.Second, cycles: 17, used: 2100, limit: 10000, copied: now.Add(-10 * time.Hour),
		file: store.FileFigures{Bytes: 12 << 20, Writable: true, OpenReads: 1, FreePages: 30, PendingPages: 4},
		certificates: []https.State{
			{Domain: "parques.example.cl", Expires: now.Add(48 * time.Hour), Failing: true}, {Domain: "www.example.cl", Failing: true},
		},
	}
	w.channels[subscription.Email] = store.ChannelFigures{State: "con_demoras", Waiting: 7, Sending: 2, Recording: 1,
		Results: store.ChannelResults{Settled: [...]uint64{5, 1, 2, 0, 3, 4}, PutOff: 6}}
	w.channels[subscription.WebPush] = store.ChannelFigures{State: "no_configurado"}
	return w
}

func (w *world) options(requests *Requests) Options {
	return Options{Clock: clockwork.NewFakeClockAt(now), Version: "v1", Commit: "abc", Requests: requests, Snapshot: w.snapshot, LastCycle: w.lastCycle,
		Channel: w.channel, File: w.figures, Weight: w.weight, Backups: w.backups, Certificates: w.states}
}

// answering gives counters with some answers.
func answering() *Requests {
	r := NewRequests()
	r.Answered("/parques/:slug", 200, time.Millisecond)
	r.Answered("/parques/:slug", 304, time.Millisecond)
	r.Answered("", 404, time.Second)
	return r
}

func scrape(t testing.TB, h http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", Path, nil))
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		t.Fatalf("%d %s %.300s", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	return w.Body.String()
}

func TestFigures(t *testing.T) {
	text := scrape(t, New(full().options(answering())))
	for _, line := range []string{
		`vigia_build_info{commit="abc",go="go`, `vigia_cycles_total 17`, `vigia_cycle_duration_seconds 90`, `vigia_cycle_age_seconds 240`,
		`vigia_estimates_age_seconds 300`, `vigia_estimates_current 1`, `vigia_provider_weight_day 2100`, `vigia_provider_weight_day_limit 10000`,
		`vigia_model_run_age_seconds{model="ecmwf_ifs"} 25200`, `vigia_model_ok{model="ecmwf_ifs"} 1`, `vigia_model_ok{model="ncep_gfs_global"} 0`,
		`vigia_outbox_messages{channel="email",state="waiting"} 7`, `vigia_outbox_messages{channel="email",state="sending"} 2`,
		`vigia_outbox_messages{channel="webpush",state="recording"} 0`,
		`vigia_channel_state{channel="email",state="delayed"} 1`, `vigia_channel_state{channel="email",state="ok"} 0`, `vigia_channel_state{channel="webpush",state="off"} 1`,
		`vigia_deliveries_total{channel="email",result="delivered"} 5`, `vigia_deliveries_total{channel="email",result="bounced"} 3`,
		`vigia_deliveries_total{channel="email",result="failed"} 4`, `vigia_deliveries_total{channel="email",result="postponed"} 6`,
		`vigia_store_file_bytes 1.2582912e+07`, `vigia_store_writable 1`, `vigia_store_open_read_transactions 1`, `vigia_store_free_pages 30`,
		`vigia_store_pending_pages 4`, `vigia_backup_age_seconds 36000`, `vigia_backup_failing 0`,
		`vigia_certificate_remaining_seconds{domain="parques.example.cl"} 172800`, `vigia_certificate_failing{domain="www.example.cl"} 1`,
		`vigia_http_requests_total{route="/parques/:slug",status="304"} 1`, `vigia_http_requests_total{route="none",status="404"} 1`,
		`vigia_http_request_duration_seconds_bucket{route="/parques/:slug",le="0.005"} 2`,
		`go_goroutines `, `process_resident_memory_bytes `,
	} {
		if !strings.Contains(text, "\n"+line) {
			t.Errorf("no line %s", line)
		}
	}
	for _, line := range []string{`vigia_model_run_age_seconds{model="ncep`, `vigia_certificate_remaining_seconds{domain="www`} {
		if strings.Contains(text, line) {
			t.Errorf("%s is exported though nobody knows it", line)
		}
	}
}

// Before anything is known nothing is made up: what is missing is not there.
func TestMissingIsNotZero(t *testing.T) {
	o := (&world{}).options(NewRequests())
	o.Certificates = nil
	text := scrape(t, New(o))
	for _, name := range []string{"cycle_age", "cycle_duration", "estimates", "model", "weight_day_limit", "backup_age", "certificate", "http_requests"} {
		if strings.Contains(text, "vigia_"+name) || strings.Contains(text, "provider_"+name) {
			t.Errorf("%s is exported though nobody knows it", name)
		}
	}
	if !strings.Contains(text, "\nvigia_store_writable 0\n") {
		t.Error("a file that cannot be written is not shown")
	}
	late := full()
	late.snap.ValidUntil = now
	if text := scrape(t, New(late.options(NewRequests()))); !strings.Contains(text, "\nvigia_estimates_current 0\n") {
		t.Error("estimates that are over count as valid")
	}
}

func TestLint(t *testing.T) {
	problems, err := testutil.GatherAndLint(newRegistry(full().options(answering())))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	if control, _ := promlint.New(strings.NewReader("# TYPE a_total gauge\na_total 1\n")).Lint(); len(control) == 0 {
		t.Error("control: the checker finds nothing")
	}
}

// exported gives the names that are exported with their labels, in order.
func exported(t *testing.T) map[string][]string {
	t.Helper()
	families, err := newRegistry(full().options(answering())).Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, f := range families {
		labels := []string{}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if !slices.Contains(labels, l.GetName()) {
					labels = append(labels, l.GetName())
				}
			}
		}
		slices.Sort(labels)
		all[f.GetName()] = labels
	}
	return all
}

// OPERATING.md lists every figure with its labels, and none that is not there.
func TestManualListsTheFigures(t *testing.T) {
	manual, err := os.ReadFile("../../.github/OPERATING.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(vigia_[a-z_]+)` \\|([^|]*)\\|").FindAllStringSubmatch(string(manual), -1) {
		labels := regexp.MustCompile("[a-z]+").FindAllString(row[2], -1)
		slices.Sort(labels)
		listed[row[1]] = labels
	}
	for name, labels := range exported(t) {
		if got, ok := listed[name]; strings.HasPrefix(name, "vigia_") && (!ok || !slices.Equal(got, labels)) {
			t.Errorf(".github/OPERATING.md: %s with labels %q, exported with %q", name, got, labels)
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf(".github/OPERATING.md lists %s, which is not exported", name)
	}
}

// The dashboard asks for nothing that is not there.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("../../.operate/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Title  string
		Panels []struct {
			ID      int
			Title   string
			Type    string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	known, shown := exported(t), map[string]bool{}
	for _, panel := range board.Panels {
		if panel.Type != "row" && len(panel.Targets) == 0 {
			t.Errorf("the panel %q asks nothing", panel.Title)
		}
		for _, target := range panel.Targets {
			for _, name := range regexp.MustCompile(`\b(vigia|go|process)_[a-z_]+`).FindAllString(target.Expr, -1) {
				for _, suffix := range []string{"_bucket", "_sum", "_count"} {
					if whole := strings.TrimSuffix(name, suffix); known[whole] != nil {
						name = whole
					}
				}
				if shown[name] = true; known[name] == nil {
					t.Errorf("%s: %s is not exported", panel.Title, name)
				}
			}
		}
	}
	for name := range known {
		if strings.HasPrefix(name, "vigia_") && !shown[name] {
			t.Errorf("the dashboard does not show %s", name)
		}
	}
	if !shown["vigia_estimates_current"] {
		t.Error("control: no name was found")
	}
}

// Only the page of figures is there, and reading it changes nothing.
func TestOnlyTheFiguresAreServed(t *testing.T) {
	server := httptest.NewServer(New(full().options(answering())))
	defer server.Close()
	for request, status := range map[string]int{"GET /metrics": 200, "HEAD /metrics": 200, "GET /": 404, "POST /metrics": 405, "GET /debug/pprof/": 404, "GET /metrics/": 404} {
		method, path, _ := strings.Cut(request, " ")
		r, _ := http.NewRequest(method, server.URL+path, nil)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if response.StatusCode != status {
			t.Errorf("%s: %d, want %d", request, response.StatusCode, status)
		}
	}
}
