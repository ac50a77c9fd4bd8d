package settings

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestDomainFillsInTheAddresses(t *testing.T) {
	for args, want := range map[string][4]string{ // listen, redirect, base URL, origin of the base URL
		"--domain parques.example.cl":                                        {":443", ":80", "https://parques.example.cl", "--domain"},
		"--domain Parques.Example.CL,www.example.cl":                         {":443", ":80", "https://parques.example.cl", "--domain"},
		"--domain a.example.cl,b.example.cl --base-url https://b.example.cl": {":443", ":80", "https://b.example.cl", "--base-url"},
		"--domain a.example.cl --listen 192.0.2.1:443":                       {"192.0.2.1:443", "192.0.2.1:80", "https://a.example.cl", "--domain"},
		"--domain a.example.cl --listen [::1]:8443":                          {"[::1]:8443", "", "https://a.example.cl", "--domain"},
		"--listen :443": {":443", "", "", "default"},
		"--domain a.example.cl --smtp-host smtp.b.cl --smtp-from a@b.cl":                 {":443", ":80", "https://a.example.cl", "--domain"},
		"--domain xn--parques-example.cl --acme-url https://acme.example.org:14000/dir/": {":443", ":80", "https://xn--parques-example.cl", "--domain"},
	} {
		s := mustParse(t, "serve", strings.Fields("--contact a@b.cl "+args), nil, nil)
		if got := [4]string{s.Listen, s.RedirectAddress(), s.BaseURL, rowOf(s, "base-url").Origin}; got != want {
			t.Errorf("%s gives %q, want %q", args, got, want)
		}
		if rowOf(s, "listen").Value != s.Listen {
			t.Errorf("%s: check shows --listen %q", args, rowOf(s, "listen").Value)
		}
	}
	empty := files{"v.conf": "base-url =\ndomain = a.example.cl\ncontact = a@b.cl\n"}
	if s := mustParse(t, "serve", []string{"--config", "v.conf"}, nil, empty); s.BaseURL != "https://a.example.cl" {
		t.Errorf("an empty base-url beside a domain becomes %q", s.BaseURL)
	}
	s := mustParse(t, "check", strings.Fields("--contact a@b.cl --domain a.example.cl,b.example.cl"), nil, nil)
	if !slices.Equal(s.Domains, []string{"a.example.cl", "b.example.cl"}) || s.ACMEURL != "https://acme-v02.api.letsencrypt.org/directory" {
		t.Errorf("%+v", s)
	}
}

func TestDomainContradictions(t *testing.T) {
	for args, parts := range map[string][]string{
		"--domain 192.0.2.1":                                               {"--domain", `"192.0.2.1"`, "no addresses"},
		"--domain 2001:db8::1":                                             {"--domain", "no addresses"},
		"--domain *.example.cl":                                            {"--domain", `"*.example.cl"`, "parques.example.cl"},
		"--domain localhost":                                               {"--domain", `"localhost"`},
		"--domain https://a.example.cl":                                    {"--domain", "names such as"},
		"--domain a.example.cl:443":                                        {"--domain", "names such as"},
		"--domain a.example.cl,":                                           {"--domain", `""`},
		"--domain a.example.cl,A.example.cl":                               {"--domain", "twice"},
		"--domain parqués.example.cl":                                      {"--domain", "xn--"},
		"--domain a.example.cl --base-url http://a.example.cl":             {"--base-url", "http://a.example.cl", "https://a.example.cl"},
		"--domain a.example.cl --base-url https://b.example.cl":            {"--base-url", "https://b.example.cl", "one of --domain"},
		"--domain a.example.cl --base-url https://a.example.cl:8443":       {"--base-url", "without a port"},
		"--acme-url https://acme.b.cl/dir":                                 {"--acme-url", "without --domain"},
		"--domain a.example.cl --acme-url http://acme.b.cl/dir":            {"--acme-url", "http only for this machine"},
		"--domain a.example.cl --acme-url acme.b.cl":                       {"--acme-url", "https address"},
		"--metrics-listen :9090":                                           {"--metrics-listen", `":9090"`, "127.0.0.1:9090"},
		"--metrics-listen 127.0.0.1":                                       {"--metrics-listen", "host:port"},
		"--metrics-listen 127.0.0.1:8080":                                  {"--metrics-listen", "another address", ":8080"},
		"--metrics-listen 0.0.0.0:9 --listen 127.0.0.1:9":                  {"--metrics-listen", "another address"},
		"--metrics-listen 127.0.0.1:80 --domain a.example.cl":              {"--metrics-listen", "another address", ":80"},
		"--domain a.example.cl,1.2.3.4 --acme-url x --metrics-listen 0:x9": {"--domain", "1.2.3.4"},
	} {
		lines := faultsOf(t, "serve", strings.Fields("--contact a@b.cl "+args), nil, nil)
		wantFault(t, lines, parts...)
		if want := strings.Count(args, ":x9")*2 + 1; len(lines) != want {
			t.Errorf("%s: %d faults, want %d: %q", args, len(lines), want, lines)
		}
	}
	wantFault(t, faultsOf(t, "demo", strings.Fields("--domain a.example.cl"), nil, nil), "--domain", "not a setting of demo")
	mustParse(t, "serve", strings.Fields("--contact a@b.cl --metrics-listen 127.0.0.1:8081"), nil, nil)
	mustParse(t, "demo", strings.Fields("--listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0"), nil, nil)
}

