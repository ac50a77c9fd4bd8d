package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// samples gives three values that each setting accepts, all different from its
// default, so that precedence can be seen.
var samples = map[string][3]string{
	"smtp-host":        {"smtp.b.cl", "127.0.0.1", "localhost"},
	"smtp-port":        {"25", "465", "2525"},
	"smtp-user":        {"ana", "ana@b.cl", "u s"},
	"smtp-password":    {"a b c", "ñ", "x"},
	"smtp-from":        {"avisos@b.cl", "b@c.cl", "c@d.cl"},
	"smtp-tls":         {"tls", "none", "starttls"},
	"dkim-key":         {"/a.pem", "b.pem", "c"},
	"dkim-selector":    {"s1", "s2", "a.b"},
	"push-hosts":       {"push.b.cl", "*.b.cl,https://push.c.cl:8443", "http://127.0.0.1:9999"},
	"push-rate":        {"1", "7", "1000"},
	"listen":           {":1", "127.0.0.1:0", "[::1]:65535"},
	"domain":           {"a.example.cl", "b.example.cl,c.example.cl", "xn--vigia-example.cl"},
	"acme-url":         {"https://acme.b.cl/dir", "http://127.0.0.1:14000/dir", "https://acme.c.cl:14000/dir"},
	"metrics-listen":   {"127.0.0.1:9090", "[::1]:9091", "0.0.0.0:9092"},
	"data":             {"/a", "b/c", "./d e"},
	"base-url":         {"https://a.example.cl", "http://127.0.0.1:8080", "https://[2001:db8::1]"},
	"contact":          {"a@b.cl", "uno.dos+tres@example.cl", "o'neill@sub.example.org"},
	"operator-name":    {"Ana Soto", "Fundación Cerro SpA", "x"},
	"operator-address": {"Calle Uno 23, Punta Arenas", "b", "c # d"},
	"provider-url":     {"https://x.example.org", "http://127.0.0.1:9/base", "http://[::1]:9"},
	"provider-key":     {"k1", "k2", "k3"},
	"models":           {"ecmwf_ifs", "dwd_icon_global", "cmc_gem_gdps,ecmwf_ifs"},
	"wind-aloft":       {"no", "false", "no"},
	"ensembles":        {"no", "false", "no"},
	"map":              {"a.pmtiles", "/b.pmtiles", "c d.pmtiles"},
	"catalogue":        {"a.json", "/b.json", "c d.json"},
	"trusted-proxies":  {"10.0.0.1", "10.0.0.0/8,::1", "fd00::/8"},
	"rate-limit":       {"0", "7", "1000000"},
	"log-format":       {"text", "json", "text"},
	"log-level":        {"debug", "warn", "error"},
	"volcano-url":      {"https://x.cl/v.json", "http://127.0.0.1:9/v?a=b,c", "https://x.cl"},
	"closures-url":     {"https://x.cl/c.json", "http://[::1]:9/c", "https://x.cl"},
	"archive-url":      {"https://x.example.org", "http://127.0.0.1:9/base", "http://[::1]:9"},
	"history-url":      {"https://x.example.org", "http://127.0.0.1:9/base", "http://[::1]:9"},
	"from":             {"2026-01-02", "2026-02-28", "2024-02-29"},
	"to":               {"2026-01-02", "2026-02-28", "2024-02-29"},
	"days":             {"1", "7", "731"},
	"csv":              {"yes", "true", "yes"},
	"binary":           {"/usr/bin/vigia", "/usr/local/bin/vigia", "/opt/vigia"},
	"speed":            {"2", "60", "3600"},
	"seed":             {"0", "7", "2147483647"},
	"config":           {"a.conf", "b.conf", "c.conf"},
}

// files is a made-up disk.
type files map[string]string

