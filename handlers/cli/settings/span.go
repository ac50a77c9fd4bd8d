package settings

import (
	"fmt"
	"time"
)

const (
	oneDay = 24 * time.Hour
	// longestSpan is the most days that can be asked for at once: two years.
	longestSpan = 731
)

// Span returns the first and last day of --from, --to and --days, as midnights in UTC.
// Days that are not over everywhere in the country are refused: their forecasts are not
// archived yet. The error is a [*UsageError].
func (s *Settings) Span(now time.Time) (first, last time.Time, err error) {
	newest := now.UTC().Truncate(oneDay).Add(-2 * oneDay)
	first, last = s.From, s.To
	switch {
	case first.IsZero() && last.IsZero():
		last = newest
		first = last.AddDate(0, 0, 1-s.Days)
	case first.IsZero():
		first = last.AddDate(0, 0, 1-s.Days)
	case last.IsZero():
		if last = first.AddDate(0, 0, s.Days-1); last.After(newest) {
			last = newest
		}
	}
	fault := func(format string, args ...any) (time.Time, time.Time, error) {
		return time.Time{}, time.Time{}, &UsageError{Command: s.Command, Lines: []string{fmt.Sprintf(format, args...)}}
	}
	switch days := int(last.Sub(first)/oneDay) + 1; {
	case last.After(newest):
		return fault("--to %s: must be a day up to %s, the last one that is archived", last.Format(time.DateOnly), newest.Format(time.DateOnly))
	case days < 1:
		return fault("--from %s: must not be after the last day, %s", first.Format(time.DateOnly), last.Format(time.DateOnly))
	case days > longestSpan:
		return fault("--from %s: %d days up to %s; at most %d", first.Format(time.DateOnly), days, last.Format(time.DateOnly), longestSpan)
	}
	return first, last, nil
}
