package store

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// randomIssued makes a log of an hour in which most is calm, as it is.
func randomIssued(r *rand.Rand, c *catalogue.Catalogue, hour time.Time, busy float64) *IssuedHour {
	h := &IssuedHour{Hour: hour, IssuedAt: hour.Add(3 * time.Minute), Rules: "2026.11.1"}
	for lead := range h.Leads {
		rows := make([]IssuedRow, len(c.Trails))
		for i := range rows {
			whole := randomRow(r)
			rows[i] = IssuedRow{State: whole.State, Quality: whole.Quality, Confidence: whole.Confidence, Main: whole.Main}
			for k := range rows[i].Hazards {
				rows[i].Hazards[k] = randomHazard(r, busy)
			}
		}
		h.Leads[lead] = rows
	}
	h.Models = NewIssuedModels([]string{"ecmwf_ifs", "ncep_gfs_global", "dwd_icon_global", "cmc_gem_gdps"}, len(c.Trails))
	for lead := range NumVerified {
		for i := range c.Trails {
			gust := 60 * r.Float64()
			for m := range h.Models.Names {
				for v := range NumMeasured {
					h.Models.SetValue(lead, v, m, i, gust+5*r.NormFloat64())
				}
				for z := range h.Models.Ballots[lead] {
					h.Models.Ballots[lead][z][i].Merge(m, hazard.Severity(max(0, int(3*r.Float64()+busy-2))), true)
				}
			}
			h.Models.SetValue(lead, 1, 0, i, math.NaN())
		}
	}
	h.Models.Ensembles = randomEnsembles(r, len(c.Trails))
	return h
}

func randomEnsembles(r *rand.Rand, trails int) (list []*Ensemble) {
	for _, name := range []string{"ecmwf_ifs025_ensemble_mean", "ncep_gefs025_ensemble_mean"} {
		e := NewEnsemble(name, trails)
		for lead := range NumVerified {
			for event := range EnsembleEvents {
				for i := range trails {
					e.Set(lead, event, i, []float64{math.NaN(), 0, 1, r.Float64()}[r.IntN(4)])
				}
			}
		}
		list = append(list, e)
	}
	return list
}

func randomHazard(r *rand.Rand, busy float64) IssuedHazard {
	z := IssuedHazard{Applies: r.Float64() < .9, State: hazard.Green, Total: 4}
	switch {
	case !z.Applies:
		return IssuedHazard{}
	case r.Float64() < .05:
		return IssuedHazard{Applies: true}
	case r.Float64() < busy:
		z.State, z.Amber, z.Red = hazard.Amber, uint8(1+r.IntN(4)), uint8(r.IntN(2))
		z.HasCause, z.Quantity = true, hazard.Quantity(r.IntN(20))
		z.Value, z.Min, z.Max, z.Threshold = r.Float32(), r.Float32(), r.Float32(), r.Float32()
	}
	return z
}

func (s *Store) mustCommit(t testing.TB, c *catalogue.Catalogue, h *IssuedHour) {
	t.Helper()
	rows := make([]HistoryRow, len(c.Trails))
	for i := range rows {
		rows[i] = noRow()
	}
	if err := s.Commit(&Cycle{Catalogue: c, Hour: h.Hour, IssuedAt: h.IssuedAt, Rows: rows, Issued: h, Estimates: true}); err != nil {
		t.Fatal(err)
	}
}

func sameIssued(a, b *IssuedHour) error {
	if !a.Hour.Equal(b.Hour) || !a.IssuedAt.Equal(b.IssuedAt) || a.Rules != b.Rules {
		return fmt.Errorf("%v %v %q and %v %v %q", a.Hour, a.IssuedAt, a.Rules, b.Hour, b.IssuedAt, b.Rules)
	}
	for lead := range a.Leads {
		for i := range a.Leads[lead] {
			if x, y := a.Leads[lead][i], b.Leads[lead][i]; x != y {
				return fmt.Errorf("lead %d, trail %d: %+v and %+v", lead, i, x, y)
			}
		}
	}
	if !reflect.DeepEqual(a.Models, b.Models) {
		return fmt.Errorf("what the models said is not the same")
	}
	return nil
}

