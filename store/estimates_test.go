package store

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"vigia/forecast/hazard"
)

func TestMediansAreRoundedToWhatIsShown(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct{ given, kept hazard.Medians }{
		{
			hazard.Medians{Temperature: -3.46, FeelsLike: -11.04, Wind: 45.67, Gust: 99.99, Precipitation: 0.26, Snow: 1.35, FreezingLevel: 2934, Sight: 847, UV: 7.77, WindAloft: 74.96},
			hazard.Medians{Temperature: -3.5, FeelsLike: -11, Wind: 45.7, Gust: 100, Precipitation: 0.3, Snow: 1.4, FreezingLevel: 2930, Sight: 850, UV: 7.8, WindAloft: 75},
		},
		{
			hazard.Medians{Temperature: nan, FeelsLike: nan, Wind: nan, Gust: nan, Precipitation: nan, Snow: nan, FreezingLevel: nan, Sight: nan, UV: nan, WindAloft: nan},
			hazard.Medians{Temperature: nan, FeelsLike: nan, Wind: nan, Gust: nan, Precipitation: nan, Snow: nan, FreezingLevel: nan, Sight: nan, UV: nan, WindAloft: nan},
		},
		{
			hazard.Medians{Temperature: 1e9, FeelsLike: -1e9, Wind: inf, Gust: -inf, Sight: 99_999, FreezingLevel: 1e6},
			hazard.Medians{Temperature: 3276.7, FeelsLike: -3276.7, Wind: 3276.7, Gust: -3276.7, Sight: 100_000, FreezingLevel: 327_670},
		},
	} {
		row, back, written := HistoryRow{Medians: c.given}, HistoryRow{}, &fieldCodec{}
		codeRow(written, &row)
		codeRow(&fieldCodec{b: written.b, reading: true}, &back)
		if !sameRow(back, HistoryRow{Medians: c.kept}) {
			t.Errorf("%+v\nbecame %+v\nwant   %+v", c.given, back.Medians, c.kept)
		}
	}
}

func TestATrailWithoutARowIsNoData(t *testing.T) {
	s := openStore(t, newPath(t))
	green := HistoryRow{State: hazard.Green, Quality: hazard.Complete}
	if err := s.Commit(testCycle(makeCatalogue(1, 3), testHour, []HistoryRow{green, green})); err != nil {
		t.Fatal(err)
	}
	// Trail 2 never has a row; 4 has one in a later hour.
	if err := s.Commit(testCycle(makeCatalogue(4), testHour.Add(time.Hour), []HistoryRow{green})); err != nil {
		t.Fatal(err)
	}
	history, err := s.History(makeCatalogue(2, 3, 4, 1), testHour, 1)
	if err != nil || len(history.Hours) != 1 {
		t.Fatalf("%+v, %v", history, err)
	}
	for i, want := range []HistoryRow{noRow(), green, noRow(), green} {
		if got := history.Hours[0].Rows[i]; !sameRow(got, want) {
			t.Errorf("trail %d: %+v, want %+v", i, got, want)
		}
	}
	if row := noRow(); row.State != hazard.Unknown || row.Quality != hazard.NoData || row.Main != hazard.NoHazard {
		t.Errorf("%+v", row)
	}
}

func TestADamagedHourIsLeftOut(t *testing.T) {
	s := openStore(t, newPath(t))
	c := makeCatalogue(upTo(20)...)
	for i := range 3 {
		hour := testHour.Add(time.Duration(-i) * time.Hour)
		if err := s.Commit(testCycle(c, hour, make([]HistoryRow, 20))); err != nil {
			t.Fatal(err)
		}
	}
	corrupt(t, s, bucketEstimates, hourKey(testHour.Add(-time.Hour)), func(b []byte) { b[40] ^= 1 })
	history, err := s.History(c, testHour, 168)
	if err != nil || len(history.Hours) != 2 || !history.Hours[0].Hour.Equal(testHour) {
		t.Errorf("%d hours, %v", len(history.Hours), err)
	}
	damaged := (*DamagedError)(nil)
	if err := s.Check(t.Context()); !errors.As(err, &damaged) {
		t.Errorf("check: %v", err)
	}
	if err := s.Commit(testCycle(c, testHour.Add(-time.Hour), make([]HistoryRow, 20))); err != nil {
		t.Errorf("the hour cannot be written anew: %v", err)
	}
}

func FuzzUnpackEstimates(f *testing.F) {
	c := &fieldCodec{}
	rows := randomRows(rand.New(rand.NewPCG(6, 6)), 3)
	codeEstimates(c, indexTrails(makeCatalogue(3, 9, 4)), &rows)
	f.Add(c.b)
	f.Add([]byte{0})
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0x07, 0xff, 0xff, 0xff, 0xff, 0x07})
	x := indexTrails(makeCatalogue(9, 0, 3, 1))
	f.Fuzz(func(t *testing.T, payload []byte) {
		var rows []HistoryRow
		codeEstimates(&fieldCodec{b: payload, reading: true}, x, &rows)
		if len(rows) != 4 {
			t.Errorf("%+v", rows)
		}
	})
}
