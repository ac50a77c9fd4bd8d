package systemd

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"vigia/handlers/cli/settings"
)

//go:embed vigia.service.tmpl
var unitText string

var unitTemplate = template.Must(template.New("unit").Option("missingkey=error").Parse(unitText))

// unit is what differs from one machine to another.
type unit struct {
	Binary string // path of the program
	Config string // path of the settings file
	Folder string // of the settings file
	Data   string // folder below stateRoot
	State  string // Data from stateRoot on
}

// stateRoot is where systemd makes folders that belong to a service's user.
const stateRoot = "/var/lib/"

// The paths of a unit for which no other is named.
const (
	usualConfig = "/etc/vigia/vigia.conf"
	usualData   = stateRoot + "vigia"
)

// WriteUnit writes a hardened unit that runs the service, with the program, the settings
// file and the folder of the data that s names. The error is a [*settings.UsageError]
// with every fault of them.
func WriteUnit(w io.Writer, s *settings.Settings) error {
	u := unit{Binary: s.Binary, Config: cmp.Or(s.Config, usualConfig), Data: filepath.Clean(s.Data)}
	if u.Binary == "" {
		path, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find the path of this program: %w; name it with --binary", err)
		}
		u.Binary = path
	}
	if path, err := filepath.Abs(u.Config); err == nil {
		u.Config = path
	}
	if slices.Contains(s.Rows, settings.Row{Name: "data", Value: s.Data, Origin: "default"}) {
		u.Data = usualData
	}
	u.Folder, u.State = filepath.Dir(u.Config), strings.TrimPrefix(u.Data, stateRoot)
	if faults := u.faults(); len(faults) > 0 {
		return &settings.UsageError{Command: s.Command, Lines: faults}
	}
	return unitTemplate.Execute(w, u)
}

// faults returns what a unit could not run, or would read as something else.
func (u *unit) faults() (lines []string) {
	switch {
	case !plainPath.MatchString(u.Binary):
		lines = append(lines, fmt.Sprintf("--binary %q: must be a path from the root, of letters, digits and ._-/ alone", u.Binary))
	case hidden(u.Binary):
		lines = append(lines, fmt.Sprintf("--binary %q: the service would not see it there; must be outside homes and temporary folders, for example after: sudo install vigia /usr/local/bin", u.Binary))
	}
	if !plainPath.MatchString(u.Config) {
		lines = append(lines, fmt.Sprintf("--config %q: must be a path of letters, digits and ._-/ alone", u.Config))
	}
	if u.State == u.Data || !plainPath.MatchString(u.Data) || strings.HasPrefix(u.State, "private") {
		lines = append(lines, fmt.Sprintf("--data %q: must be a folder below %s, which systemd makes for the service's own user, such as %s; for another disk, mount it there", u.Data, stateRoot, usualData))
	}
	return lines
}

// plainPath matches a path from the root in which every letter means itself to systemd.
var plainPath = regexp.MustCompile(`^/[A-Za-z0-9._/-]*$`)

// hidden reports whether a path is one that the unit keeps the service from seeing.
func hidden(path string) bool {
	roots := []string{"/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"}
	return slices.ContainsFunc(roots, func(root string) bool { return strings.HasPrefix(filepath.Clean(path), root) })
}
