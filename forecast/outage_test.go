package forecast

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/forecast/simulate"
	"vigia/forecast/simulatetest"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/storetest"
)

// pipes is a network within the process: in a bubble, where hours pass in no time,
// nothing may wait for a real one.
type pipes struct {
	conns chan net.Conn
	ended chan struct{}
	once  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.ended) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.ended:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// unreliable is a provider that can be made to answer otherwise than the weather.
type unreliable struct {
	weather *simulatetest.Server
	honest  *simulatetest.Server // the same weather, never at fault
	mu      sync.Mutex
	answer  http.HandlerFunc // nil answers with the weather
	calls   int              // for forecasts, since answer was set
	truth   time.Time        // when a model's newest run was last told as it is
	strange map[string]bool  // hosts that were asked for, other than the provider
}

const providerHost = "provider.example"

func (m *unreliable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	if strings.HasSuffix(r.URL.Path, "/forecast") {
		m.calls++
	}
	if r.Host != providerHost {
		m.strange[r.Host] = true
	}
	answer := m.answer
	m.mu.Unlock()
	if answer == nil {
		answer = m.weather.ServeHTTP
	}
	if !strings.HasSuffix(r.URL.Path, "meta.json") {
		answer(w, r)
		return
	}
	right, told := httptest.NewRecorder(), &answerRecorder{ResponseWriter: w}
	m.honest.ServeHTTP(right, r)
	answer(told, r)
	if r.Context().Err() == nil && told.text.String() == right.Body.String() {
		m.mu.Lock()
		m.truth = time.Now()
		m.mu.Unlock()
	}
}

// answerRecorder notes the beginning of an answer.
type answerRecorder struct {
	http.ResponseWriter
	text bytes.Buffer
}

func (w *answerRecorder) Write(p []byte) (int, error) {
	w.text.Write(p[:min(len(p), max(0, 4096-w.text.Len()))])
	return w.ResponseWriter.Write(p)
}

func (w *answerRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// asked returns how often the weather was asked for since answerWith, and truth when the
// truth was last told.
func (m *unreliable) asked() (calls int, truth time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls, m.truth
}

func (m *unreliable) answerWith(answer http.HandlerFunc) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answer, m.calls = answer, 0
}

// days is a service's cycle in a bubble, with what watches over it.
type days struct {
	provider  *unreliable
	engine    *Engine
	published *published
	log       *bytes.Buffer
}

// lonely is a catalogue of one pass.
func lonely(t *testing.T) *catalogue.Catalogue {
	return parse(t, `{"parques":[
		{"slug":"sur","nombre":"Austral","tipo":"parque_nacional","region":"Magallanes","latitud":-51,"longitud":-73,"altitud_m":100,"zona_horaria":"America/Punta_Arenas"}],
	 "senderos":[{"slug":"paso","parque":"sur","nombre":"Paso","tipo":"circuito","puntos":[
		{"nombre":"paso","latitud":-50.9,"longitud":-73.1,"altitud_m":1200,"exposicion":"cresta_paso","critico":true}]}]}`)
}

