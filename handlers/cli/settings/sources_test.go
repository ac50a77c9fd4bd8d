package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Container platforms set variables named after a service: of one that is named vigia
// they begin as ours do.
func TestUnknownVariablesAreWarnedOf(t *testing.T) {
	platform := []string{"VIGIA_PORT=tcp://10.0.0.7:8080", "VIGIA_SERVICE_HOST=10.0.0.7", "VIGIA_PORT_8080_TCP_ADDR=10.0.0.7", "VIGIA_RATE_LIMITS=5", "VIGIA_LISTEN=:81"}
	s := mustParse(t, "demo", nil, platform, nil)
	if s.Listen != ":81" || s.RateLimit != 100 {
		t.Errorf("taken: %+v", s)
	}
	said := strings.Join(s.Warnings, "\n")
	for _, name := range []string{"VIGIA_PORT", "VIGIA_SERVICE_HOST", "VIGIA_PORT_8080_TCP_ADDR", "VIGIA_RATE_LIMITS: no such setting in the environment, left out; did you mean VIGIA_RATE_LIMIT?"} {
		if !strings.Contains(said, name) {
			t.Errorf("no warning of %s: %q", name, said)
		}
	}
	if len(s.Warnings) != 4 || strings.Contains(said, "VIGIA_LISTEN") {
		t.Errorf("warnings %q, want one of the four that are no settings", s.Warnings)
	}
	// The controls: nothing to warn of, and a known name with a wrong value.
	if s := mustParse(t, "demo", nil, []string{"VIGIA_LISTEN=:81", "PATH=/bin"}, nil); s.Warnings != nil {
		t.Errorf("warnings %q", s.Warnings)
	}
	wantFault(t, faultsOf(t, "demo", nil, []string{"VIGIA_LISTEN=tcp://10.0.0.7:8080"}, nil), "VIGIA_LISTEN", "host:port")
}

// A value is taken whole or refused.
func TestNoValueIsCut(t *testing.T) {
	relay := "contact = a@b.cl\nbase-url = https://b.cl\nsmtp-host = smtp.b.cl\nsmtp-from = a@b.cl\nsmtp-password = p\nsmtp-user = "
	for text, want := range map[string]string{
		"ab": "ab", "'ab #cd'": "ab #cd", `"ab #cd" # the relay's`: "ab #cd", `a\b`: `a\b`, "a b": "a b", "a=b": "a=b",
		`'a"b\'`: `a"b\`, `"a'b\\"`: `a'b\`,
	} {
		if s := mustParse(t, "check", []string{"--config", "v.conf"}, nil, files{"v.conf": relay + text + "\n"}); s.SMTPUser != want {
			t.Errorf("smtp-user = %s is taken as %q", text, s.SMTPUser)
		}
	}
	for _, text := range []string{"ab#cd", `a"b`, "a'b", "ab #cd", "ab\t#cd", "#cd", "12 #3", "true # x", `"ab"cd`, `"ab`, "'a'b'", `"a\sb"`} {
		lines := faultsOf(t, "check", []string{"--config", "v.conf"}, nil, files{"v.conf": relay + text + "\n"})
		if len(lines) > 2 { // the second one: a password without its user
			t.Errorf("smtp-user = %s: %q", text, lines)
		}
		wantFault(t, lines, "v.conf:6: ", "quotes")
	}
	// The control: where TOML writes no quotes a comment is one.
	if s := mustParse(t, "demo", []string{"--config", "v.conf"}, nil, files{"v.conf": "rate-limit = 7 # requests\n"}); s.RateLimit != 7 {
		t.Errorf("rate-limit %d", s.RateLimit)
	}
	disk := files{"v.conf": relay + "u\n", "secret": " a #b \n"}
	s := mustParse(t, "check", []string{"--config", "v.conf", "--smtp-password-file", "secret"}, nil, disk)
	if s.SMTPPassword != " a #b " {
		t.Errorf("from a file: %q", s.SMTPPassword)
	}
}

// A file with a secret that others can read is warned of, one without is not.
func TestReadableSecretsAreWarnedOf(t *testing.T) {
	for _, c := range []struct {
		text    string
		mode    os.FileMode
		warning bool
	}{
		{"contact = a@b.cl\nprovider-key = k\n", 0o644, true},
		{"contact = a@b.cl\nprovider-key = k\n", 0o640, true},
		{"contact = a@b.cl\nprovider-key = k\n", 0o600, false},
		{"contact = a@b.cl\nprovider-key =\n", 0o644, false},
		{"contact = a@b.cl\n", 0o644, false},
	} {
		folder := t.TempDir()
		write := func(name, text string) string {
			name = filepath.Join(folder, name)
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(name, c.mode); err != nil {
				t.Fatal(err)
			}
			return name
		}
		config, key := write("v.conf", c.text), write("key", "k\n")
		expect := func(path string, warning bool, args ...string) {
			t.Helper()
			s, err := Parse("check", append([]string{"--contact", "a@b.cl"}, args...), nil, os.ReadFile, nil)
			if err != nil {
				t.Fatal(err)
			}
			named := slices.ContainsFunc(s.Warnings, func(line string) bool { return strings.Contains(line, "chmod 600 "+path) })
			if named != warning || len(s.Warnings) > 1 {
				t.Errorf("%q, mode %o, %q: warnings %q, want one: %t", c.text, c.mode, args, s.Warnings, warning)
			}
		}
		expect(config, c.warning, "--config", config)
		expect(key, c.mode&0o044 != 0, "--provider-key-file", key)
	}
}
