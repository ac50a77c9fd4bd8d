package cli

import (
	"runtime/debug"
	"strings"
)

// version is that of the next release, whose tag it is. Builds before it differ by their
// commit.
const version = "v0.1.0-alpha"

// Build describes from what a program was built.
type Build struct {
	Version string
	Commit  string // in full, or ""
	Changed bool   // the sources were not as the commit has them
	Go      string // version of Go
	Target  string // processor and its version, such as arm 6
}

// ReadBuild reads what the compiler wrote into this program.
func ReadBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Build{Version: version}
	}
	return describe(info)
}

func describe(info *debug.BuildInfo) Build {
	b := Build{Version: version, Go: info.GoVersion}
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

// String returns the build on one line.
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
