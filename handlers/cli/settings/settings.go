// Package settings reads the command line, the environment and the settings file into
// typed [Settings], or names every fault of them at once.
//
// kong reads the command line by the fields of [Settings] and the commands of grammar: a
// field makes a flag, an environment variable, a key of the settings file, a paragraph of
// the help and a line of the README. kong takes the flags, then the values of the
// environment and the file (sources.go, file.go). The parsers of values.go and
// addresses.go check each value; their errors are kept and named together (check.go).
//
// Precedence: flag, environment, file, default. An unknown flag or key is a fault. An
// unknown VIGIA_ variable is only warned of: container platforms set such names themselves.
package settings

import (
	"cmp"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"vigia/store/subscription"
)

// Settings are the checked values in force. A setting that the command does not take, or
// that has no value, is the zero value of its type.
//
// Beside kong's tags: of names the commands that take a setting, needs those that require
// it, with another setting without which it means nothing. A secret is never shown, and its value may be in the file that the setting of the
// same name with -file names. DKIMKey is the text of the file that --dkim-key names.
type Settings struct {
	Command string   `kong:"-"` // one of those in grammar
	Args    []string `kong:"-"` // what follows the command beside flags

	Listen           string                 `type:"address" placeholder:"ADDRESS" default:":8080" of:"demo serve check" help:"address to listen on, host:port; without a host, every address of the machine"`
	Domains          []string               `name:"domain" type:"domains" placeholder:"NAMES" of:"serve check" help:"own domain names, separated by commas, the site's own first: HTTPS by itself on port 443, with the redirect on port 80; using it accepts the authority's terms. --listen then names the address for HTTPS, for who forwards port 443; port 80 is not opened beside another port than 443"`
	ACMEURL          string                 `name:"acme-url" type:"authority" placeholder:"URL" default:"https://acme-v02.api.letsencrypt.org/directory" with:"domain" of:"serve check" help:"directory of the ACME authority that issues the certificates of --domain; http only for this machine"`
	Data             string                 `type:"file" placeholder:"FOLDER" default:"./vigia-data" of:"serve check backup restore compact unblock import calibrate systemd catalogue-heights" help:"folder of the data; made when missing, for the service's own user only"`
	BaseURL          string                 `name:"base-url" type:"public-url" placeholder:"URL" of:"demo serve check test-mail" help:"public address of the site, without a trailing slash; every absolute link is built from it, so that nobody can subscribe without it"`
	Contact          string                 `type:"email" placeholder:"E-MAIL" of:"demo serve check test-mail" needs:"serve check" help:"the operator's e-mail address, shown on the site and told to the push services"`
	OperatorName     string                 `type:"text" placeholder:"NAME" of:"demo serve check" help:"who answers for the personal data of subscribers, a person or a body; on the privacy page, as Ley 21.719 asks"`
	OperatorAddress  string                 `type:"text" placeholder:"TEXT" of:"demo serve check" help:"their postal address, on the privacy page"`
	ProviderURL      string                 `name:"provider-url" type:"provider-url" placeholder:"URL" default:"https://api.open-meteo.com" of:"serve check catalogue-heights" help:"weather provider, or another server with the same grammar; http only for this machine"`
	ArchiveURL       string                 `name:"archive-url" type:"provider-url" placeholder:"URL" default:"https://archive-api.open-meteo.com" of:"serve check" help:"archive of past weather, asked once a day how the estimates did; http only for this machine"`
	ProviderKey      string                 `type:"key" placeholder:"KEY" secret:"" of:"serve check calibrate catalogue-heights" help:"key of a contract with the weather provider, which commercial use requires"`
	ProviderKeyFile  string                 `type:"file" placeholder:"FILE" of:"serve check calibrate catalogue-heights" help:"file that holds the value of --provider-key"`
	Models           []string               `type:"models" placeholder:"NAMES" default:"ecmwf_ifs,ncep_gfs_global,dwd_icon_global,cmc_gem_gdps" of:"demo serve check calibrate" help:"weather models to ask, separated by commas"`
	WindAloft        bool                   `type:"yes" placeholder:"YES" default:"yes" of:"demo serve check calibrate" help:"ask for the wind in the free air at passes and glaciers of 800 m and more, which informs and gives no state; --wind-aloft=no turns it off"`
	Ensembles        bool                   `type:"yes" placeholder:"YES" default:"yes" of:"demo serve check" help:"ask two ensembles for their mean and spread at those places; the probabilities are logged and scored and give no state; --ensembles=no turns it off"`
	Catalogue        string                 `type:"file" placeholder:"FILE" of:"demo serve check import calibrate catalogue-heights" help:"catalogue of parks and trails in place of the built-in one"`
	Map              string                 `type:"file" placeholder:"FILE" of:"demo serve check" help:"an operator's own map of their region in one PMTiles file of vector tiles, made as the Protomaps basemaps are, shown below the signs of the map from near; another takes its place at a restart, moved there, not written over it"`
	SMTPHost         string                 `name:"smtp-host" type:"relay" placeholder:"HOST" of:"serve check test-mail" needs:"test-mail" help:"mail relay; without one nobody can subscribe by e-mail"`
	SMTPPort         int                    `name:"smtp-port" type:"port" placeholder:"PORT" default:"587" with:"smtp-host" of:"serve check test-mail" help:"port of the mail relay; usually 587 with starttls, 465 with tls"`
	SMTPUser         string                 `name:"smtp-user" type:"text" placeholder:"NAME" with:"smtp-host" of:"serve check test-mail" help:"user at the mail relay; without one it is not asked to log in"`
	SMTPPassword     string                 `name:"smtp-password" type:"text" placeholder:"PASSWORD" secret:"" with:"smtp-host" of:"serve check test-mail" help:"password at the mail relay"`
	SMTPPasswordFile string                 `name:"smtp-password-file" type:"file" placeholder:"FILE" with:"smtp-host" of:"serve check test-mail" help:"file that holds the value of --smtp-password"`
	SMTPFrom         string                 `name:"smtp-from" type:"email" placeholder:"E-MAIL" with:"smtp-host" of:"serve check test-mail" help:"address from which mails are sent; required with --smtp-host"`
	SMTPTLS          string                 `name:"smtp-tls" type:"tls" placeholder:"MODE" default:"starttls" with:"smtp-host" of:"serve check test-mail" help:"starttls, tls (from the first byte) or none (only for a relay on this machine)"`
	DKIMKey          string                 `name:"dkim-key" type:"pem" placeholder:"FILE" with:"smtp-host" of:"serve check test-mail" help:"private key in PEM, RSA or Ed25519, with which mails are signed; not needed where the relay signs"`
	DKIMSelector     string                 `name:"dkim-selector" type:"selector" placeholder:"NAME" default:"vigia" with:"smtp-host" of:"serve check test-mail" help:"selector under which the public key stands in the DNS: NAME._domainkey and the domain of --smtp-from"`
	PushHosts        subscription.PushHosts `type:"push-hosts" placeholder:"HOSTS" of:"serve check" help:"push services besides those of the known browsers, separated by commas: hosts, *.domain for all below it, or an origin in full such as http://127.0.0.1:9999, which is taken as written"`
	PushRate         int                    `type:"push-rate" placeholder:"N" default:"100" of:"demo serve check" help:"messages a second to each push service at the most; those of danger go first"`
	TrustedProxies   []netip.Prefix         `type:"networks" placeholder:"NETWORKS" of:"demo serve check" help:"proxies in front, as addresses or CIDR networks separated by commas; only theirs is the X-Forwarded-For that is believed"`
	RateLimit        int                    `type:"rate-limit" placeholder:"N" default:"100" of:"demo serve check" help:"requests in 60 seconds per client; 0 turns the limit off, and that of subscriptions with it (5 an hour per IPv6 /64, 60 per IPv4 address)"`
	VolcanoURL       string                 `name:"volcano-url" type:"feed" placeholder:"URL" of:"serve check" help:"feed of the technical alert levels of volcanoes, polled each hour: JSON as for import volcanes; http only for this machine"`
	ClosuresURL      string                 `name:"closures-url" type:"feed" placeholder:"URL" of:"serve check" help:"feed of the closures of parks and trails, polled each hour: JSON as for import cierres; http only for this machine"`
	MetricsListen    string                 `type:"metrics" placeholder:"ADDRESS" of:"demo serve check" help:"address for the figures in the text form of Prometheus, at /metrics, such as 127.0.0.1:9090; anybody who reaches it can read them"`
	LogFormat        string                 `type:"log-format" placeholder:"FORMAT" default:"auto" of:"demo serve check test-mail backup restore compact unblock import calibrate catalogue-heights" help:"auto, text or json; auto is text on a terminal, text with priorities for the journal of systemd, and json otherwise"`
	LogLevel         slog.Level             `type:"log-level" placeholder:"LEVEL" default:"info" of:"demo serve check test-mail backup restore compact unblock import calibrate catalogue-heights" help:"debug, info, warn or error"`

	HistoryURL string    `name:"history-url" type:"provider-url" placeholder:"URL" default:"https://historical-forecast-api.open-meteo.com" of:"calibrate" help:"archive of the weather provider's forecasts; http only for this machine"`
	From       time.Time `type:"day" placeholder:"DATE" of:"calibrate" help:"first day, YYYY-MM-DD; without it, --days before the last"`
	To         time.Time `type:"day" placeholder:"DATE" of:"calibrate" help:"last day, YYYY-MM-DD; without it, the day before yesterday"`
	Days       int       `type:"days" placeholder:"N" default:"30" of:"calibrate" help:"number of days where --from does not tell, 1 to 731"`
	CSV        bool      `type:"yes" of:"calibrate" help:"comma-separated values, every hazard of every trail, in place of tables; the flag alone says yes"`

	Binary string `type:"file" placeholder:"FILE" of:"systemd" help:"path of the program in the unit; without it, that of the program that makes the unit"`
	Speed  int    `type:"speed" placeholder:"N" default:"1" of:"demo" help:"how much faster than real the clock of the demo runs, 1 to 3600"`
	Seed   int    `type:"seed" placeholder:"N" default:"1" of:"demo" help:"the made-up weather of the demo follows from this number"`
	Config string `type:"file" placeholder:"FILE" of:"demo serve check test-mail backup restore compact unblock import calibrate systemd catalogue-heights" help:"file of settings in TOML, a line of name = 'value' each"`

	Rows     []Row    `kong:"-"` // every setting in force, in the order of the help; the values of secrets are hidden
	Files    []Row    `kong:"-"` // the files that settings name and the service reads, the settings file aside
	Warnings []string `kong:"-"` // likely mistakes that do not stop the command, one line each
}

