// Package settings turns what the operator says into typed settings, and says
// plainly what is wrong with it.
//
// Everything hangs on one table (options in table.go): a row makes a flag, an
// environment variable, a key of the settings file, a paragraph of the help and
// a line of the README. Data passes through in one direction: flags, environment
// and file are read into values with their origin (sources.go, file.go) → the
// value of highest precedence is checked and stored in [Settings] (resolve.go, by
// the parsers of values.go) → all faults together, or the settings.
//
// Precedence: flag, environment, file, default. Nothing that is misspelt is
// passed over: an unknown flag, key or VIGIA_ variable is a fault.
package settings

import (
	"log/slog"
	"net/netip"
	"strings"
	"time"
)

// Settings are the values that hold, checked. A setting that the command does
// not take, or that has no value, is the zero value of its type.
type Settings struct {
	Command string   // one of Commands
	Args    []string // what follows the command beside flags, as its usage allows

	Listen         string         // host:port; an empty host means every address of the machine; of HTTPS where there are Domains
	Domains        []string       // own domains in lower case and ASCII, the site's own first; none means no HTTPS by itself
	ACMEURL        string         // directory of the authority of the certificates
	Data           string         // folder of the live data
	BaseURL        string         // public address without a trailing slash, or ""
	Contact        string         // operator's e-mail address, or ""
	ProviderURL    string         // base of the weather provider without a trailing slash
	ArchiveURL     string         // base of the archive of past weather without a trailing slash
	ProviderKey    string         // secret; "" without a contract with the provider
	Models         []string       // weather models in the order asked, at least one, each once
	Catalogue      string         // path of the operator's own catalogue, "" for the embedded one
	SMTPHost       string         // mail relay, or "" for no e-mail
	SMTPPort       int            // 1-65535
	SMTPUser       string         // "" for no login
	SMTPPassword   string         // secret
	SMTPFrom       string         // address, not "" where SMTPHost is not
	SMTPTLS        string         // starttls, tls or none; none only where SMTPHost is this machine
	DKIMKey        string         // path of a private key in PEM, or ""
	DKIMSelector   string         // name in the DNS
	PushHosts      []string       // push services besides the known ones: hosts, *.domain or origins
	TrustedProxies []netip.Prefix // proxies whose X-Forwarded-For is believed
	RateLimit      int            // requests in 60 s per client; 0 means no limit
	VolcanoURL     string         // feed of volcanic alert levels, or ""
	ClosuresURL    string         // feed of closures, or ""
	MetricsListen  string         // host:port, or "" for no metrics
	LogFormat      string         // auto, text or json
	LogLevel       slog.Level
	Config         string // path of the settings file, or ""
	Binary         string // systemd: path of the program, or "" for this one
	Speed          int    // demo: seconds that the clock moves in one, 1-3600
	Seed           uint64 // demo: the made-up weather follows from it

	HistoryURL string    // calibrate: base of the archived forecasts without a trailing slash
	From, To   time.Time // calibrate: first and last day, midnight UTC; zero when not said
	Days       int       // calibrate: days where From is not said
	CSV        bool      // calibrate: not tables

	canonicalModel func(string) (string, bool)
	rows           []Row
}

// Row is one setting in force, for people to read.
type Row struct {
	Name   string // the flag without dashes
	Value  string // as it was written; "(none)" without one, "(hidden)" for a secret
	Origin string // "default", "--flag", "VIGIA_NAME" or "file:line"
}

// Effective lists the settings of the command in the order of the help, each
// with its origin. The values of secrets are not among it.
func (s *Settings) Effective() []Row { return append([]Row(nil), s.rows...) }

// IsDefault tells whether nobody set a setting, named by its flag without dashes.
func (s *Settings) IsDefault(name string) bool {
	for _, row := range s.rows {
		if row.Name == name {
			return row.Origin == "default"
		}
	}
	return true
}

// UsageError says what is wrong with a command line and the settings around it.
// The program prints it and ends with status 2.
type UsageError struct {
	Command string   // as it was asked for
	Lines   []string // every fault, one line each: what was set where, and what is allowed
}

// Error gives the lines.
func (e *UsageError) Error() string { return strings.Join(e.Lines, "\n") }

// Parse reads the settings of a command. args is what follows the command,
// environ is in the form of os.Environ, readFile reads the settings file and the
// files of secrets. canonicalModel knows the weather models and their aliases;
// with nil every well-formed name is taken as it is.
//
// A call for help (-h, --help) anywhere becomes the command help with the asked
// command as its argument, whatever else is wrong. Any other fault is a
// [*UsageError] that holds all of them.
func Parse(command string, args, environ []string, readFile func(string) ([]byte, error),
	canonicalModel func(name string) (canonical string, known bool)) (*Settings, error) {
	c, fault := findCommand(command)
	if fault != "" {
		return nil, &UsageError{Command: command, Lines: []string{fault}}
	}
	in := &input{command: c, readFile: readFile, values: map[string]value{}}
	in.readArgs(args)
	if in.wantsHelp {
		return &Settings{Command: "help", Args: []string{c.Name}}, nil
	}
	in.checkPositional()
	if c.takesSettings() {
		in.readEnvironment(environ)
		in.readConfig()
	}
	s := &Settings{Command: c.Name, Args: in.positional, canonicalModel: canonicalModel}
	in.resolve(s)
	in.checkDomain(s)
	in.checkMetrics(s)
	in.checkMail(s)
	if len(in.faults) > 0 {
		return nil, &UsageError{Command: c.Name, Lines: in.faults}
	}
	return s, nil
}
