//go:build trials

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/simulate"
	"vigia/handlers/cli/clitest"
	"vigia/store/catalogue"
)

// The program is killed again and again, at random instants of its start, of cycles,
// of subscribing and of sending, while people come, confirm, change and leave and
// storms pass over. Each start is some hours after the one before. People note what
// they asked for and what was acknowledged; the weather, the relay and the push
// service are the test's own. What the promises make of that is judged in
// main_kill_judge_test.go, by the notes alone.
//
// A few kills are tried each time. VIGIA_KILLS=1000 go test -run TestKilledAtAnyInstant
// -timeout 2h . tries a thousand.

const (
	stormParks  = 10
	stormPeriod = 144 * time.Hour // from one storm of a park to the next
	stormLength = 12 * time.Hour
	dataLimit   = 9 * time.Hour // how long a run may have a say
)

// stormEpoch is when the first storm of the first park began.
var stormEpoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// stormOf is the n-th storm of a park. Every second one is a danger, and every fourth becomes
// one ten hours before it begins.
type stormOf struct {
	park, n int
}

func (s stormOf) start() time.Time {
	return stormEpoch.Add(time.Duration(s.n)*stormPeriod + time.Duration(s.park)*stormPeriod/stormParks)
}

func (s stormOf) end() time.Time { return s.start().Add(stormLength) }

// danger tells whether the forecasts of an instant have the storm as a danger.
func (s stormOf) danger(now time.Time) bool {
	return s.n%2 == 0 || s.n%4 == 1 && !now.Before(s.start().Add(-10*time.Hour))
}

// nearest is the storm of a park that a message of an instant is about.
func nearest(park int, at time.Time) stormOf {
	first := stormOf{park: park}.start()
	return stormOf{park, int((at.Sub(first) + 100*time.Hour) / stormPeriod)}
}

// raging tells whether a park's storm is on.
func raging(park int, at time.Time) bool {
	s := nearest(park, at)
	return !at.Before(s.start()) && at.Before(s.end())
}

// stormyParks writes a catalogue of parks with a ridge each.
func stormyParks(t testing.TB) string {
	t.Helper()
	var parks, trails []string
	for i := range stormParks {
		parks = append(parks, fmt.Sprintf(`{"slug":"cumbre-%d","nombre":"Cumbre %d","tipo":"parque_nacional","region":"Valparaíso",
			"latitud":%f,"longitud":-70.09,"altitud_m":2514,"zona_horaria":"America/Santiago"}`, i, i, -33.0-float64(i)/10))
		trails = append(trails, fmt.Sprintf(`{"slug":"paso","parque":"cumbre-%d","nombre":"Paso","tipo":"ida_y_vuelta","zona_clima":"centro","remota":false,"combustible":false,
			"puntos":[{"nombre":"paso","latitud":%f,"longitud":-70.09,"altitud_m":2514,"exposicion":"cresta_paso","critico":true}]}`, i, -33.0-float64(i)/10))
	}
	path := filepath.Join(t.TempDir(), "parques.json")
	text := fmt.Sprintf(`{"parques":[%s],"senderos":[%s]}`, strings.Join(parks, ","), strings.Join(trails, ","))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// calm is an hour of a day without anything to tell: it is warmer than the night, as in
// all weather that can be true.
func calm(variable int, at time.Time) float64 {
	if hazard.Variable(variable) == hazard.Temperature {
		return calmValues[variable] + float64(at.Hour()/12)
	}
	return calmValues[variable]
}

var calmValues = simulate.Values{
	hazard.Temperature: 20, hazard.Humidity: 50, hazard.Precipitation: 0, hazard.Snowfall: 0, hazard.SnowDepth: 0, hazard.WindSpeed: 8, hazard.WindGust: 15,
	hazard.CAPE: 0, hazard.WeatherCode: 1, hazard.SightRange: 30_000, hazard.FreezingLevel: 4000, hazard.UVIndex: 1,
}

// storms is weather that is calm but for the storms, which all models see alike.
func storms(clock *turnedClock) simulate.Override {
	return func(_ string, place catalogue.Location, at time.Time, v *simulate.Values) {
		park := int((-33.0-place.Latitude)*10 + 0.5)
		for i := range v {
			if v[i] == v[i] { // what the model lacks stays missing
				v[i] = calm(i, at)
			}
		}
		if !raging(park, at) {
			return
		}
		v[hazard.WindGust], v[hazard.WindSpeed] = 75, 55
		if nearest(park, at).danger(clock.Now()) {
			v[hazard.WindGust], v[hazard.WindSpeed] = 130, 90
		}
	}
}

// trial is the program with its surroundings, over all of its lives.
type trial struct {
	*surroundings
	t        *testing.T
	args     []string
	data     string
	careless bool // the control: requests by mail are acknowledged some time before the program has them

	notes notes
	asked atomic.Int64 // requests of people under way
	fed   atomic.Int64 // when the provider answered last, in seconds of the turned clock
	away  atomic.Bool  // the provider is
	life  atomic.Pointer[life]
}

// life is a run of the program until it is killed.
type life struct {
	number                   int
	program                  *clitest.Process
	ctx                      context.Context // ends with it
	about                    sync.WaitGroup  // people, who end with it too
	up                       sign            // it can be reached
	fetching, asking, closed sign            // the first request to the provider, one of people, the end of the cycle
	requests                 atomic.Int64    // that people have begun
	askedEnough              int64           // the request at which asking is given
	fetchedAt                atomic.Int64    // nanoseconds, of the machine's clock
}

// sign is given once.
type sign struct {
	once  sync.Once
	given chan struct{}
}

func (s *sign) give() { s.once.Do(func() { close(s.given) }) }

func newTrial(t *testing.T) *trial {
	tr := &trial{surroundings: surround(t), t: t, data: filepath.Join(t.TempDir(), "data")}
	tr.notes.links, tr.notes.promised, tr.notes.taken = map[string]string{}, map[string]bool{}, map[string]bool{}
	tr.weather.Override(storms(tr.clock))
	provider := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if l := tr.life.Load(); l != nil {
			l.fetchedAt.Store(time.Now().UnixNano())
			l.fetching.give()
		}
		if tr.away.Load() {
			http.Error(w, "away", http.StatusServiceUnavailable)
			return
		}
		tr.weather.ServeHTTP(w, r)
		tr.fed.Store(tr.clock.Now().Unix())
	})
	tr.provider = serveLoopback(t, provider)
	tr.args = tr.serving(tr.data, stormyParks(t))
	return tr
}