// begin starts a service at an instant, whose provider is within the bubble.
func begin(t *testing.T, at time.Time, parks *catalogue.Catalogue) (*days, func()) {
	<-time.After(time.Until(at)) // a bubble begins in the past
	clock := clockwork.NewRealClock()
	d := &days{published: &published{}, log: &bytes.Buffer{}}
	weather := simulate.Options{Seed: 7, Clock: clock}
	d.provider = &unreliable{weather: simulatetest.New(weather), honest: simulatetest.New(weather), strange: map[string]bool{}}
	network := &pipes{conns: make(chan net.Conn), ended: make(chan struct{})}
	server := &http.Server{Handler: d.provider, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(network)
	}()
	ledger := openmeteo.NewLedger(clock, openmeteo.FreeLimits)
	client, err := openmeteo.New(openmeteo.Options{
		BaseURL: "http://" + providerHost, Clock: clock, Ledger: ledger, Dial: network.dial,
	})
	if err != nil {
		t.Fatal(err)
	}
	file, err := storetest.Open(filepath.Join(t.TempDir(), "vigia.db"), store.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	d.engine, err = New(Options{
		Store: file, Provider: client, Usage: func() openmeteo.Usage { return ledger.Usage(time.Now()) },
		Catalogue: parks, Rules: hazard.DefaultRules(), Models: openmeteo.DefaultModels,
		Clock: clock, Log: slog.New(slog.NewTextHandler(d.log, nil)), Publisher: d.published,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.engine.follow(ctx)
	}()
	return d, func() {
		stop()
		<-ended
		_ = server.Close()
		<-served
		if err := file.Check(context.Background()); err != nil {
			t.Errorf("the file: %v", err)
		}
		file.Close()
	}
}

// pass lets time pass and has what is shown looked at each minute.
func (d *days) pass(t *testing.T, span time.Duration, look func(e *store.Snapshot, now time.Time)) {
	t.Helper()
	for end := time.Now().Add(span); time.Now().Before(end); {
		<-time.After(time.Minute)
		synctest.Wait()
		e, now := d.published.last(t), time.Now()
		if len(e.Trails) > 0 && !now.Before(e.ValidUntil) && now.Sub(confirmed(e)) < 9*time.Hour {
			t.Fatalf("%v: the last snapshot is of %v and held until %v", now, e.IssuedAt, e.ValidUntil)
		}
		if look != nil {
			look(e, now)
		}
		d.published.keepLast()
	}
}

// confirmed is when the provider last said of a run that votes that it is the newest.
func confirmed(e *store.Snapshot) (newest time.Time) {
	for _, m := range e.Models {
		if m.State != modelExpired && m.ConfirmedAt.After(newest) {
			newest = m.ConfirmedAt
		}
	}
	return newest
}

// states returns what a snapshot says of each trail and hour.
func states(e *store.Snapshot) string {
	var b strings.Builder
	for i := range e.Trails {
		for _, hour := range e.Trails[i].Hours {
			fmt.Fprintf(&b, "%d", hour.State)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// inFaults makes the simulated weather fail.
func inFaults(list ...simulatetest.Fault) func(*days) {
	return func(d *days) {
		for _, f := range list {
			d.provider.weather.Fail(f)
		}
	}
}

// answering has handlers answer; nil answers with the weather. Where that is so of
// metadata alone, new runs are promised and never come.
func answering(forecasts, metadata func(w http.ResponseWriter, r *http.Request)) func(*days) {
	return func(d *days) {
		d.provider.answerWith(func(w http.ResponseWriter, r *http.Request) {
			answer := forecasts
			if strings.HasSuffix(r.URL.Path, "meta.json") {
				answer = metadata
			}
			if answer == nil {
				answer = d.provider.weather.ServeHTTP
			}
			answer(w, r)
		})
	}
}

func telling(status int, contentType, text string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, text)
	}
}

// metadata answers with the times given, in seconds from now.
func metadata(initialised, available, interval, end int64) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		now := time.Now().Unix()
		telling(200, "application/json", fmt.Sprintf(
			`{"last_run_initialisation_time":%d,"last_run_availability_time":%d,"update_interval_seconds":%d,"data_end_time":%d}`,
			now+initialised, now+available, interval, now+end))(w, r)
	}
}

// endless answers with as much as anybody takes.
func endless(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `[{"latitude":-51,"longitude":-73,"hourly":{"time":[`)
	for line := bytes.Repeat([]byte("1763391600,"), 4096); ; {
		if _, err := w.Write(line); err != nil {
			return
		}
	}
}

// bomb is 64 megabytes in as many kilobytes, far more than any answer may have, made
// once.
var bomb = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for piece, i := bytes.Repeat([]byte(" "), 1<<20), 0; i < 64; i++ {
		w.Write(piece)
	}
	w.Close()
	return b.Bytes()
})

func packed(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Content-Type", "application/json")
	w.Write(bomb())
}

// elsewhere sends those who ask to another host.
func elsewhere(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "http://inside.example"+r.URL.RequestURI(), http.StatusTemporaryRedirect)
}

// lateYear answers with the weather of a year ago, hour by hour as asked.
func (d *days) lateYear(w http.ResponseWriter, r *http.Request) {
	old := simulatetest.New(simulate.Options{Seed: 7, Clock: clockwork.NewFakeClockAt(time.Now().AddDate(-1, 0, 0))})
	old.ServeHTTP(w, r)
}

// outageHours is how long the provider is bad: past the nine hours after which
// nothing has a level, or whatever is asked for by
//
//	go test -run BadProvider -outage 72 ./forecast
var outageHours = flag.Int("outage", 10, "hours for which the provider is bad")

