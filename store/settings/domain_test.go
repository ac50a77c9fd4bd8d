package settings

import (
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