func (f files) read(name string) ([]byte, error) {
	if text, ok := f[name]; ok {
		return []byte(text), nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func knownModel(name string) (string, bool) {
	if name == "gfs_global" {
		return "ncep_gfs_global", true
	}
	return name, slices.Contains([]string{"ecmwf_ifs", "ncep_gfs_global", "dwd_icon_global", "cmc_gem_gdps"}, name)
}

func mustParse(t *testing.T, command string, args, environ []string, disk files) *Settings {
	t.Helper()
	s, err := Parse(command, args, environ, disk.read, knownModel)
	if err != nil {
		t.Fatalf("Parse(%s, %q, %q): %v", command, args, environ, err)
	}
	return s
}

// faultsOf expects a usage error and gives its lines.
func faultsOf(t *testing.T, command string, args, environ []string, disk files) []string {
	t.Helper()
	s, err := Parse(command, args, environ, disk.read, knownModel)
	var usage *UsageError
	if !errors.As(err, &usage) {
		t.Fatalf("Parse(%s, %q, %q) = %+v, %v; want a usage error", command, args, environ, s, err)
	}
	if s != nil {
		t.Errorf("Parse gives settings beside a fault: %+v", s)
	}
	for _, line := range usage.Lines {
		if line == "" || strings.ContainsAny(line, "\n\r") {
			t.Errorf("fault %q is not one line", line)
		}
	}
	if usage.Error() != strings.Join(usage.Lines, "\n") {
		t.Errorf("Error() = %q, want the lines %q", usage.Error(), usage.Lines)
	}
	return usage.Lines
}

func wantFault(t *testing.T, lines []string, parts ...string) {
	t.Helper()
	for _, line := range lines {
		if !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(line, p) }) {
			return
		}
	}
	t.Errorf("no fault says all of %q; faults:\n%s", parts, strings.Join(lines, "\n"))
}

func rowOf(s *Settings, name string) Row {
	for _, r := range s.Rows {
		if r.Name == name {
			return r
		}
	}
	return Row{}
}

func TestDefaultsOfServe(t *testing.T) {
	s := mustParse(t, "serve", []string{"--contact", "a@b.cl"}, nil, nil)
	s.Rows = nil
	want := &Settings{Command: "serve", Listen: ":8080", Data: "./vigia-data", Contact: "a@b.cl",
		ACMEURL:     "https://acme-v02.api.letsencrypt.org/directory",
		ProviderURL: "https://api.open-meteo.com", ArchiveURL: "https://archive-api.open-meteo.com",
		Models: []string{"ecmwf_ifs", "ncep_gfs_global", "dwd_icon_global", "cmc_gem_gdps"}, WindAloft: true, Ensembles: true,
		SMTPPort: 587, SMTPTLS: "starttls", DKIMSelector: "vigia",
		PushRate: 100, RateLimit: 100, LogFormat: "auto", LogLevel: slog.LevelInfo}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("serve without settings:\n got %+v\nwant %+v", s, want)
	}
}

func TestDemoNeedsNothingAndKeepsOffTheLiveData(t *testing.T) {
	environ := []string{"VIGIA_DATA=/var/lib/vigia", "VIGIA_PROVIDER_URL=https://x.cl", "VIGIA_PROVIDER_KEY=k"}
	s := mustParse(t, "demo", nil, environ, nil)
	if s.Data != "" || s.ProviderURL != "" || s.ProviderKey != "" {
		t.Errorf("demo took the settings of the real service: %+v", s)
	}
	if s.Speed != 1 || s.Seed != 1 || s.Listen != ":8080" || s.RateLimit != 100 {
		t.Errorf("defaults of demo: %+v", s)
	}
	lines := faultsOf(t, "demo", []string{"--data", "/var/lib/vigia"}, nil, nil)
	wantFault(t, lines, "--data", "not a setting of demo", "serve, check, backup")
	if len(lines) != 1 {
		t.Errorf("the value of a refused flag is a fault of its own: %q", lines)
	}
}