// undetected are bad providers that nothing gives away before a model is older than its
// runs ever are.
var undetected = []string{"no new run", "weather of last year"}

// badProviders are the ways in which a provider is slow, broken or hostile for days:
// none of them gives a run that can be used.
var badProviders = map[string]func(*days){
	"empty bodies":           inFaults(simulatetest.Fault{Kind: simulatetest.EmptyBody, On: simulatetest.AllCalls}),
	"not JSON":               inFaults(simulatetest.Fault{Kind: simulatetest.NaNLatitude}),
	"half of an answer":      inFaults(simulatetest.Fault{Kind: simulatetest.TruncatedStream}),
	"pages of HTML":          inFaults(simulatetest.Fault{Kind: simulatetest.BadGatewayHTML, On: simulatetest.AllCalls}),
	"refusals by the minute": inFaults(simulatetest.Fault{Kind: simulatetest.RateLimited}),
	"refusals by the hour":   inFaults(simulatetest.Fault{Kind: simulatetest.RateLimited, Scope: simulatetest.PerHour, ReasonFirst: true}),
	"refusals by the day":    inFaults(simulatetest.Fault{Kind: simulatetest.RateLimited, Scope: simulatetest.PerDay}),
	"too many at once":       inFaults(simulatetest.Fault{Kind: simulatetest.RateLimited, Scope: simulatetest.Concurrent}),
	"an object for an array": inFaults(simulatetest.Fault{Kind: simulatetest.ObjectInsteadOfArray}),
	"a place too few":        inFaults(simulatetest.Fault{Kind: simulatetest.WrongLength}),
	"an hour too few":        inFaults(simulatetest.Fault{Kind: simulatetest.SeriesLength}),
	"nothing but null":       inFaults(simulatetest.Fault{Kind: simulatetest.Nulls}),
	"nothing but nonsense":   inFaults(simulatetest.Fault{Kind: simulatetest.Absurd}),
	"cells elsewhere":        inFaults(simulatetest.Fault{Kind: simulatetest.OtherCells}),
	"swapped coordinates":    inFaults(simulatetest.Fault{Kind: simulatetest.SwappedCoordinates}),
	"nothing but zeros":      inFaults(simulatetest.Fault{Kind: simulatetest.Zeros}),
	"a humidity of zero":     inFaults(simulatetest.Fault{Kind: simulatetest.Zeros, Variable: "relative_humidity_2m"}),
	"other units":            inFaults(simulatetest.Fault{Kind: simulatetest.OtherUnits}),
	"no new run":             inFaults(simulatetest.Fault{Kind: simulatetest.FrozenRun, On: simulatetest.AllCalls}),
	"away":                   inFaults(simulatetest.Fault{Kind: simulatetest.Outage, On: simulatetest.AllCalls}),
	"down":                   inFaults(simulatetest.Fault{Kind: simulatetest.ServerDown, On: simulatetest.AllCalls}),
	"refusals of the key":    inFaults(simulatetest.Fault{Kind: simulatetest.Refused}),
	"answers after minutes":  inFaults(simulatetest.Fault{Kind: simulatetest.Slow, On: simulatetest.AllCalls, Delay: 3 * time.Minute}),
	"answers drop by drop":   inFaults(simulatetest.Fault{Kind: simulatetest.Dribble, Delay: 5 * time.Second}),
	"metadata after minutes": inFaults(simulatetest.Fault{Kind: simulatetest.Slow, On: simulatetest.Metadata, Delay: 3 * time.Minute}),
	"endless answers":        answering(endless, nil),
	"endless metadata":       answering(nil, endless),
	"megabytes in kilobytes": answering(packed, nil),
	"packed metadata":        answering(nil, packed),
	"sent to another host":   answering(elsewhere, elsewhere),
	"brackets without end":   answering(telling(200, "application/json", strings.Repeat("[", 10_000)), nil),
	"objects in objects":     answering(telling(200, "application/json", `[`+strings.Repeat(`{"hourly":`, 10_000)), nil),
	"no content":             answering(telling(200, "application/json", `[]`), telling(200, "application/json", `{}`)),
	"null":                   answering(telling(200, "application/json", `null`), telling(200, "application/json", `null`)),
	"a run of next year":     answering(nil, metadata(365*86400, 365*86400, 21600, 366*86400)),
	"a run of the first day": answering(nil, func(w http.ResponseWriter, r *http.Request) {
		metadata(-time.Now().Unix(), -time.Now().Unix(), 21600, 0)(w, r)
	}),
	"runs without an interval":  answering(nil, metadata(-6*3600, -2*3600, 0, 86400)),
	"runs each hundred years":   answering(nil, metadata(-6*3600, -2*3600, 100*365*86400, 86400)),
	"available before it began": answering(telling(500, "text/plain", "no"), metadata(-3600, -7200, 21600, 86400)),
	"a new run each minute":     answering(telling(500, "text/plain", "no"), metadata(-3600, -1800, 60, 86400)),
	"weather of last year":      func(d *days) { d.provider.answerWith(d.lateYear) },
}