// readIssued gives the hours of the log.
func readIssued(t testing.TB, s *Store, c *catalogue.Catalogue, from, to time.Time) (hours []*IssuedHour) {
	t.Helper()
	err := s.Issued(c, from, to, func(h *IssuedHour) error {
		hours = append(hours, h)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return hours
}

func TestTheLogIsKeptAsIssued(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	s := openStore(t, newPath(t))
	c := makeCatalogue(upTo(25)...)
	var want []*IssuedHour
	for k := range 30 {
		h := randomIssued(r, c, testHour.Add(time.Duration(k)*time.Hour), .3)
		s.mustCommit(t, c, h)
		want = append(want, h)
		// What is issued later in the same hour changes nothing.
		again := randomIssued(r, c, h.Hour, 1)
		again.Rules = "otra"
		s.mustCommit(t, c, again)
	}
	got := readIssued(t, s, c, testHour.Add(2*time.Hour), testHour.Add(29*time.Hour))
	if len(got) != 28 {
		t.Fatalf("%d hours", len(got))
	}
	for i := range got {
		if err := sameIssued(want[i+2], got[i]); err != nil {
			t.Fatal(err)
		}
	}
	ever := 0 // trails at a lead in an hour of the day
	for k := range 30 {
		for _, lead := range LoggedLeads[1:] {
			if h := (testHour.Hour() + k + lead) % 24; h >= 6 && h <= 21 {
				ever += 25
			}
		}
	}
	l, err := s.Logged()
	if err != nil || l.Ever != ever || len(l.Kept) != 30 || !l.First.Equal(testHour) || !l.Last.Equal(testHour.Add(29*time.Hour)) {
		t.Errorf("%+v, %v", l, err)
	}
}

// A trail that leaves the catalogue takes its rows with it and finds them again;
// one that is new has none.
func TestTheLogFollowsTheCatalogue(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	s := openStore(t, newPath(t))
	c := makeCatalogue(1, 2, 3)
	h := randomIssued(r, c, testHour, .5)
	s.mustCommit(t, c, h)
	other := makeCatalogue(4, 3, 1)
	got := readIssued(t, s, other, testHour, testHour)
	for lead := range got[0].Leads {
		for i, from := range map[int]int{1: 2, 2: 0} {
			if x, y := got[0].Leads[lead][i], h.Leads[lead][from]; x != y {
				t.Errorf("lead %d, trail %d: %+v, want %+v", lead, i, x, y)
			}
		}
		if lead > 0 {
			x, y := got[0].Models, h.Models
			a, _ := x.Value(lead-1, 0, 2, 1)
			b, _ := y.Value(lead-1, 0, 2, 2)
			if _, known := x.Value(lead-1, 0, 2, 0); known || a != b || x.Ballots[lead-1][0][1] != y.Ballots[lead-1][0][2] {
				t.Errorf("lead %d: what the models said of another trail", lead)
			}
			p, known := x.Ensembles[1].Probability(lead-1, 2, 1)
			q, was := y.Ensembles[1].Probability(lead-1, 2, 2)
			if _, fresh := x.Ensembles[1].Probability(lead-1, 2, 0); fresh || p != q || known != was {
				t.Errorf("lead %d: what the ensembles said of another trail", lead)
			}
		}
		if fresh := got[0].Leads[lead][0]; fresh.State != hazard.Unknown || fresh.Hazards[0].Applies {
			t.Errorf("a trail that was not there has %+v", fresh)
		}
	}
}

func TestTheLogIsPrunedButNotByAClockThatJumps(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	s := openStore(t, newPath(t))
	c := makeCatalogue(1)
	kept := func(want int) {
		t.Helper()
		if l, err := s.Logged(); err != nil || len(l.Kept) != want {
			t.Errorf("%d hours kept, want %d (%v)", len(l.Kept), want, err)
		}
	}
	s.mustCommit(t, c, randomIssued(r, c, testHour, 0))
	s.mustCommit(t, c, randomIssued(r, c, testHour.Add(5*24*time.Hour), 0))
	s.mustCommit(t, c, randomIssued(r, c, testHour.Add(93*24*time.Hour), 0)) // a leap of 88 days
	kept(3)
	s.mustCommit(t, c, randomIssued(r, c, testHour.Add(94*24*time.Hour), 0)) // the clock is believed again
	kept(3)
	if l, _ := s.Logged(); !l.First.Equal(testHour.Add(5*24*time.Hour)) || l.Ever != 4 {
		t.Errorf("%+v", l)
	}
}

func TestCommitRefusesALogThatDoesNotFit(t *testing.T) {
	s := openStore(t, newPath(t))
	c := makeCatalogue(1, 2)
	for name, change := range map[string]func(*IssuedHour){
		"another hour": func(h *IssuedHour) { h.Hour = h.Hour.Add(time.Hour) },
		"rows":         func(h *IssuedHour) { h.Leads[2] = h.Leads[2][:1] },
		"models":       func(h *IssuedHour) { h.Models = NewIssuedModels([]string{"a"}, 1) },
		"rules":        func(h *IssuedHour) { h.Rules = strings.Repeat("x", maxRules+1) },
	} {
		h := randomIssued(rand.New(rand.NewPCG(1, 1)), c, testHour, 0)
		change(h)
		if err := s.Commit(&Cycle{Catalogue: c, Hour: testHour, IssuedAt: testHour, Rows: make([]HistoryRow, 2), Issued: h}); err == nil {
			t.Errorf("%s: committed", name)
		}
	}
	if l, err := s.Logged(); err != nil || len(l.Kept) != 0 || l.Ever != 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

func randomPairs(r *rand.Rand, c *catalogue.Catalogue, day time.Time, tier Tier, busy float64) *DayPairs {
	d := &DayPairs{Day: day, Tier: tier, Rules: "2026.11.1", FlipSum: r.Float64(), FlipN: r.IntN(100), Rows: make([]PairRow, len(c.Trails))}
	d.Models, d.Errors = []string{"a", "b"}, make([]ErrorRow, len(c.Trails))
	for i := range d.Rows {
		for lead := range d.Rows[i] {
			for v := range d.Errors[i][lead] {
				if r.Float64() < .8 {
					d.Errors[i][lead][v] = randomErrors(r)
				}
			}
			for subject := range d.Rows[i][lead] {
				p := Pair{Forecast: hazard.Green, Observed: hazard.Green, Hours: 24}
				switch x := r.Float64(); {
				case x < busy:
					p = Pair{Forecast: hazard.State(r.IntN(4)), Observed: hazard.State(r.IntN(4)), Hours: uint8(r.IntN(25)), Dropped: uint8(r.IntN(25)), Amber: uint8(r.IntN(61)), Red: uint8(r.IntN(61))}
				case x < 1.5*busy:
					p = Pair{Amber: NoShare, Red: NoShare}
				}
				d.Rows[i][lead][subject] = p
			}
		}
	}
	d.Ensembles = randomEnsembles(r, len(c.Trails))
	return d
}

func randomErrors(r *rand.Rand) Errors {
	one := func() ModelErrors {
		return ModelErrors{Hours: 16, Sum: int32(r.IntN(1000) - 500), Abs: int32(500 + r.IntN(300))}
	}
	e := Errors{Models: []ModelErrors{one(), one()}, Median: one(), CRPS: int32(r.IntN(100_000))}
	if r.Float64() < .9 {
		e.Ranks = []uint32{uint32(r.IntN(300)), uint32(r.IntN(300)), uint32(r.IntN(300))}
	}
	return e
}

func TestPairsComeBack(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	s := openStore(t, newPath(t))
	c := makeCatalogue(upTo(12)...)
	today := testHour.Truncate(24 * time.Hour)
	var want []*DayPairs
	for k := range 5 {
		for _, tier := range Tiers {
			want = append(want, randomPairs(r, c, today.AddDate(0, 0, k), tier, .4))
		}
	}
	if err := s.SavePairs(c, want, []Source{{Tier: Stations, Name: "Faro", DistanceKm: 3}}); err != nil {
		t.Fatal(err)
	}
	var got []*DayPairs
	if err := s.Pairs(c, today.AddDate(0, 0, 1), func(d *DayPairs) error { got = append(got, d); return nil }); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want[4:]) {
		t.Errorf("%d days, or other ones than were saved", len(got))
	}
	days, err := s.HasPairs(Reanalysis, today.AddDate(0, 0, 3))
	if err != nil || len(days) != 2 || !days[today.AddDate(0, 0, 3)] {
		t.Errorf("%v, %v", days, err)
	}
	if sources, err := s.Sources(); err != nil || len(sources) != 1 || sources[0].Name != "Faro" {
		t.Errorf("%v, %v", sources, err)
	}
}

// A second save replaces the subjects that it speaks of, and other rules or tiers
// stand beside.
func TestPairsAreCompletedNotPooled(t *testing.T) {
	s := openStore(t, newPath(t))
	c := makeCatalogue(1, 2)
	today := testHour.Truncate(24 * time.Hour)
	known := Pair{Forecast: hazard.Red, Observed: hazard.Green, Hours: 3, Amber: 60, Red: 30}
	other := Pair{Forecast: hazard.Green, Observed: hazard.Green, Hours: 5}
	save := func(rules string, set map[[3]int]Pair) {
		t.Helper()
		d := &DayPairs{Day: today, Tier: ParkRecords, Rules: rules, Rows: make([]PairRow, 2)}
		for at, p := range set {
			d.Rows[at[0]][at[1]][at[2]] = p
		}
		if err := s.SavePairs(c, []*DayPairs{d}, nil); err != nil {
			t.Fatal(err)
		}
	}
	save("a", map[[3]int]Pair{{0, 0, 0}: known, {0, 1, 0}: known, {0, 0, 3}: known, {1, 0, 0}: known})
	save("a", map[[3]int]Pair{{0, 0, 0}: other, {1, 2, 5}: other})
	save("b", map[[3]int]Pair{{0, 0, 7}: other})
	byRules := map[string]*DayPairs{}
	if err := s.Pairs(c, today, func(d *DayPairs) error { byRules[d.Rules] = d; return nil }); err != nil {
		t.Fatal(err)
	}
	a, b := byRules["a"], byRules["b"]
	if len(byRules) != 2 || b.Rows[0][0][7] != other || b.Rows[0][0][0].Known() {
		t.Fatalf("%+v", byRules)
	}
	for at, want := range map[[3]int]Pair{
		{0, 0, 0}: other, {0, 1, 0}: {}, {0, 0, 3}: known, {1, 0, 0}: known, {1, 2, 5}: other,
	} {
		if got := a.Rows[at[0]][at[1]][at[2]]; got != want {
			t.Errorf("%v: %+v, want %+v", at, got, want)
		}
	}
	// So do values: those of a trail that the second save has none of stay.
	first, second := randomPairs(rand.New(rand.NewPCG(1, 2)), c, today, Stations, 0), randomPairs(rand.New(rand.NewPCG(3, 4)), c, today, Stations, 0)
	second.Errors[1] = ErrorRow{}
	if err := s.SavePairs(c, []*DayPairs{first, second}, nil); err != nil {
		t.Fatal(err)
	}
	err := s.Pairs(c, today, func(d *DayPairs) error {
		if d.Tier == Stations && (!reflect.DeepEqual(d.Errors[0], second.Errors[0]) || !reflect.DeepEqual(d.Errors[1], first.Errors[1])) {
			t.Error("errors of one trail are those of another save")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]*DayPairs{
		"no midnight": {Day: testHour, Tier: ParkRecords, Rows: make([]PairRow, 2)},
		"rows":        {Day: today, Tier: ParkRecords, Rows: make([]PairRow, 1)},
		"rules":       {Day: today, Tier: ParkRecords, Rules: strings.Repeat("x", 65), Rows: make([]PairRow, 2)},
	} {
		if err := s.SavePairs(c, []*DayPairs{d}, nil); err == nil {
			t.Errorf("%s: saved", name)
		}
	}
}

// What a build before this one kept is read as what it is: hours without what the models
// said, and days of UTC, which are not pooled with those of the trails' clocks.
func TestWhatAnEarlierBuildKept(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	s := openStore(t, newPath(t))
	c := makeCatalogue(1, 2)
	h := randomIssued(r, c, testHour, .5)
	h.Models = nil
	s.mustCommit(t, c, h)
	if got := readIssued(t, s, c, testHour, testHour); len(got) != 1 || sameIssued(h, got[0]) != nil || got[0].Models != nil {
		t.Errorf("%d hours", len(got))
	}
	d := randomPairs(r, c, testHour.Truncate(24*time.Hour), Reanalysis, .5)
	must(t, s.update("as before", func(tx *Tx) error {
		x := indexTrails(c)
		value, err := pack(d.key(), func(to *fieldCodec) {
			to.float64(&d.FlipSum)
			number(to, 4, &d.FlipN)
			codeRows(to, x, x.trails(to), &d.Rows, absentPairs(), codePairs)
		})
		if err != nil {
			return err
		}
		return tx.bucket(bucketPairs).Put(d.key(), value)
	}))
	must(t, s.Pairs(c, d.Day, func(*DayPairs) error { t.Error("a day of UTC"); return nil }))
	if days, err := s.HasPairs(Reanalysis, d.Day); err != nil || !days[d.Day] {
		t.Errorf("%v, %v: the day would be compared twice", days, err)
	}
	must(t, s.Check(t.Context()))
}

// The hours and days of a build without ensembles end before them, and are read as they are:
// what is written now begins as they do.
func TestWhatABuildWithoutEnsemblesKept(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	c := makeCatalogue(1, 2)
	x := indexTrails(c)
	h, d := randomIssued(r, c, testHour, .5), randomPairs(r, c, testHour.Truncate(24*time.Hour), Reanalysis, .5)
	whole := [2]fieldCodec{}
	h.code(&whole[0], x)
	d.code(&whole[1], x)
	h.Models.Ensembles, d.Ensembles = nil, nil
	before := [2]fieldCodec{}
	h.code(&before[0], x)
	d.code(&before[1], x)
	for i := range whole {
		if more := len(whole[i].b) - len(before[i].b); !bytes.HasPrefix(whole[i].b, before[i].b) || more < 2*2*NumVerified*NumEnsembleEvents {
			t.Errorf("value %d: %d bytes more, or others before them", i, more)
		}
	}
	old, was := IssuedHour{Hour: h.Hour}, DayPairs{Day: d.Day, Tier: d.Tier, Rules: d.Rules}
	from := fieldCodec{b: before[0].b, reading: true}
	if old.code(&from, x); from.failed || len(from.b) > 0 || sameIssued(h, &old) != nil {
		t.Error("an hour is not as it was kept")
	}
	from = fieldCodec{b: before[1].b, reading: true}
	if was.code(&from, x); from.failed || len(from.b) > 0 || was.utc || !reflect.DeepEqual(&was, d) {
		t.Error("a day is not as it was kept")
	}
}

// A day of an ensemble is its most probable hour, and is not known where an hour is not.
func TestTheDayOfAnEnsemble(t *testing.T) {
	missing := math.NaN()
	for i, c := range []struct {
		hours []float64
		want  float64
	}{
		{[]float64{0.2}, 0.2}, {[]float64{0.2, 0.7, 0.1}, 0.7}, {[]float64{0, 0}, 0}, {[]float64{missing, 0.7}, missing}, {[]float64{0.7, missing, 0.1}, missing},
		{[]float64{1.5, 0.1}, missing}, {[]float64{0.0024, 0.9976}, 1}, {[]float64{-1, -1}, missing},
	} {
		day := NewEnsemble("a", 1)
		for k, p := range c.hours {
			hour := NewEnsemble("a", 1)
			hour.Set(1, 2, 0, p)
			if p == -1 {
				hour = nil
			}
			day.Raise(hour, 1, 2, 0, k == 0)
		}
		if got, known := day.Probability(1, 2, 0); known == math.IsNaN(c.want) || known && got != c.want {
			t.Errorf("day %d: %v, %v", i, got, known)
		}
		if _, known := day.Probability(1, 2, 0); !known {
			continue
		}
		if _, known := day.Probability(0, 2, 0); known {
			t.Errorf("day %d: another lead is known", i)
		}
	}
}

// A second save keeps the probabilities of the hazards that it has nothing of.
func TestProbabilitiesAreCompleted(t *testing.T) {
	s := openStore(t, newPath(t))
	c := makeCatalogue(1, 2)
	today := testHour.Truncate(24 * time.Hour)
	save := func(h hazard.Hazard, trail int, name string, p float64) {
		t.Helper()
		d := &DayPairs{Day: today, Tier: Stations, Rules: "a", Rows: make([]PairRow, 2), Ensembles: []*Ensemble{NewEnsemble(name, 2)}}
		d.Rows[trail][2][1+h] = Pair{Forecast: hazard.Green, Observed: hazard.Green, Hours: 3}
		for event, of := range EnsembleEvents {
			if of.Hazard == h {
				d.Ensembles[0].Set(2, event, trail, p)
			}
		}
		must(t, s.SavePairs(c, []*DayPairs{d}, nil))
	}
	save(hazard.Wind, 0, "a", 0.25)
	save(hazard.Wind, 0, "a", 0.5)
	save(hazard.Cold, 0, "b", 0.75)
	save(hazard.Wind, 1, "a", 0.1)
	must(t, s.Pairs(c, today, func(d *DayPairs) error {
		a, b := EnsembleNamed(d.Ensembles, "a"), EnsembleNamed(d.Ensembles, "b")
		for at, want := range map[[2]int]float64{{0, 0}: 0.5, {1, 0}: 0.5, {1, 1}: 0.1} {
			if got, known := a.Probability(2, at[0], at[1]); got != want || !known {
				t.Errorf("event %d, trail %d: %v, want %v", at[0], at[1], got, want)
			}
		}
		if got, _ := b.Probability(2, 3, 0); got != 0.75 || len(d.Ensembles) != 2 {
			t.Errorf("%v of the other", got)
		}
		if _, known := a.Probability(2, 3, 0); known {
			t.Error("an ensemble that said nothing of cold")
		}
		return nil
	}))
}

func TestTheSummaryComesBack(t *testing.T) {
	s := openStore(t, newPath(t))
	if v, err := s.Verification(); v != nil || err != nil {
		t.Errorf("%v, %v before the first", v, err)
	}
	x := .25
	want := &Verification{CalculatedAt: testHour, Rules: "r", Stage: StagePreliminary, Issued: 7, Verified: 3, Pending: 2,
		Results: []Result{{Tier: Reanalysis, Hits: 3, POD: &x, PODRange: &Interval{.1, .9}, Bin: "24-48"}}}
	if err := s.SaveVerification(want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Verification()
	if err != nil || !reflect.DeepEqual(got, want) || got.Results[0].FAR != nil || got.Dropped() != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

// Whatever the bytes, decoding gives an error or values, in bounded memory.
func FuzzVerificationValues(f *testing.F) {
	c := makeCatalogue(1, 2, 5)
	x := indexTrails(c)
	r := rand.New(rand.NewPCG(1, 1))
	issued, pairs := &fieldCodec{}, &fieldCodec{}
	randomIssued(r, c, testHour, .5).code(issued, x)
	randomPairs(r, c, testHour.Truncate(24*time.Hour), Reanalysis, .5).code(pairs, x)
	f.Add(issued.b)
	f.Add(pairs.b)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, payload []byte) {
		var h IssuedHour
		if h.code(&fieldCodec{b: payload, reading: true}, x); len(h.Leads[NumLogged-1]) != 3 {
			t.Errorf("%d rows", len(h.Leads[NumLogged-1]))
		}
		var d DayPairs
		if d.code(&fieldCodec{b: payload, reading: true}, x); len(d.Rows) != 3 {
			t.Errorf("%d rows", len(d.Rows))
		}
	})
}

// BenchmarkLogOfAYear writes the log of a year of 200 trails, a hundredth of it,
// and tells what a year takes.
func BenchmarkLogOfAYear(b *testing.B) {
	c := makeCatalogue(upTo(200)...)
	r := rand.New(rand.NewPCG(1, 1))
	x := indexTrails(c)
	hour := randomIssued(r, c, testHour, .06)
	day := randomPairs(r, c, testHour.Truncate(24*time.Hour), Reanalysis, .06)
	var issued, pairs []byte
	for b.Loop() {
		issued, _ = pack(nil, func(to *fieldCodec) { hour.code(to, x) })
		pairs, _ = pack(nil, func(to *fieldCodec) { day.code(to, x) })
	}
	b.ReportMetric(float64(len(issued)), "B/hour")
	b.ReportMetric(float64(len(pairs)), "B/day/tier")
	b.ReportMetric(float64(92*24*len(issued)+2*365*len(pairs))/1e6, "MB/year")
}