// TestPrecedence sets every setting in every subset of the sources.
func TestPrecedence(t *testing.T) {
	for _, flag := range model().Flags {
		if strings.HasSuffix(flag.Name, "-file") || flag.Name == "config" {
			continue
		}
		values, ok := samples[flag.Name]
		if !ok {
			t.Errorf("no sample values of %s", flag.Name)
			continue
		}
		for subset := range 8 {
			t.Run(fmt.Sprintf("%s/%03b", flag.Name, subset), func(t *testing.T) { checkPrecedence(t, flag, values, subset) })
		}
	}
}

// companions are the settings of the mail that only go together.
var companions = []string{"smtp-host = 'localhost'", "smtp-from = 'a@b.cl'", "smtp-user = 'u'", "smtp-password = 'p'", "base-url = 'https://x.cl'"}

func checkPrecedence(t *testing.T, flag *kong.Flag, values [3]string, subset int) {
	command, name := strings.Fields(flag.Tag.Get("of"))[0], flag.Name
	conf := "# settings\n"
	if name != "contact" && command != "demo" {
		conf += "contact = 'a@b.cl'\n"
	}
	for _, with := range companions {
		if strings.HasPrefix(name, "smtp-") && !strings.HasPrefix(with, name) || strings.HasPrefix(name, "dkim-") {
			conf += with + "\n"
		}
	}
	if name == "acme-url" {
		conf += "domain = 'a.example.cl'\n"
	}
	if slices.Contains([]string{"smtp-host", "smtp-from", "smtp-user", "smtp-password", "contact"}, name) && command != "demo" {
		subset |= 1 // none of them goes without the others
	}
	disk := files{"alone.conf": conf, "v.conf": conf, "/a.pem": "a", "b.pem": "b", "c": "c"}
	args, environ := []string{"--config", "v.conf"}, []string{"PATH=/bin"}
	want, origin := flag.Default, "default"
	if subset&1 != 0 {
		disk["v.conf"] += fmt.Sprintf("%s = %q\n", name, values[0])
		want, origin = values[0], fmt.Sprintf("v.conf:%d", strings.Count(disk["v.conf"], "\n"))
	}
	if subset&2 != 0 {
		environ = append(environ, variable(name)+"="+values[1])
		want, origin = values[1], variable(name)
	}
	if subset&4 != 0 {
		args = append(args, "--"+name+"="+values[2])
		want, origin = values[2], "--"+name
	}
	alone := []string{"--config", "alone.conf"}
	if origin != "default" {
		alone = append(alone, "--"+name+"="+want)
	}
	if want == "" {
		want = "(none)"
	} else if flag.Tag.Has("secret") {
		want = "(hidden)"
	}
	s := mustParse(t, command, args, environ, disk)
	if got := rowOf(s, name); got != (Row{name, want, origin}) {
		t.Errorf("row %+v, want value %q, origin %q", got, want, origin)
	}
	// The fields must be as if the winning value had come alone.
	winner := mustParse(t, command, alone, nil, disk)
	for _, of := range []*Settings{s, winner} {
		of.Rows, of.Files, of.Config = nil, nil, ""
	}
	if !reflect.DeepEqual(s, winner) {
		t.Errorf("the fields are not those of the value that wins:\n got %+v\nwant %+v", s, winner)
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	disk := files{"v.conf": "rate-limit = many\nlog-levle = info\npush-rate = 'x\ndata = a # b\n[server]\n"}
	args := []string{"--listen", "8080", "--base-url=https://x.cl/", "--contcat", "a@b.cl", "--speed", "2", "extra", "--config", "v.conf"}
	environ := []string{"VIGIA_LOG_FORMAT=xml", "VIGIA_MODELS=ecmwf_ifs,gsf_global"}
	lines := faultsOf(t, "serve", args, environ, disk)
	for _, parts := range [][]string{
		{`--listen "8080"`, "host:port"},
		{`--base-url "https://x.cl/"`, "slash"},
		{"--contcat", "unknown flag", `did you mean "--contact"?`},
		{"--speed", "not a setting of serve", "demo"},
		{"unexpected argument extra"},
		{`v.conf:1: rate-limit "many"`, "whole number from 0 to 1000000"},
		{"v.conf:2: log-levle", "did you mean log-level?"},
		{"v.conf:3: must be name = 'value'"},
		{"v.conf:4: must be name = 'value'"},
		{"v.conf:5:", "sections"},
		{`VIGIA_LOG_FORMAT "xml"`, "auto, text, json"},
		{"VIGIA_MODELS", `"gsf_global"`, "unknown model"},
		{"--contact", "required by serve", "VIGIA_CONTACT", "settings file"},
	} {
		wantFault(t, lines, parts...)
	}
	if len(lines) != 13 {
		t.Errorf("%d faults, want 13:\n%s", len(lines), strings.Join(lines, "\n"))
	}
}

func TestDKIMKeyIsRead(t *testing.T) {
	args := append(strings.Fields("--smtp-from a@b.cl --smtp-host smtp.b.cl a@b.cl"), "--dkim-key", "a.pem")
	s := mustParse(t, "test-mail", args, nil, files{"a.pem": "key"})
	if s.DKIMKey != "key" || rowOf(s, "dkim-key").Value != "a.pem" {
		t.Errorf("key %q, shown as %+v", s.DKIMKey, rowOf(s, "dkim-key"))
	}
	wantFault(t, faultsOf(t, "test-mail", args, nil, nil), `--dkim-key "a.pem"`, "cannot be read: file does not exist")
	wantFault(t, faultsOf(t, "test-mail", args, nil, files{"a.pem": ""}), `--dkim-key "a.pem"`, "is empty")
}

func TestContactIsRequiredByServeAndCheck(t *testing.T) {
	for _, command := range []string{"serve", "check"} {
		wantFault(t, faultsOf(t, command, nil, nil, nil), "--contact", "required by "+command)
		wantFault(t, faultsOf(t, command, []string{"--contact="}, []string{"VIGIA_CONTACT=a@b.cl"}, nil), "--contact", "required")
	}
	mustParse(t, "backup", nil, nil, nil)
}

func TestEmptyValues(t *testing.T) {
	environ := []string{"VIGIA_LISTEN=", "VIGIA_BASE_URL=", "VIGIA_RATE_LIMIT=", "VIGIA_CONFIG="}
	s := mustParse(t, "demo", nil, environ, nil)
	if s.Listen != ":8080" || s.RateLimit != 100 || rowOf(s, "listen").Origin != "default" {
		t.Errorf("an empty variable is not as if it were not set: %+v", s)
	}
	s = mustParse(t, "demo", []string{"--trusted-proxies", ""}, []string{"VIGIA_TRUSTED_PROXIES=10.0.0.1"}, nil)
	if s.TrustedProxies != nil {
		t.Errorf("an empty flag does not undo the environment: %v", s.TrustedProxies)
	}
	wantFault(t, faultsOf(t, "demo", []string{"--rate-limit="}, nil, nil), `--rate-limit ""`, "whole number")
}

func TestFlagForms(t *testing.T) {
	for _, args := range [][]string{
		{"--rate-limit", "5"}, {"--rate-limit=5"},
		{"--rate-limit", "9", "--rate-limit", "5"},
	} {
		if s := mustParse(t, "demo", args, nil, nil); s.RateLimit != 5 {
			t.Errorf("%q gives %d", args, s.RateLimit)
		}
	}
	s := mustParse(t, "backup", []string{"--", "--odd-name"}, nil, nil)
	if !slices.Equal(s.Args, []string{"--odd-name"}) {
		t.Errorf("what follows -- is not an argument: %q", s.Args)
	}
	wantFault(t, faultsOf(t, "demo", []string{"--listen"}, nil, nil), "--listen", "needs a value")
	wantFault(t, faultsOf(t, "demo", []string{"--listen", "--seed", "4"}, nil, nil), "--listen", "needs a value")
	wantFault(t, faultsOf(t, "demo", []string{"--rate-limit", "-1"}, nil, nil), `--rate-limit "-1"`)
	if lines := faultsOf(t, "demo", []string{"--lisen", ":80"}, nil, nil); len(lines) != 1 {
		t.Errorf("an unknown flag and its value are %d faults: %q", len(lines), lines)
	}
}

func TestHelpIsAlwaysAnswered(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"--help"}, {"--bogus", "-h"}, {"--listen", "--help"}, {"x", "-h"}} {
		s := mustParse(t, "serve", args, []string{"VIGIA_BOGUS=1", "VIGIA_CONFIG=/missing"}, nil)
		if s.Command != "help" || !slices.Equal(s.Args, []string{"serve"}) {
			t.Errorf("serve %q becomes %s %q", args, s.Command, s.Args)
		}
	}
	for line, want := range map[string]string{"heights -h": "catalogue heights", "heights --data x -h": "catalogue heights", "-h": "catalogue", "hights -h": "catalogue"} {
		if s := mustParse(t, "catalogue", strings.Fields(line), nil, nil); !slices.Equal(s.Args, []string{want}) {
			t.Errorf("catalogue %s asks for help on %q", line, s.Args)
		}
	}
	if text := Help("catalogue heights"); !strings.Contains(text, "--provider-url=URL") || strings.Contains(text, "--listen") || !strings.Contains(text, "150 m") {
		t.Errorf("help of catalogue heights:\n%s", text)
	}
	for _, typed := range []string{"help", "-h", "--help"} {
		if s := mustParse(t, typed, nil, []string{"VIGIA_BOGUS=1"}, nil); s.Command != "help" {
			t.Errorf("%s becomes %s", typed, s.Command)
		}
	}
	if s := mustParse(t, "--version", nil, []string{"VIGIA_BOGUS=1"}, nil); s.Command != "version" {
		t.Errorf("--version becomes %s", s.Command)
	}
}