// A provider that is bad in any of these ways: what was held goes on as long as it
// may, marked as old, then nothing has a level and the reason is given; no alert is
// taken back for want of data; the provider is neither forgotten nor besieged; and
// once it is good again so are we, as if nothing had been.
func TestABadProvider(t *testing.T) {
	const soon = time.Hour
	tomorrow := time.Duration(24-(17+*outageHours)%24+1) * time.Hour // the provider's day is over
	want := map[time.Duration]string{soon: outage(t, "", nil, soon), tomorrow: outage(t, "", nil, tomorrow)}
	for name, worsen := range badProviders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := soon
			if name == "refusals by the day" {
				after = tomorrow
			}
			if got := outage(t, name, worsen, after); got != want[after] && !t.Failed() {
				t.Errorf("%v after it ended:\n%s\nwith a good provider:\n%s", after, got, want[after])
			}
		})
	}
}

// outage returns what is said of the trails so long after the hours in which the
// provider was bad; nil is good all the time.
func outage(t *testing.T, name string, worsen func(*days), after time.Duration) (said string) {
	synctest.Test(t, func(t *testing.T) {
		d, end := begin(t, noon, lonely(t))
		defer end()
		d.pass(t, 90*time.Minute, nil)
		e := d.published.last(t)
		if votes(e) != 4 {
			t.Fatalf("before: %d votes", votes(e))
		}
		began := time.Now()
		if worsen != nil {
			worsen(d)
		}
		withdrawn := withdrawals(e)
		d.pass(t, time.Duration(*outageHours)*time.Hour, func(e *store.Snapshot, now time.Time) {
			if worsen != nil {
				d.judge(t, e, now.Sub(began), withdrawn, slices.Contains(undetected, name))
			}
		})
		if calls, _ := d.provider.asked(); calls > *outageHours*4*9+20 {
			t.Errorf("%d calls for weather", calls)
		}
		d.provider.weather.Recover()
		d.provider.answerWith(nil)
		d.pass(t, after, nil)
		if e = d.published.last(t); len(e.Trails) == 0 || votes(e) != 4 || e.Trails[0].Hours[0].Quality == hazard.Stale {
			t.Fatalf("%v after it ended: %q, %+v", after, e.Reason, e.Models)
		}
		if len(d.provider.strange) > 0 {
			t.Errorf("asked at %v", d.provider.strange)
		}
		if strings.Contains(d.log.String(), `msg="cycle broke off"`) {
			t.Errorf("a panic:\n%s", d.log)
		}
		said = states(e)
	})
	return said
}

// judge looks at what is shown so long after the provider became bad.
func (d *days) judge(t *testing.T, e *store.Snapshot, old time.Duration, withdrawn int, lies bool) {
	t.Helper()
	if err := d.engine.Stuck(); err != nil {
		t.Fatalf("after %v: %v", old, err)
	}
	_, truth := d.provider.asked()
	if past := time.Since(truth); !lies && past > 9*time.Hour+time.Minute && len(e.Trails) > 0 && time.Now().Before(e.ValidUntil) {
		t.Fatalf("after %v: levels %v after the provider last told the truth", old, past)
	}
	const grown = 24*time.Hour + 30*time.Minute // twice the longest interval between runs, and its delay
	if n := withdrawals(e); n > withdrawn {
		t.Fatalf("after %v: %d alerts were withdrawn", old, n-withdrawn)
	}
	if old > grown+6*time.Hour && (len(e.Trails) > 0 || e.Reason == "") {
		t.Fatalf("after %v there are estimates of %d trails, reason %q: %+v", old, len(e.Trails), e.Reason, e.Models)
	}
}