// Simulate sets what the demo has no settings for: the folder of its data, the simulated
// weather and a mail relay, which nothing connects to.
func (s *Settings) Simulate(folder, weather string) {
	s.Data, s.ProviderURL, s.ArchiveURL = folder, weather, weather
	s.SMTPHost, s.SMTPPort, s.SMTPTLS, s.SMTPFrom = "localhost", 25, "none", "alertas@vigia.example"
	s.Contact = cmp.Or(s.Contact, "operador@vigia.example")
}

// Row is one setting in force, for people to read.
type Row struct {
	Name   string // the flag without dashes
	Value  string // as it was written; "(none)" without one, "(hidden)" for a secret
	Origin string // "default", "--flag", "VIGIA_NAME" or "file:line"
}

// UsageError lists what is wrong with a command line and its settings. The program prints
// it and ends with status 2.
type UsageError struct {
	Command string   // as it was typed
	Lines   []string // every fault, one line each: what was set where, and what is allowed
}

// Error returns the lines.
func (e *UsageError) Error() string { return strings.Join(e.Lines, "\n") }

// Parse reads the settings of a command. args follow the command, environ is in the form
// of os.Environ, readFile reads the settings file and the files of secrets.
// canonicalModel returns the canonical name of a weather model or its alias; with nil
// every well-formed name is taken as it is.
//
// With -h or --help anywhere the command is help, with the typed command as its argument
// ("catalogue heights" of one with others below it), whatever else is wrong. The error is a [*UsageError] with every fault.
func Parse(command string, args, environ []string, readFile func(string) ([]byte, error),
	canonicalModel func(name string) (canonical string, known bool)) (*Settings, error) {
	in := newInput(readFile, canonicalModel)
	s := &in.grammar.Settings
	switch command {
	case "-h", "--help":
		command = "help"
	case "--version":
		command = "version"
	}
	s.Command, in.command = command, command
	if !in.isCommand(command) {
		return nil, &UsageError{Command: command, Lines: in.faults}
	}
	if wantsHelp(args) {
		return &Settings{Command: "help", Args: []string{in.subject(args)}}, nil
	}
	in.readArgs(args)
	if len(in.flags()) > 0 { // help and its like work in any environment
		in.readEnvironment(environ)
		in.readConfig()
		in.readSecrets()
		in.imply()
	}
	in.resolve()
	if command == "help" && len(s.Args) > 0 {
		in.isCommand(s.Args[0])
	}
	if !in.unread {
		in.check(s)
	}
	if len(in.faults) > 0 {
		return nil, &UsageError{Command: command, Lines: in.faults}
	}
	s.Warnings = in.warnings
	return s, nil
}
