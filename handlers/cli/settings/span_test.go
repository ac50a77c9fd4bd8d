package settings

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestSpan(t *testing.T) {
	now := time.Date(2026, 11, 21, 1, 0, 0, 0, time.UTC)
	for _, c := range []struct{ args, want string }{
		{"", "2026-10-21 2026-11-19"},
		{"--days 1", "2026-11-19 2026-11-19"},
		{"--to 2026-03-01", "2026-01-31 2026-03-01"},
		{"--to 2024-03-01 --days 2", "2024-02-29 2024-03-01"},
		{"--from 2026-01-01", "2026-01-01 2026-01-30"},
		{"--from 2026-11-10", "2026-11-10 2026-11-19"},
		{"--from 2024-11-19 --to 2026-11-19", "2024-11-19 2026-11-19"},
		{"--from 2024-11-18 --to 2026-11-19", "--from 2024-11-18: 732 days up to 2026-11-19; at most 731"},
		{"--to 2026-11-20", "--to 2026-11-20: must be a day up to 2026-11-19, the last one that is archived"},
		{"--from 2026-11-20", "--from 2026-11-20: must not be after the last day, 2026-11-19"},
		{"--from 2026-02-02 --to 2026-02-01", "--from 2026-02-02: must not be after the last day, 2026-02-01"},
	} {
		s := mustParse(t, "calibrate", strings.Fields(c.args), nil, nil)
		first, last, err := s.Span(now)
		got := first.Format(time.DateOnly) + " " + last.Format(time.DateOnly)
		if usage := (*UsageError)(nil); errors.As(err, &usage) {
			got = usage.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.args, got, c.want)
		}
	}
}

func TestToggle(t *testing.T) {
	for args, want := range map[string]bool{"": false, "--csv": true, "--csv --days 3": true, "--csv=no": false, "--csv=yes": true} {
		if s := mustParse(t, "calibrate", strings.Fields(args), nil, nil); s.CSV != want {
			t.Errorf("%s gives %t", args, s.CSV)
		}
	}
	if s := mustParse(t, "calibrate", nil, []string{"VIGIA_CSV=true"}, nil); !s.CSV {
		t.Error("the environment cannot say yes")
	}
	wantFault(t, faultsOf(t, "calibrate", []string{"--csv=maybe"}, nil, nil), `--csv "maybe": must be one of yes, no`)
	wantFault(t, faultsOf(t, "calibrate", []string{"--csv", "no"}, nil, nil), "unexpected argument no")
	wantFault(t, faultsOf(t, "calibrate", []string{"--from", "1/2/2026"}, nil, nil), `--from "1/2/2026": must be a date such as`)
}
