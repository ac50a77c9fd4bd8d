package calibration

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// Bar makes a Calibration's Progress that draws a bar: on a terminal one line that
// is drawn anew, elsewhere a line for each step.
func Bar(w io.Writer) func(done, total int, what string) {
	if file, ok := w.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return redrawn(w)
		}
	}
	return func(done, total int, what string) { fmt.Fprintln(w, barLine(done, total, what)) }
}

// redrawn covers what the line before had beyond the new one with spaces.
func redrawn(w io.Writer) func(done, total int, what string) {
	before := 0
	return func(done, total int, what string) {
		line := barLine(done, total, what)
		length := utf8.RuneCountInString(line)
		fmt.Fprint(w, "\r"+line+strings.Repeat(" ", max(0, before-length)))
		if before = length; done == total {
			fmt.Fprintln(w)
		}
	}
}

func barLine(done, total int, what string) string {
	const width = 30
	full := width * done / max(total, 1)
	return strings.TrimRight(fmt.Sprintf("[%s%s] %3d %% %s", strings.Repeat("#", full), strings.Repeat(".", width-full), 100*done/max(total, 1), what), " ")
}