func TestCommandsAndTheirArguments(t *testing.T) {
	good := [][]string{{"catalogue", "export"}, {"catalogue", "check", "a.json"}, {"catalogue", "heights"}, {"backup"}, {"backup", "f.db"}, {"backup", "data"}, {"restore", "listen"}, {"help", "serve"}, {"version"}}
	for _, line := range good {
		if s := mustParse(t, line[0], line[1:], nil, nil); s.Command != line[0] || !slices.Equal(s.Args, line[1:]) {
			t.Errorf("%q gives %s %q", line, s.Command, s.Args)
		}
	}
	for _, c := range []struct{ line, want string }{
		{"srve", `did you mean "serve"?`},
		{"", "vigia COMMAND"},
		{"--listen", "vigia COMMAND [--name value ...]"},
		{"xxxxxxxx", "unexpected argument xxxxxxxx"},
		{"catalogue", `"export"`},
		{"catalogue check", "<file>"},
		{"catalogue exprt", `did you mean "export"?`},
		{"catalogue export x", "unexpected argument x"},
		{"catalogue check a b", "unexpected argument b"},
		{"catalogue heights a.json", "unexpected argument a.json"},
		{"catalogue heights --listen :80", "not a setting of catalogue; it belongs to demo"},
		{"catalogue export --catalogue a.json", "not a setting of catalogue; it belongs to demo"},
		{"backup a b", "unexpected argument b"},
		{"backup -- a b", "unexpected argument b"},
		{"help srve", `did you mean "serve"?`},
		{"help serve demo", "unexpected argument demo"},
		{"version now", "unexpected argument now"},
		{"version --listen :80", "not a setting of version"},
		{"serve now", "unexpected argument now"},
	} {
		words := append(strings.Fields(c.line), "")
		wantFault(t, faultsOf(t, words[0], words[1:max(1, len(words)-1)], nil, nil), c.want)
	}
}