// live begins a life, with people about until it ends.
func (tr *trial) live(number int) (l *life, end func()) {
	ctx, cancel := context.WithCancel(tr.t.Context())
	l = &life{number: number, ctx: ctx, askedEnough: 1 + rand.Int64N(40)}
	for _, s := range []*sign{&l.up, &l.fetching, &l.asking, &l.closed} {
		s.given = make(chan struct{})
	}
	tr.life.Store(l)
	l.program = launch(tr.t, tr.clock, tr.args...)
	l.about.Go(func() {
		if !l.program.Reachable(ctx) {
			return
		}
		l.up.give()
		for c := range crowds {
			l.about.Go(func() { tr.crowd(l, c) })
		}
		l.about.Go(func() { tr.watch(l) })
	})
	return l, func() {
		cancel()
		l.about.Wait()
		tr.collect()
	}
}

// await waits for the instant to kill a life: some time after its start, or after it
// began to fetch or to be asked, or after its cycle was carried to its end, when those
// who must know of what it decided are told. Now and then it has the time to tell them
// all, which is noted.
func (tr *trial) await(l *life, r *rand.Rand) (settled bool) {
	aims := []struct {
		sign *sign
		span time.Duration
	}{{nil, 600 * time.Millisecond}, {&l.fetching, 150 * time.Millisecond}, {&l.asking, 60 * time.Millisecond},
		{&l.closed, 150 * time.Millisecond}, {&l.closed, 150 * time.Millisecond}}
	if l.number%4 == 3 {
		return tr.settle(l)
	}
	aim := aims[r.IntN(len(aims))]
	if aim.sign != nil {
		select {
		case <-aim.sign.given:
		case <-time.After(2 * time.Second):
		}
	}
	<-time.After(rand.N(aim.span))
	return false
}

// settle waits until the cycle was carried to its end and nobody was told anything for
// some time.
func (tr *trial) settle(l *life) bool {
	limit := time.After(15 * time.Second)
	select {
	case <-l.closed.given:
	case <-limit:
		return false
	}
	for quiet := time.Now(); time.Since(quiet) < 400*time.Millisecond || tr.notes.since(400*time.Millisecond) > 0; {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-limit:
			return false
		}
	}
	return true
}

// killOnce lives a life and ends it, and notes what was under way.
func (tr *trial) killOnce(number int, r *rand.Rand) {
	l, end := tr.live(number)
	settled := tr.await(l, r)
	fetched := time.Duration(time.Now().UnixNano() - l.fetchedAt.Load())
	told := tr.notes.since(50 * time.Millisecond)
	k := killed{at: tr.clock.Now(), cycle: fetched < 50*time.Millisecond, subscription: tr.asked.Load() > 0, sending: told > 0}
	select {
	case <-l.program.Ended:
		tr.t.Fatalf("life %d ended by itself: %v\n%s", number, l.program.ProcessState, l.program.Errs)
	default:
		l.program.Kill()
	}
	k.settled = settled && !tr.away.Load()
	end()
	k.ended = tr.clock.Now().Add(time.Minute) // the relay may still be reading; the next life is hours later
	if said := l.program.Errs.String(); strings.Contains(said, "panic") || strings.Contains(said, "DATA RACE") {
		tr.t.Errorf("life %d: %s", number, said)
	}
	tr.notes.kills = append(tr.notes.kills, k)
	path := filepath.Join(tr.data, "vigia.db")
	if _, err := os.Stat(path); !os.IsNotExist(err) { // else it was killed before there was a file
		checkFile(tr.t, path)
	}
}

