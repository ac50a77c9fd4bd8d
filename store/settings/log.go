package settings

import (
	"io"
	"log/slog"
	"os"
)

// NewLog makes the log, which writes text where a person reads along, and JSON elsewhere.
func (s *Settings) NewLog(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.LogLevel}
	file, isFile := w.(*os.File)
	if isFile && s.LogFormat == "auto" {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return slog.New(slog.NewTextHandler(w, options))
		}
	}
	if s.LogFormat == "text" {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}