func TestSecretsAreNeverShown(t *testing.T) {
	const key = "sikrit-0123456789"
	disk := files{"key": key + "\n", "empty": " \n", "v.conf": "provider-key = '" + key + "'\nprovider-kee = " + key + "\n", "x.conf": "contact = 1\nprovider-key = " + key + " # x\n",
		"y.conf": "provider-key = '" + key + "\n", "z.conf": "provider-key = ['" + key + "']\n"}
	contact := []string{"--contact", "a@b.cl"}
	for _, c := range []struct {
		args, environ []string
		origin        string
	}{
		{[]string{"--provider-key", key}, nil, "--provider-key"},
		{nil, []string{"VIGIA_PROVIDER_KEY=" + key}, "VIGIA_PROVIDER_KEY"},
		{nil, []string{"VIGIA_PROVIDER_KEY_FILE=key"}, "VIGIA_PROVIDER_KEY_FILE"},
		{[]string{"--provider-key-file=key"}, []string{"VIGIA_PROVIDER_KEY=other"}, "--provider-key-file"},
		{[]string{"--provider-key", key}, []string{"VIGIA_PROVIDER_KEY_FILE=/missing"}, "--provider-key"},
	} {
		s := mustParse(t, "serve", append(c.args, contact...), c.environ, disk)
		if s.ProviderKey != key {
			t.Errorf("%q %q: key %q", c.args, c.environ, s.ProviderKey)
		}
		if rows := fmt.Sprint(s.Rows); strings.Contains(rows, key) || rowOf(s, "provider-key") != (Row{"provider-key", "(hidden)", c.origin}) {
			t.Errorf("rows: %s", rows)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--provider-key", key + " x"}, "--provider-key (hidden)"},
		{[]string{"--provider-kee=" + key}, `"--provider-key"?`},
		{[]string{"--provider-key-file=/missing"}, "cannot be read: file does not exist"},
		{[]string{"--provider-key-file=empty"}, "empty"},
		{[]string{"--provider-key=" + key, "--provider-key-file=key"}, "only one of the two"},
		{[]string{"--config=v.conf"}, "v.conf:2"},
		{[]string{"--config=x.conf"}, "x.conf:2"},
		{[]string{"--config=y.conf"}, "y.conf:1"},
		{[]string{"--config=z.conf"}, "z.conf:1: provider-key: must be one text"},
	} {
		lines := faultsOf(t, "serve", append(c.args, contact...), nil, disk)
		wantFault(t, lines, c.want)
		if strings.Contains(strings.Join(lines, "\n"), "sikrit") {
			t.Errorf("a fault shows the secret: %q", lines)
		}
	}
}

func TestConfigFile(t *testing.T) {
	disk := files{
		"v.conf":      "speed = 2\r\ncontact = \"a@b.cl\" # ours\nmodels = [\n  \"ecmwf_ifs\", # first\n  'gfs_global',\n]\ntrusted-proxies = 10.0.0.0/8, ::1\n",
		"twice.conf":  "seed = 1\n\nseed = 2\n",
		"nested.conf": "config = v.conf\n",
		"list.conf":   "listen = [\":80\"]\n",
	}
	s := mustParse(t, "serve", nil, []string{"VIGIA_CONFIG=v.conf"}, disk)
	if s.Contact != "a@b.cl" || !slices.Equal(s.Models, []string{"ecmwf_ifs", "ncep_gfs_global"}) || s.Speed != 0 {
		t.Errorf("settings of the file: %+v", s)
	}
	if want := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}; !slices.Equal(s.TrustedProxies, want) {
		t.Errorf("proxies %v, want %v", s.TrustedProxies, want)
	}
	if got := rowOf(s, "models"); got.Origin != "v.conf:3" {
		t.Errorf("origin of models %q, want the line where it begins", got.Origin)
	}
	wantFault(t, faultsOf(t, "demo", []string{"--config", "twice.conf"}, nil, disk), "twice.conf:3: ", "seed is already defined")
	wantFault(t, faultsOf(t, "demo", []string{"--config", "nested.conf"}, nil, disk), "nested.conf:1: config")
	wantFault(t, faultsOf(t, "demo", []string{"--config", "list.conf"}, nil, disk), "list.conf:1: listen", "must be one text")
	lines := faultsOf(t, "demo", nil, []string{"VIGIA_CONFIG=/no/such"}, disk)
	wantFault(t, lines, `VIGIA_CONFIG "/no/such"`, "cannot be read: file does not exist")
	faultsOf(t, "demo", []string{"--config", "a\nb"}, nil, disk)
	wantFault(t, faultsOf(t, "demo", []string{"--config", "big"}, nil, files{"big": strings.Repeat("#", maxFileBytes+1)}), `--config "big"`, "not a settings file")
	if lines := faultsOf(t, "demo", []string{"--config", "wrong"}, nil, files{"wrong": strings.Repeat("x\n", maxFileBytes/2)}); len(lines) > maxFileFaults+1 {
		t.Errorf("%d faults of a file that has no settings", len(lines))
	}
}

