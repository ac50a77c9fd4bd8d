package settings

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"
)

// NewLog makes the log: in the format that was set, else text where a person reads
// along, text for the journal where InJournal says so, and JSON elsewhere.
func (s *Settings) NewLog(w io.Writer, inJournal bool) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.LogLevel}
	switch {
	case s.LogFormat == "auto" && inJournal:
		options.ReplaceAttr = withoutTime
		return slog.New(slog.NewTextHandler(journal{w}, options))
	case s.LogFormat == "text", s.LogFormat == "auto" && isTerminal(w):
		return slog.New(slog.NewTextHandler(w, options))
	default:
		return slog.New(slog.NewJSONHandler(w, options))
	}
}

func isTerminal(w io.Writer) bool {
	file, isFile := w.(*os.File)
	if !isFile {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// InJournal tells whether what is written to w goes to systemd's journal, by what
// an environment (in the form of os.Environ) says: JOURNAL_STREAM names the device
// and the inode of that stream.
func InJournal(w io.Writer, environ []string) bool {
	file, isFile := w.(*os.File)
	if !isFile {
		return false
	}
	for _, line := range environ {
		if named, ok := strings.CutPrefix(line, "JOURNAL_STREAM="); ok {
			info, err := file.Stat()
			if err != nil {
				return false
			}
			stat, ok := info.Sys().(*syscall.Stat_t)
			return ok && named == fmt.Sprintf("%d:%d", stat.Dev, stat.Ino)
		}
	}
	return false
}

// withoutTime leaves out the time, which the journal keeps itself.
func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime {
		return slog.Attr{}
	}
	return a
}

// journal puts before each line of a log the priority by which the journal sorts.
type journal struct{ w io.Writer }

// Write takes one line: a handler of slog writes each record at once.
func (j journal) Write(line []byte) (int, error) {
	priority := "<6>"
	for _, p := range []struct{ level, priority string }{
		{"level=ERROR", "<3>"}, {"level=WARN", "<4>"}, {"level=DEBUG", "<7>"},
	} {
		if bytes.HasPrefix(line, []byte(p.level)) {
			priority = p.priority
		}
	}
	if _, err := j.w.Write(append([]byte(priority), line...)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// Complain writes why the program ends, in the journal as errors.
func Complain(w io.Writer, inJournal bool, text string) {
	if inJournal {
		text = "<3>" + strings.ReplaceAll(text, "\n", "\n<3>")
	}
	fmt.Fprintln(w, text) // nobody is left to be told that it fails
}