// cycleClosed tells from what the program prints whether a cycle was carried to its
// end: what is held is shown at the start, and again with what was fetched.
func cycleClosed(printed string) bool {
	const shown = "estimaciones publicadas"
	return strings.Count(printed, shown) > 1 && strings.LastIndex(printed, shown) > strings.LastIndex(printed, "pidiendo")
}

// watch reads the parks over and over: no park is ever green while its storm is on,
// nor has any estimate when the provider was heard too long ago.
func (tr *trial) watch(l *life) {
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for l.ctx.Err() == nil {
		fed, before := time.Unix(tr.fed.Load(), 0), tr.clock.Now()
		status, body, ok := tr.send(l.ctx, client, "GET", l.program.URL+"/api/v1/parques", "", "")
		if !ok {
			continue
		}
		var parks struct {
			Data []clitest.Park
			TS   time.Time
		}
		if err := json.Unmarshal([]byte(body), &parks); err != nil || status != 200 || len(parks.Data) != stormParks {
			tr.t.Errorf("life %d: the parks: %d, %v", l.number, status, err)
			return
		}
		if tr.notes.looked.Add(1); cycleClosed(l.program.String()) {
			l.closed.give()
		}
		for i, park := range parks.Data {
			switch {
			case park.Estado == nil:
				tr.notes.unknown.Add(1)
			case *park.Estado == "verde" && raging(i, parks.TS):
				tr.t.Errorf("life %d: %s is green at %v, in its storm", l.number, park.Slug, parks.TS)
			case before.Sub(fed) > dataLimit+time.Minute && time.Unix(tr.fed.Load(), 0).Equal(fed):
				tr.t.Errorf("life %d: %s is %s at %v, %v after the provider was heard", l.number, park.Slug, *park.Estado, parks.TS, before.Sub(fed))
			}
		}
		pause(l.ctx, 10*time.Millisecond)
	}
}

// pause waits for some time or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// send makes a request. Without an answer that was read to its end nobody knows what
// came of it.
func (tr *trial) send(ctx context.Context, client *http.Client, method, url, kind, body string) (status int, said string, known bool) {
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		tr.t.Error(err)
		return 0, "", false
	}
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, "", false
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err == nil
}

// calmly lets the program live until everything that waits is done with: everybody
// who asked was written to, and nothing new has come for two seconds.
func (tr *trial) calmly(number int) {
	l, end := tr.live(number)
	select {
	case <-l.up.given:
	case <-l.program.Ended:
		tr.t.Fatalf("the program does not start any more: %v\n%s", l.program.ProcessState, l.program.Errs)
	}
	quiet, waiting := time.Now(), -1
	clitest.Poll(tr.t, "the last of the messages", func() bool {
		tr.collect()
		if n := tr.notes.waiting(); n != waiting {
			quiet, waiting = time.Now(), n
		}
		if tr.notes.since(2*time.Second) > 0 {
			quiet = time.Now()
		}
		return time.Since(quiet) > 2*time.Second && (waiting == 0 || tr.careless || time.Since(quiet) > 10*time.Second)
	})
	end()
	tr.finish(l)
	if status := l.program.Stop(tr.t); status != 0 {
		tr.t.Errorf("the last end: status %d\n%s", status, l.program.Errs)
	}
}

// count is how often the program is killed.
func count(t *testing.T, standard int) int {
	text := os.Getenv("VIGIA_KILLS")
	if text == "" {
		return standard
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("VIGIA_KILLS=%s: how often?", text)
	}
	return n
}

func (tr *trial) run(kills int) {
	seed := rand.Uint64()
	tr.t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	stop := tr.collecting()
	defer stop()
	for i := range kills {
		tr.away.Store(i%14 >= 11) // three lives of fourteen without weather
		tr.killOnce(i, r)
		tr.clock.turn(tr.t, 2*time.Hour+time.Duration(r.IntN(6*60))*time.Minute)
		if (i+1)%50 == 0 {
			tr.t.Logf("after %d kills, at %v: %s", i+1, tr.clock.Now().Format(time.DateTime), tr.notes.summary())
		}
	}
	tr.away.Store(false)
	tr.calmly(kills)
}

func TestKilledAtAnyInstant(t *testing.T) {
	t.Parallel()
	tr := newTrial(t)
	tr.run(count(t, 20))
	findings := tr.notes.judge()
	for _, f := range findings[:min(len(findings), 20)] {
		t.Error(f)
	}
	if len(findings) > 20 {
		t.Errorf("and %d more", len(findings)-20)
	}
	t.Log(tr.notes.summary())
	tr.notes.expectFoundWhenDoctored(t)
}

// The control: a service that acknowledges before it has anything on stable storage
// loses people when it is killed, and that must be found.
func TestKillingFindsWhoAcknowledgesTooSoon(t *testing.T) {
	t.Parallel()
	tr := newTrial(t)
	tr.careless = true
	for range 8 { // most often the first time
		tr.run(5)
		if len(tr.notes.judge()) > 0 {
			return
		}
	}
	t.Errorf("nothing was lost by who acknowledges too soon: %s", tr.notes.summary())
}