// withdrawals counts the alerts that were taken back.
func withdrawals(e *store.Snapshot) (n int) {
	for _, a := range e.Alerts {
		if a.Changes[len(a.Changes)-1].What == alert.Withdrawn {
			n++
		}
	}
	return n
}

// fourZones is a catalogue with a park in each zone of Chile.
func fourZones(t *testing.T) *catalogue.Catalogue {
	var parks, trails []string
	for i, zone := range []string{"America/Santiago", "America/Punta_Arenas", "America/Coyhaique", "Pacific/Easter"} {
		parks = append(parks, fmt.Sprintf(`{"slug":"p%d","nombre":"P%d","tipo":"parque_nacional","region":"R","latitud":%d,"longitud":-72,"altitud_m":100,"zona_horaria":%q}`,
			i, i, -40-i, zone))
		trails = append(trails, fmt.Sprintf(`{"slug":"s","parque":"p%d","nombre":"S","tipo":"circuito","puntos":[
			{"nombre":"x","latitud":%d,"longitud":-72,"altitud_m":100,"exposicion":"bosque","critico":true}]}`, i, -40-i))
	}
	return parse(t, `{"parques":[`+strings.Join(parks, ",")+`],"senderos":[`+strings.Join(trails, ",")+`]}`)
}

// An hour is left out or comes twice when clocks are turned: at midnight on the
// mainland, two hours before it on Rapa Nui, never in Magallanes and Aysén. Every hour
// has its snapshot all the same, and its place in the history.
func TestNoHourIsLostWhenClocksAreTurned(t *testing.T) {
	for name, night := range map[string]time.Time{
		"autumn": time.Date(2026, 4, 5, 3, 0, 0, 0, time.UTC), "spring": time.Date(2026, 9, 6, 4, 0, 0, 0, time.UTC),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, end := begin(t, night.Add(-20*time.Hour+5*time.Minute), fourZones(t))
				defer end()
				hours := 0
				d.pass(t, 40*time.Hour, func(e *store.Snapshot, now time.Time) {
					if now.Minute() == 1 {
						hours++
						if !e.Hour.Equal(now.Truncate(time.Hour)) {
							t.Errorf("at %v the snapshot is of %v", now, e.Hour)
						}
					}
				})
				e := d.published.last(t)
				for k, hour := range e.History.Hours {
					if !hour.Hour.Equal(e.Hour.Add(-time.Duration(k) * time.Hour)) {
						t.Fatalf("the history's row %d is of %v", k, hour.Hour)
					}
				}
				if hours != 40 || len(e.History.Hours) != 41 {
					t.Errorf("%d hours, %d in the history", hours, len(e.History.Hours))
				}
			})
		})
	}
}

// How long green lasts without the provider follows from the runs: the last but one model
// freezes at twice its interval, and nothing is shown nine hours after it was confirmed.
// The README says between which hours that is.
func TestHowLongGreenLastsWithoutTheProvider(t *testing.T) {
	shortest, longest := 24*time.Hour, time.Duration(0)
	for start := range 6 {
		synctest.Test(t, func(t *testing.T) {
			d, end := begin(t, noon.Add(time.Duration(start)*130*time.Minute), lonely(t))
			defer end()
			d.provider.weather.Override(func(_ string, _ catalogue.Location, at time.Time, v *simulate.Values) { *v = calm(at) })
			d.pass(t, 30*time.Minute, nil)
			d.provider.weather.Fail(simulatetest.Fault{Kind: simulatetest.Outage, On: simulatetest.AllCalls})
			began, lasted := time.Now(), time.Duration(0)
			d.pass(t, 10*time.Hour, func(e *store.Snapshot, now time.Time) {
				if len(e.Trails) > 0 && now.Before(e.ValidUntil) && e.Trails[0].Hours[0].State == hazard.Green {
					lasted = now.Sub(began)
				}
			})
			shortest, longest = min(shortest, lasted), max(longest, lasted)
			t.Logf("from %s: %v", began.UTC().Format("15:04"), lasted)
		})
	}
	if shortest < 8*time.Hour || longest > 9*time.Hour {
		t.Errorf("from %v to %v", shortest, longest)
	}
}
