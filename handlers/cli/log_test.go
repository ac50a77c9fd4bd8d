package cli

import (
	"strings"
	"testing"
)

// The journal has a time and a program of its own for each line, and sorts by the
// priority before it.
func TestLogForTheJournal(t *testing.T) {
	var out strings.Builder
	log := newLog(parse(t, "demo", "--log-level", "debug"), &out, true)
	log.Debug("one")
	log.Info("two", "text", "a\nlevel=ERROR")
	log.Warn("three")
	log.With("time", "kept").Error("four")
	printError(&out, true, "vigia serve: a\nb")
	const want = "<7>level=DEBUG msg=one\n<6>level=INFO msg=two text=\"a\\nlevel=ERROR\"\n<4>level=WARN msg=three\n" +
		"<3>level=ERROR msg=four time=kept\n<3>vigia serve: a\n<3>b\n"
	if got := out.String(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestLogElsewhere(t *testing.T) {
	for _, c := range []struct {
		args      []string
		inJournal bool
		begins    string
	}{
		{nil, false, `{"time":`},
		{[]string{"--log-format", "json"}, true, `{"time":`},
		{[]string{"--log-format", "text"}, true, "time="},
	} {
		var b strings.Builder
		newLog(parse(t, "demo", c.args...), &b, c.inJournal).Info("said")
		if !strings.HasPrefix(b.String(), c.begins) {
			t.Errorf("%q: %s", c.args, &b)
		}
	}
}
