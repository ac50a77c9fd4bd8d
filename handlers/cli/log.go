package cli

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"vigia/handlers/cli/settings"
)

// newLog returns the log in the format that was set. auto is text on a terminal, text
// with priorities for the journal of systemd, and JSON elsewhere.
func newLog(s *settings.Settings, w io.Writer, inJournal bool) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.LogLevel}
	switch {
	case s.LogFormat == "auto" && inJournal:
		options.ReplaceAttr = withoutTime
		return slog.New(slog.NewTextHandler(journalWriter{w}, options))
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

// withoutTime leaves out the time, which the journal keeps itself.
func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime {
		return slog.Attr{}
	}
	return a
}

// priorities are those by which the journal sorts lines, by level.
var priorities = map[string]string{"ERROR": "<3>", "WARN": "<4>", "INFO": "<6>", "DEBUG": "<7>"}

// journalWriter writes the priority of each line of a log before it.
type journalWriter struct{ w io.Writer }

// Write takes one line: a handler of slog writes each record at once.
func (j journalWriter) Write(line []byte) (int, error) {
	level, _, _ := bytes.Cut(bytes.TrimPrefix(line, []byte("level=")), []byte(" "))
	_, err := j.w.Write(append([]byte(priorities[string(level)]), line...))
	return len(line), err
}

// printError writes why the program ends, in the journal as errors.
func printError(w io.Writer, inJournal bool, text string) {
	if inJournal {
		text = "<3>" + strings.ReplaceAll(text, "\n", "\n<3>")
	}
	fmt.Fprintln(w, text) // a failure can be reported nowhere
}
