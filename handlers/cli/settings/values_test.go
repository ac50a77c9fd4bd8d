package settings

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// known are the parsers by type, for files that are not there.
var known = parsers(files(nil).read, knownModel)

// try runs a parser over values that it must take and values that it must refuse
// with words on what is allowed.
func try(t *testing.T, parse parser, good, bad []string) {
	t.Helper()
	for _, text := range good {
		if _, err := parse(text); err != nil {
			t.Errorf("%q is refused: %v", text, err)
		}
	}
	for _, text := range bad {
		if got, err := parse(text); err == nil {
			t.Errorf("%q is taken as %v", text, got)
		} else if !strings.Contains(err.Error(), "must") && !strings.Contains(err.Error(), "may") {
			t.Errorf("%q: %q does not say what is allowed", text, err)
		}
	}
}

func TestAddress(t *testing.T) {
	try(t, known["address"],
		[]string{":8080", ":0", "127.0.0.1:80", "[::1]:80", "localhost:8080", "pi.local:80", "0.0.0.0:65535", "[fe80::1%eth0]:80"},
		[]string{"", "8080", "localhost", ":65536", ":-1", ":http", ":", "::1:80", "a b:80", "http://x:80", "x_y:80", "-x:80", ":80:80", ":+80"})
}

func TestPublicURL(t *testing.T) {
	try(t, known["public-url"],
		[]string{"https://parques.example.cl", "http://127.0.0.1:8080", "https://[2001:db8::1]:8443", "http://localhost"},
		[]string{"", "parques.example.cl", "https://parques.example.cl/", "https://x.cl/a", "https://x.cl/a/", "ftp://x.cl", "https://", "https:x.cl",
			"https://u:p@x.cl", "https://x.cl?a=1", "https://x.cl?", "https://x.cl#a", "https://x.cl#", "//x.cl", "https://x cl", "https://x.cl:", "https://x.cl:99999", "javascript:alert(1)", `https://x.cl\a`, "https://ⓛocalhost"})
}

func TestProviderURL(t *testing.T) {
	try(t, known["provider-url"],
		[]string{"https://api.open-meteo.com", "https://x.cl:8443/base", "http://127.0.0.1:1", "http://127.9.9.9", "http://localhost:80", "http://[::1]:80", "http://[::ffff:127.0.0.1]"},
		[]string{"", "http://api.open-meteo.com", "http://10.0.0.1", "http://0.0.0.0:80", "http://localhost.evil.cl", "http://127.0.0.1.evil.cl", "http://127.0.0.1@evil.cl",
			"http://evil.cl#@127.0.0.1", "https://u:p@x.cl", "https://x.cl/?a", "ftp://127.0.0.1", "127.0.0.1:80", "http://[::2]", "http://2130706433"})
	if got, err := providerURL("http://127.0.0.1:9/base/"); err != nil || got != "http://127.0.0.1:9/base" {
		t.Errorf("trailing slash: %q, %v", got, err)
	}
}

func TestEmailAddress(t *testing.T) {
	long := strings.Repeat("a", 64)
	try(t, known["email"],
		[]string{"a@b.cl", "uno.dos+tres@sub.example.cl", "o'neill@example.org", long + "@example.cl", "a@xn--mxa.cl"},
		[]string{"", "a", "a@b", "@b.cl", "a@", "a b@c.cl", "a@b c.cl", "a@@b.cl", "<a@b.cl>", "Ana <a@b.cl>", "a@b.cl, c@d.cl", `"a b"@c.cl`, "a@[127.0.0.1]", "a@127.0.0.1",
			".a@b.cl", "a.@b.cl", "a..b@c.cl", "a@b..cl", "a@-b.cl", "a@b.cl.", long + "a@example.cl", "ñandú@example.cl", "a@ñandú.cl", "a@b_c.cl", " a@b.cl", "a@b.cl\n",
			"a@" + strings.Repeat(strings.Repeat("b", 60)+".", 4) + "example.cl"})
}

func TestFeedURL(t *testing.T) {
	try(t, known["feed"],
		[]string{"https://example.cl/v.json", "https://example.cl:8443/a/b?clave=x&y=%20", "http://127.0.0.1:9/v", "http://localhost/v", "http://[::1]:9/v"},
		[]string{"http://example.cl/v.json", "ftp://example.cl", "example.cl/v.json", "https://", "https://user:pass@example.cl/v", "https://example.cl/v#x",
			"https://example.cl/a b", "https://example.cl:port/v", "http://127.0.0.1.example.cl/v", "http://localhost.example.cl", "file:///etc/passwd", "https://exa mple.cl"})
}

