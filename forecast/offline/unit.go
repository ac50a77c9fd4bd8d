package offline

import (
	"context"
	_ "embed"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"vigia/store/settings"
)

//go:embed vigia.service.tmpl
var unitText string

var unitTemplate = template.Must(template.New("unit").Option("missingkey=error").Parse(unitText))

// unit is what differs from one machine to another.
type unit struct {
	Name    string // of the unit
	Binary  string // path of the program
	Config  string // path of the settings
	Data    string // folder below stateRoot
	State   string // the same, from there on
	User    string
	LowPort bool // it listens on a port that is the system's
}

// stateRoot is where systemd makes folders that belong to a service's user.
const stateRoot = "/var/lib/"

// Where a unit finds what nobody named.
const (
	usualConfig = "/etc/vigia/vigia.conf"
	usualData   = stateRoot + "vigia"
)

// Unit prints a unit for systemd that runs the service shut in as tightly as it
// bears: with the program, the settings and the folder of the data that were named.
func Unit(_ context.Context, s *settings.Settings, t Terminal) error {
	u := unit{Name: "vigia", User: "vigia", Binary: s.Binary, Config: s.Config, LowPort: lowPort(s.Listen) || len(s.Domains) > 0 && s.IsDefault("listen")}
	var faults []string
	wrong := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if u.Binary == "" {
		path, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find the path of this program: %w; name it with --binary", err)
		}
		u.Binary = path
	}
	switch {
	case !plainPath(u.Binary):
		wrong("--binary %q: must be a path from the root, of letters, digits and ._-/ alone", u.Binary)
	case hidden(u.Binary):
		wrong("--binary %q: the service would not see it there; must be outside homes and temporary folders, for example after: sudo install vigia /usr/local/bin", u.Binary)
	}
	if u.Config == "" {
		u.Config = usualConfig
	}
	if path, err := filepath.Abs(u.Config); err == nil {
		u.Config = path
	}
	if !plainPath(u.Config) {
		wrong("--config %q: must be a path of letters, digits and ._-/ alone", u.Config)
	}
	if u.Data = s.Data; s.IsDefault("data") {
		u.Data = usualData
	}
	u.Data = filepath.Clean(u.Data)
	below := false
	if u.State, below = strings.CutPrefix(u.Data, stateRoot); !below || !plainPath(u.Data) || strings.HasPrefix(u.State, "private") {
		wrong("--data %q: must be a folder below %s, which systemd makes for the service's own user, such as %s; for another disk, mount it there", u.Data, stateRoot, usualData)
	}
	if len(faults) > 0 {
		return &settings.UsageError{Command: s.Command, Lines: faults}
	}
	return unitTemplate.Execute(t.Out, u)
}

// lowPort tells whether an address, host:port, has a port that only the system may
// listen on.
func lowPort(address string) bool {
	_, port, err := net.SplitHostPort(address)
	n, notNumber := strconv.Atoi(port)
	return err == nil && notNumber == nil && n > 0 && n < 1024
}

// plainPath tells whether a path begins at the root and has nothing that systemd
// reads as more than a letter.
func plainPath(path string) bool {
	return filepath.IsAbs(path) && !strings.ContainsFunc(path, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-/", r)
	})
}

// hidden tells whether a path is one that the unit keeps the service from seeing.
func hidden(path string) bool {
	for _, root := range []string{"/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"} {
		if strings.HasPrefix(filepath.Clean(path), root) {
			return true
		}
	}
	return false
}
