package hazard

import (
	"testing"
	"time"
	_ "time/tzdata"
)

// A day is 6 to 21 h by the trail's own clock, whatever is done to it.
func TestTheDayIsTheTrailsOwn(t *testing.T) {
	for _, c := range []struct {
		zone, date, first, last string // last hour of it
	}{
		{"America/Santiago", "2026-06-10", "2026-06-10T10:00Z", "2026-06-11T01:00Z"},
		{"America/Santiago", "2026-12-10", "2026-12-10T09:00Z", "2026-12-11T00:00Z"},
		{"America/Santiago", "2026-04-04", "2026-04-04T09:00Z", "2026-04-05T00:00Z"}, // clocks go back in the night that follows
		{"America/Santiago", "2026-04-05", "2026-04-05T10:00Z", "2026-04-06T01:00Z"},
		{"America/Santiago", "2026-09-05", "2026-09-05T10:00Z", "2026-09-06T01:00Z"},
		{"America/Santiago", "2026-09-06", "2026-09-06T09:00Z", "2026-09-07T00:00Z"}, // this day has no 0 h
		{"Pacific/Easter", "2026-06-10", "2026-06-10T12:00Z", "2026-06-11T03:00Z"},
		{"Pacific/Easter", "2026-09-05", "2026-09-05T12:00Z", "2026-09-06T03:00Z"},
		{"America/Punta_Arenas", "2026-06-10", "2026-06-10T09:00Z", "2026-06-11T00:00Z"},
		{"Asia/Kathmandu", "2026-06-10", "2026-06-10T01:00Z", "2026-06-10T16:00Z"}, // 6:45 to 21:45
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		site := Site{TimeZone: zone}
		date, _ := time.Parse(time.DateOnly, c.date)
		first, _ := time.Parse("2006-01-02T15:04Z", c.first)
		last, _ := time.Parse("2006-01-02T15:04Z", c.last)
		if got := site.DayStart(date); !got.Equal(first) {
			t.Errorf("%s %s begins at %v", c.zone, c.date, got)
		}
		hours := 0
		for at := first.Add(-30 * time.Hour); at.Before(last.Add(30 * time.Hour)); at = at.Add(time.Hour) {
			day, k, walked := site.DayOf(at)
			in := !at.Before(first) && !at.After(last)
			if (walked && day.Equal(date)) != in || in && k != hours {
				t.Errorf("%s: %v is hour %d of %v, %v", c.zone, at, k, day, walked)
			}
			if in {
				hours++
			}
		}
		if hours != DayHours {
			t.Errorf("%s %s has %d hours", c.zone, c.date, hours)
		}
	}
}

// What a run says by itself: its worst point, and no vote where a point cannot be judged.
func TestBallotsOfARun(t *testing.T) {
	for _, c := range []struct {
		said []Severity
		want Severity
	}{
		{nil, NoVote}, {[]Severity{Calm}, Calm}, {[]Severity{Calm, Moderate, Calm}, Moderate}, {[]Severity{Severe, Moderate}, Severe},
		{[]Severity{Calm, NoVote}, NoVote}, {[]Severity{NoVote, Calm}, NoVote}, {[]Severity{NoVote, Moderate, NoVote}, Moderate},
	} {
		for _, run := range []int{0, 3, 31} {
			var b Ballots
			b.Merge((run+1)%32, Severe, true)
			for i, s := range c.said {
				b.Merge(run, s, i == 0)
			}
			if b.Of(run) != c.want || b.Of((run+1)%32) != Severe {
				t.Errorf("run %d of %v: %v", run, c.said, b.Of(run))
			}
		}
	}
}