func TestNetworks(t *testing.T) {
	try(t, known["networks"],
		[]string{"127.0.0.1", "10.0.0.0/8, ::1", "fd00::/8", "192.168.1.7/24", "::ffff:10.0.0.1", "::ffff:10.0.0.0/104"},
		[]string{"", "10.0.0.0/33", "10.0.0", "proxy.local", "10.0.0.1,", ",", "0.0.0.0/0", "::/0", "10.0.0.1,0.0.0.0/0", "fe80::1%eth0", "10.0.0.0/08", "::ffff:0.0.0.0/96", "::ffff:0.0.0.0/90"})
	got, err := networks("10.1.2.3/8, ::ffff:10.0.0.1 ,::ffff:10.1.0.0/104,::1")
	var want []netip.Prefix
	for _, text := range []string{"10.0.0.0/8", "10.0.0.1/32", "10.0.0.0/8", "::1/128"} {
		want = append(want, netip.MustParsePrefix(text))
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("networks = %v, %v; want %v", got, err, want)
	}
}

func TestModelNames(t *testing.T) {
	try(t, known["models"],
		[]string{"ecmwf_ifs", " ecmwf_ifs , gfs_global"},
		[]string{"", ",", "ecmwf_ifs,", "ecmwf", "ECMWF_IFS", "ecmwf_ifs,ecmwf_ifs", "gfs_global,ncep_gfs_global", "ecmwf_ifs dwd_icon_global"})
	if got, err := modelNames("anything_1", nil); err != nil || !slices.Equal(got, []string{"anything_1"}) {
		t.Errorf("without a judge: %v, %v", got, err)
	}
	if _, err := modelNames("any thing", nil); err == nil {
		t.Error("without a judge an ill-formed name is taken")
	}
}

func TestNumbersAndWords(t *testing.T) {
	try(t, whole(1, 3600), []string{"1", "60", "3600", "+7"}, []string{"", "0", "3601", "-1", "1.5", "1e2", "0x10", "1_0", "99999999999999999999", " 1"})
	try(t, known["seed"], []string{"0", "2147483647"}, []string{"", "-1", "18446744073709551616", "x"})
	try(t, known["log-level"], []string{"debug", "info", "warn", "error"}, []string{"", "INFO", "info+1", "trace"})
	try(t, known["key"], []string{"abc-DEF_123=="}, []string{"a b", "ñ", strings.Repeat("k", 513), "a\tb"})
}

func TestSuggestion(t *testing.T) {
	for typed, want := range map[string]string{
		"lisen": "; did you mean listen?", "contcat": "; did you mean contact?",
		"frobnicate": "", strings.Repeat("x", 5000): "", "": "",
	} {
		if got := suggestion(typed, slices.Values([]string{"listen", "seed", "speed", "contact"})); got != want {
			t.Errorf("%.20s: %q, want %q", typed, got, want)
		}
	}
}

// FuzzParse: whatever is typed or set, settings or faults of one line each, and
// settings that are taken satisfy what their readers rely on.
func FuzzParse(f *testing.F) {
	f.Add("serve", "--contact a@b.cl", "VIGIA_LISTEN=:1", "rate-limit = 5")
	f.Add("demo", "--speed=60 --seed 7 -h", "VIGIA_SPEED=x", "[a]\nb")
	f.Add("check", "--base-url http://[::1 --provider-url http://127.0.0.1/", "VIGIA_TRUSTED_PROXIES=::ffff:1.2.3.4/99", "models=['x']")
	f.Fuzz(func(t *testing.T, command, args, environ, file string) {
		disk := files{"v.conf": file, "key": file}
		s, err := Parse(command, append(strings.Fields(args), "--config", "v.conf"), strings.Split(environ, "\x00"), disk.read, nil)
		if err != nil {
			for _, line := range err.(*UsageError).Lines {
				if strings.ContainsAny(line, "\n\r") {
					t.Errorf("fault of several lines: %q", line)
				}
			}
			return
		}
		if !slices.ContainsFunc(commands(), func(c *kong.Node) bool { return c.Name == s.Command }) {
			t.Fatalf("command %q", s.Command)
		}
		if s.RateLimit < 0 || strings.HasSuffix(s.BaseURL, "/") || strings.HasSuffix(s.ProviderURL, "/") {
			t.Errorf("taken: %+v", s)
		}
		if (s.Command == "serve" || s.Command == "check") && (!strings.Contains(s.Contact, "@") || len(s.Models) == 0 || s.Data == "") {
			t.Errorf("taken without what is required: %+v", s)
		}
		for _, p := range s.TrustedProxies {
			if !p.IsValid() || p.Bits() == 0 || p.Addr().Is4In6() {
				t.Errorf("proxy %v", p)
			}
		}
	})
}