func TestMailSettingsGoTogether(t *testing.T) {
	whole := "--contact a@b.cl --base-url https://x.cl --smtp-host smtp.b.cl --smtp-from avisos@b.cl"
	for _, args := range []string{
		whole,
		whole + " --smtp-tls tls --smtp-port 465 --smtp-user u --smtp-password p",
		"--contact a@b.cl --base-url https://x.cl --smtp-host 127.0.0.1 --smtp-from avisos@b.cl --smtp-tls none --smtp-port 25",
	} {
		s := mustParse(t, "serve", strings.Fields(args), nil, nil)
		if s.SMTPFrom != "avisos@b.cl" || s.SMTPHost == "" {
			t.Errorf("%s gives %+v", args, s)
		}
	}
	for args, parts := range map[string][]string{
		"--contact a@b.cl --base-url https://x.cl --smtp-host smtp.b.cl": {"--smtp-from", "required with --smtp-host"},
		"--contact a@b.cl --smtp-host smtp.b.cl --smtp-from avisos@b.cl": {"--base-url", "required with --smtp-host"},
		whole + " --smtp-tls none":                                       {"--smtp-tls", "only for a relay on this machine", "smtp.b.cl"},
		whole + " --smtp-user u":                                         {"--smtp-user and --smtp-password"},
		whole + " --smtp-password p":                                     {"--smtp-user and --smtp-password"},
		whole + " --smtp-tls ssl":                                        {"--smtp-tls", "starttls, tls, none"},
		whole + " --smtp-port 0":                                         {"--smtp-port", "1 to 65535"},
		whole + " --smtp-host b.cl:25":                                   {"--smtp-host", "--smtp-port"},
		"--contact a@b.cl --smtp-from avisos@b.cl":                       {"--smtp-from", "without --smtp-host"},
		"--contact a@b.cl --dkim-key k.pem":                              {"--dkim-key", "without --smtp-host"},
		"--contact a@b.cl --push-hosts localhost":                        {"--push-hosts", "*.example.com"},
		"--contact a@b.cl --push-hosts https://push.b.cl/path":           {"--push-hosts", "origins"},
		"--contact a@b.cl --push-hosts *":                                {"--push-hosts"},
		"--contact a@b.cl --push-hosts 10.0.0.1":                         {"--push-hosts"},
	} {
		wantFault(t, faultsOf(t, "serve", strings.Fields(args), nil, nil), parts...)
	}
}

func TestTestMail(t *testing.T) {
	args := strings.Fields("ana@example.cl --smtp-host smtp.b.cl --smtp-from avisos@b.cl")
	if s := mustParse(t, "test-mail", args, nil, nil); s.Args[0] != "ana@example.cl" {
		t.Errorf("%+v", s)
	}
	wantFault(t, faultsOf(t, "test-mail", args[1:], nil, nil), "test-mail", "<address>")
	wantFault(t, faultsOf(t, "test-mail", []string{"ana", "--smtp-host", "x.cl", "--smtp-from", "a@b.cl"}, nil, nil), `"ana"`, "e-mail address")
	wantFault(t, faultsOf(t, "test-mail", args[:1], nil, nil), "--smtp-host", "required by test-mail")
	if faults := fmt.Sprint(faultsOf(t, "test-mail", []string{"ana@example.cl", "--smtp-host", "x.cl:25", "--smtp-from", "a@b.cl"}, nil, nil)); strings.Contains(faults, "(none)") {
		t.Errorf("a host that is wrong is told as missing: %s", faults)
	}
}

// A setting that is wrong is not told as missing besides.
func TestWrongIsNotMissing(t *testing.T) {
	args := strings.Fields("--contact a@b.cl --base-url https://x.cl/ --smtp-host smtp.b.cl --smtp-from x")
	if faults := faultsOf(t, "serve", args, nil, nil); len(faults) != 2 {
		t.Errorf("faults:\n%s", strings.Join(faults, "\n"))
	}
}