// What TOML writes is read as TOML means it, and what of it is not used is a fault
// that says so.
func TestConfigFileInTOML(t *testing.T) {
	disk := files{"v.toml": `
# the station of the park
contact = "a@b.cl"          # a basic string
"base-url" = 'https://b.cl' # a literal one, and a quoted key
rate-limit = 10_000
smtp-port=+465
smtp-host = "smtp.b.cl"
smtp-from = "a\u0062@b.cl"
smtp-user = "a#b"
smtp-password = "a \"b\" # c\\"
models = [ # two of them
  "ecmwf_ifs",
  'gfs_global', ]
trusted-proxies = []
push-hosts = ["push.b.cl", '*.c.cl']
log-level = 'debug'
csv = true
`}
	s := mustParse(t, "serve", []string{"--config", "v.toml"}, nil, disk)
	if s.BaseURL != "https://b.cl" || s.RateLimit != 10_000 || s.SMTPPort != 465 || s.SMTPFrom != "ab@b.cl" || s.SMTPUser != "a#b" ||
		s.SMTPPassword != `a "b" # c\` || len(s.Models) != 2 || s.TrustedProxies != nil || s.LogLevel != slog.LevelDebug {
		t.Errorf("%+v", s)
	}
	if alike := mustParse(t, "serve", []string{"--contact", "a@b.cl", "--push-hosts", "push.b.cl,*.c.cl"}, nil, nil); !reflect.DeepEqual(s.PushHosts, alike.PushHosts) {
		t.Errorf("push hosts %+v, want %+v", s.PushHosts, alike.PushHosts)
	}
	if !mustParse(t, "calibrate", []string{"--config", "v.toml"}, nil, disk).CSV {
		t.Error("true is not yes")
	}
	for line, want := range map[string]string{
		"[listen]":                       "sections and tables are not used",
		"[[listen]]":                     "must be one text",
		"listen = \"\"\"\n:80\n\"\"\"":   "control characters",
		"catalogue = { file = \"a\" }":   "tables are not used",
		"server.listen = \":80\"":        "sections",
		"listen = \":80":                 "must be name = 'value'",
		"listen = \":\\q80\"":            "must be name = 'value'",
		"listen = \":80\" x":             "must be name = 'value'",
		"models = [1, 2]":                "a list of texts",
		"models = 5":                     "in quotes",
		"models = [\"ecmwf_ifs\"":        "must be name = 'value'",
		"models = [\"ecmwf_ifs\" \"b\"]": "must be name = 'value'",
		"rate-limit = 1__0":              "whole number",
		"rate-limit = 1.5":               "whole number",
		"rate-limit = true":              "whole number",
		"listen = [\":80\"]":             "must be one text",
		"listen = 80 # x":                "must be in quotes",
		"\"\" = 1":                       "no such setting",
		"listen":                         "must be name = 'value'",
		"listen = ':80'\xff":             "must be name = 'value'",
	} {
		lines := faultsOf(t, "demo", []string{"--config", "x"}, nil, files{"x": line + "\n"})
		wantFault(t, lines[:1], "x:1", want)
	}
}

// What a file says without quotes, as files did before, is read as it was meant.
func TestConfigFileWithoutQuotes(t *testing.T) {
	disk := files{"v.conf": "\ufeffdata = /var/lib/a b\r\ncontact=a@b.cl\nlisten = 127.0.0.1:80\ntrusted-proxies = 10.0.0.0/8, ::1\nrate-limit = 7 # requests\nbase-url =\n"}
	s := mustParse(t, "serve", []string{"--config", "v.conf"}, nil, disk)
	if s.Data != "/var/lib/a b" || s.Contact != "a@b.cl" || s.Listen != "127.0.0.1:80" || len(s.TrustedProxies) != 2 || s.RateLimit != 7 || s.BaseURL != "" {
		t.Errorf("%+v", s)
	}
}

func TestHelp(t *testing.T) {
	pages := []string{""}
	for _, c := range commands() {
		pages = append(pages, c.Name)
	}
	for _, page := range pages {
		text := Help(page)
		for _, flag := range model().Flags {
			shown := strings.Contains(text, "  "+flag.String())
			if want := page == "" || names(flag, "of", page); shown != want {
				t.Errorf("help %q shows --%s: %t, want %t", page, flag.Name, shown, want)
			}
		}
	}
	for _, c := range commands() {
		if !strings.Contains(Help(""), "  "+c.Name+" ") || !strings.Contains(Help(c.Name), c.Help) {
			t.Errorf("the help lacks the command %s", c.Name)
		}
	}
	serve := strings.Join(strings.Fields(Help("serve")), " ")
	for _, must := range []string{"Default :8080", "Required by serve, check", "SIGHUP is ignored", "VIGIA_BASE_URL"} {
		if !strings.Contains(serve, must) {
			t.Errorf("the help of serve does not tell %q:\n%s", must, serve)
		}
	}
}

// TestTable checks what kong does not of the tags of each setting.
func TestTable(t *testing.T) {
	table := markdown()
	for _, flag := range model().Flags {
		for _, command := range strings.Fields(flag.Tag.Get("of") + " " + flag.Tag.Get("needs")) {
			taker := func(c *kong.Node) bool { return strings.ReplaceAll(c.Path(), " ", "-") == command }
			if !slices.ContainsFunc(model().Leaves(false), taker) || !names(flag, "of", command) {
				t.Errorf("--%s is for %q", flag.Name, command)
			}
		}
		if flag.Help == "" || strings.HasSuffix(flag.Help, ".") || strings.Contains(flag.Help, "|") || flag.Tag.Get("of") == "" {
			t.Errorf("--%s: help %q", flag.Name, flag.Help)
		}
		if strings.Count(table, "| `--"+flag.Name+"` |") != 1 {
			t.Errorf("the README's list lacks --%s", flag.Name)
		}
	}
}

// TestPackagedFile: what the packages' settings file has as comments is what an
// operator gets who takes the # away.
func TestPackagedFile(t *testing.T) {
	text, err := os.ReadFile("../../../.release/vigia.conf")
	if err != nil {
		t.Fatal(err)
	}
	wantFault(t, faultsOf(t, "serve", []string{"--config", "v.conf"}, nil, files{"v.conf": string(text)}), "--contact", "required by serve")
	whole := regexp.MustCompile(`(?m)^#([a-z-]+ = )`).ReplaceAllString(string(text), "$1")
	s := mustParse(t, "serve", []string{"--config", "v.conf"}, nil, files{"v.conf": whole})
	if s.Contact == "" || s.BaseURL == "" || s.SMTPPassword == "" || len(s.TrustedProxies) != 1 || s.Data != "/var/lib/vigia" {
		t.Errorf("%+v", s)
	}
}
