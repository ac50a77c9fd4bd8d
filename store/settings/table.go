package settings

import (
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// option is one row of the table of settings.
type option struct {
	name   string // the flag without dashes
	arg    string // what stands for the value in help
	normal string // the default as text, "" for none
	of     string // the commands that take it
	needs  string // the commands that cannot do without it
	secret bool   // never shown; its value may also lie in a file that <name>-file names
	toggle bool   // the flag alone says yes
	list   bool   // several values, which a TOML array may hold
	about  string // for help and README: no full stop at the end
	set    func(s *Settings, text string) error

	secretFile string // for the twin of a secret: the name of the secret
}

// Sets of commands that take a setting.
const (
	serving   = "demo serve check"
	realOnly  = "serve check"
	mailUsers = "serve check test-mail"
	dataUsers = "serve check backup restore compact import calibrate systemd"
	logUsers  = "demo serve check test-mail backup restore compact import calibrate"
	allUsers  = logUsers + " systemd"
)

// options is the table, in the order of the help. A setting is added by a field
// of Settings and a row here.
var options = withSecretFiles([]option{
	{name: "listen", arg: "ADDRESS", normal: ":8080", of: serving + " systemd",
		about: "address to listen on, host:port; without a host, every address of the machine",
		set:   into(address, func(s *Settings) *string { return &s.Listen })},
	{name: "domain", arg: "NAMES", of: realOnly + " systemd", list: true,
		about: "own domain names, separated by commas, the site's own first: HTTPS by itself on port 443, with the redirect on port 80; using it accepts the authority's terms. --listen then names the address for HTTPS, for who forwards port 443; port 80 is not opened beside another port than 443",
		set:   into(domains, func(s *Settings) *[]string { return &s.Domains })},
	{name: "acme-url", arg: "URL", normal: "https://acme-v02.api.letsencrypt.org/directory", of: realOnly,
		about: "directory of the ACME authority that issues the certificates of --domain; http only for this machine",
		set:   into(authorityURL, func(s *Settings) *string { return &s.ACMEURL })},
	{name: "data", arg: "FOLDER", normal: "./vigia-data", of: dataUsers,
		about: "folder of the data; made when missing, for the service's own user only",
		set:   into(path, func(s *Settings) *string { return &s.Data })},
	{name: "base-url", arg: "URL", of: serving + " test-mail",
		about: "public address of the site, without a trailing slash; every absolute link is built from it, so that nobody can subscribe without it",
		set:   into(publicURL, func(s *Settings) *string { return &s.BaseURL })},
	{name: "contact", arg: "E-MAIL", of: serving + " test-mail", needs: realOnly,
		about: "the operator's e-mail address, shown on the site and told to the push services",
		set:   into(emailAddress, func(s *Settings) *string { return &s.Contact })},
	{name: "provider-url", arg: "URL", normal: "https://api.open-meteo.com", of: realOnly,
		about: "weather provider, or another server with the same grammar; http only for this machine",
		set:   into(providerURL, func(s *Settings) *string { return &s.ProviderURL })},
	{name: "archive-url", arg: "URL", normal: "https://archive-api.open-meteo.com", of: realOnly,
		about: "archive of past weather, asked once a day how the estimates did; http only for this machine",
		set:   into(providerURL, func(s *Settings) *string { return &s.ArchiveURL })},
	{name: "provider-key", arg: "KEY", of: realOnly + " calibrate", secret: true,
		about: "key of a contract with the weather provider, which commercial use requires",
		set:   into(secretText, func(s *Settings) *string { return &s.ProviderKey })},
	{name: "models", arg: "NAMES", normal: "ecmwf_ifs,ncep_gfs_global,dwd_icon_global,cmc_gem_gdps", of: serving + " calibrate", list: true,
		about: "weather models to ask, separated by commas",
		set: func(s *Settings, text string) (err error) {
			s.Models, err = modelNames(text, s.canonicalModel)
			return err
		}},
	{name: "catalogue", arg: "FILE", of: serving + " import calibrate",
		about: "catalogue of parks and trails in place of the built-in one",
		set:   into(path, func(s *Settings) *string { return &s.Catalogue })},
	{name: "smtp-host", arg: "HOST", of: mailUsers,
		about: "mail relay; without one nobody can subscribe by e-mail",
		set:   into(relayHost, func(s *Settings) *string { return &s.SMTPHost })},
	{name: "smtp-port", arg: "PORT", normal: "587", of: mailUsers,
		about: "port of the mail relay; usually 587 with starttls, 465 with tls",
		set:   into(whole(1, 65535), func(s *Settings) *int { return &s.SMTPPort })},
	{name: "smtp-user", arg: "NAME", of: mailUsers,
		about: "user at the mail relay; without one it is not asked to log in",
		set:   into(freeText, func(s *Settings) *string { return &s.SMTPUser })},
	{name: "smtp-password", arg: "PASSWORD", of: mailUsers, secret: true,
		about: "password at the mail relay",
		set:   into(freeText, func(s *Settings) *string { return &s.SMTPPassword })},
	{name: "smtp-from", arg: "E-MAIL", of: mailUsers,
		about: "address from which mails are sent; required with --smtp-host",
		set:   into(emailAddress, func(s *Settings) *string { return &s.SMTPFrom })},
	{name: "smtp-tls", arg: "MODE", normal: "starttls", of: mailUsers,
		about: "starttls, tls (from the first byte) or none (only for a relay on this machine)",
		set:   into(oneOf("starttls", "tls", "none"), func(s *Settings) *string { return &s.SMTPTLS })},
	{name: "dkim-key", arg: "FILE", of: mailUsers,
		about: "private key in PEM, RSA or Ed25519, with which mails are signed; not needed where the relay signs",
		set:   into(path, func(s *Settings) *string { return &s.DKIMKey })},
	{name: "dkim-selector", arg: "NAME", normal: "vigia", of: mailUsers,
		about: "selector under which the public key stands in the DNS: NAME._domainkey and the domain of --smtp-from",
		set:   into(hostNameText, func(s *Settings) *string { return &s.DKIMSelector })},
	{name: "push-hosts", arg: "HOSTS", of: realOnly, list: true,
		about: "push services besides those of the known browsers, separated by commas: hosts, *.domain for all below it, or an origin in full such as http://127.0.0.1:9999, which is taken as written",
		set:   into(pushHosts, func(s *Settings) *[]string { return &s.PushHosts })},
	{name: "trusted-proxies", arg: "NETWORKS", of: serving, list: true,
		about: "proxies in front, as addresses or CIDR networks separated by commas; only theirs is the X-Forwarded-For that is believed",
		set:   into(networks, func(s *Settings) *[]netip.Prefix { return &s.TrustedProxies })},
	{name: "rate-limit", arg: "N", normal: "100", of: serving,
		about: "requests in 60 seconds per client; 0 turns the limit off, and that of subscriptions (5 an hour, 20 a day) with it",
		set:   into(whole(0, 1_000_000), func(s *Settings) *int { return &s.RateLimit })},
	{name: "volcano-url", arg: "URL", of: realOnly,
		about: "feed of the technical alert levels of volcanoes, polled each hour: JSON as for import volcanes; http only for this machine",
		set:   into(feedURL, func(s *Settings) *string { return &s.VolcanoURL })},
	{name: "closures-url", arg: "URL", of: realOnly,
		about: "feed of the closures of parks and trails, polled each hour: JSON as for import cierres; http only for this machine",
		set:   into(feedURL, func(s *Settings) *string { return &s.ClosuresURL })},
	{name: "metrics-listen", arg: "ADDRESS", of: serving,
		about: "address for the figures in the text form of Prometheus, at /metrics, such as 127.0.0.1:9090; anybody who reaches it can read them",
		set:   into(metricsAddress, func(s *Settings) *string { return &s.MetricsListen })},
	{name: "log-format", arg: "FORMAT", normal: "auto", of: logUsers,
		about: "auto, text or json; auto is text on a terminal, text with priorities for the journal of systemd, and json otherwise",
		set:   into(oneOf("auto", "text", "json"), func(s *Settings) *string { return &s.LogFormat })},
	{name: "log-level", arg: "LEVEL", normal: "info", of: logUsers,
		about: "debug, info, warn or error",
		set:   into(logLevel, func(s *Settings) *slog.Level { return &s.LogLevel })},
	{name: "history-url", arg: "URL", normal: "https://historical-forecast-api.open-meteo.com", of: "calibrate",
		about: "archive of the weather provider's forecasts; http only for this machine",
		set:   into(providerURL, func(s *Settings) *string { return &s.HistoryURL })},
	{name: "from", arg: "DATE", of: "calibrate",
		about: "first day, YYYY-MM-DD; without it, --days before the last",
		set:   into(day, func(s *Settings) *time.Time { return &s.From })},
	{name: "to", arg: "DATE", of: "calibrate",
		about: "last day, YYYY-MM-DD; without it, the day before yesterday",
		set:   into(day, func(s *Settings) *time.Time { return &s.To })},
	{name: "days", arg: "N", normal: "30", of: "calibrate",
		about: "number of days where --from does not tell, 1 to 731",
		set:   into(whole(1, longestSpan), func(s *Settings) *int { return &s.Days })},
	{name: "csv", arg: "yes", of: "calibrate", toggle: true,
		about: "comma-separated values, every hazard of every trail, in place of tables; the flag alone says yes",
		set:   into(yes, func(s *Settings) *bool { return &s.CSV })},
	{name: "binary", arg: "FILE", of: "systemd",
		about: "path of the program in the unit; without it, that of the program that makes the unit",
		set:   into(path, func(s *Settings) *string { return &s.Binary })},
	{name: "speed", arg: "N", normal: "1", of: "demo",
		about: "how much faster than real the clock of the demo runs, 1 to 3600",
		set:   into(whole(1, 3600), func(s *Settings) *int { return &s.Speed })},
	{name: "seed", arg: "N", normal: "1", of: "demo",
		about: "the made-up weather of the demo follows from this number",
		set:   into(seed, func(s *Settings) *uint64 { return &s.Seed })},
	{name: "config", arg: "FILE", of: allUsers,
		about: "file of settings, a line of name = value each; # begins a comment",
		set:   into(path, func(s *Settings) *string { return &s.Config })},
})

// into makes a row's set function of a parser and the field that it fills.
func into[T any](parse func(string) (T, error), field func(*Settings) *T) func(*Settings, string) error {
	return func(s *Settings, text string) (err error) {
		*field(s), err = parse(text)
		return err
	}
}

// withSecretFiles puts after each secret the setting that names a file with its
// value, so that it need not stand in a command line or an environment.
func withSecretFiles(rows []option) []option {
	var all []option
	for _, o := range rows {
		all = append(all, o)
		if o.secret {
			all = append(all, option{
				name: o.name + "-file", arg: "FILE", of: o.of, secretFile: o.name,
				about: "file that holds the value of --" + o.name,
			})
		}
	}
	return all
}

// usedBy tells whether a command takes the setting.
func (o *option) usedBy(command string) bool { return among(command, o.of) }

// neededBy tells whether a command cannot do without the setting.
func (o *option) neededBy(command string) bool { return among(command, o.needs) }

func among(word, words string) bool { return slices.Contains(strings.Fields(words), word) }

// variable is the setting's name in the environment.
func (o *option) variable() string {
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(o.name, "-", "_"))
}

// findOption finds a row by the name that spell makes of it, or nil.
func findOption(name string, spell func(*option) string) *option {
	for i := range options {
		if spell(&options[i]) == name {
			return &options[i]
		}
	}
	return nil
}

func (o *option) flagName() string { return o.name }
