package offline

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"vigia/store/settings"
)

// Build tells from what a program was built.
type Build struct {
	Version string // of the tag, or one made of the commit; "devel" when it is not known
	Commit  string // in full, or ""
	Changed bool   // the sources were not as the commit has them
	Go      string // version of Go
	Target  string // processor and its version, such as arm 6
}

// ReadBuild reads what the compiler wrote into this program.
func ReadBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Build{Version: "devel"}
	}
	return describe(info)
}

func describe(info *debug.BuildInfo) Build {
	b := Build{Version: info.Main.Version, Go: info.GoVersion}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "devel" // it goes into headers and addresses
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		case "GOARCH":
			b.Target = s.Value + b.Target
		case "GOARM", "GOARM64", "GOAMD64":
			b.Target += " " + s.Value
		}
	}
	return b
}

// String gives it on one line.
func (b Build) String() string {
	parts := []string{"vigia " + b.Version}
	switch {
	case b.Commit == "":
		parts = append(parts, "commit not known")
	case b.Changed:
		parts = append(parts, "commit "+b.Commit+" with changes")
	default:
		parts = append(parts, "commit "+b.Commit)
	}
	return strings.Join(append(parts, b.Go, b.Target), ", ")
}

// ShowVersion tells from what the program was built.
func ShowVersion(_ context.Context, _ *settings.Settings, t Terminal) error {
	_, err := fmt.Fprintln(t.Out, ReadBuild())
	return err
}

// Help prints the help in full, or that of a command.
func Help(_ context.Context, s *settings.Settings, t Terminal) error {
	about := ""
	if len(s.Args) > 0 {
		about = s.Args[0]
	}
	_, err := fmt.Fprint(t.Out, settings.Help(about))
	return err
}
