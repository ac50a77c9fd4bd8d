package settings

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// try runs a parser over values that it must take and values that it must refuse
// with words on what is allowed.
func try[T any](t *testing.T, parse func(string) (T, error), good, bad []string) {
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
	try(t, address,
		[]string{":8080", ":0", "127.0.0.1:80", "[::1]:80", "localhost:8080", "pi.local:80", "0.0.0.0:65535", "[fe80::1%eth0]:80"},
		[]string{"", "8080", "localhost", ":65536", ":-1", ":http", ":", "::1:80", "a b:80", "http://x:80", "x_y:80", "-x:80", ":80:80", ":+80"})
}

func TestPublicURL(t *testing.T) {
	try(t, publicURL,
		[]string{"https://parques.example.cl", "http://127.0.0.1:8080", "https://[2001:db8::1]:8443", "http://localhost"},
		[]string{"", "parques.example.cl", "https://parques.example.cl/", "https://x.cl/a", "https://x.cl/a/", "ftp://x.cl", "https://", "https:x.cl",
			"https://u:p@x.cl", "https://x.cl?a=1", "https://x.cl?", "https://x.cl#a", "https://x.cl#", "//x.cl", "https://x cl", "https://x.cl:", "https://x.cl:99999", "javascript:alert(1)", `https://x.cl\a`, "https://ⓛocalhost"})
}

func TestProviderURL(t *testing.T) {
	try(t, providerURL,
		[]string{"https://api.open-meteo.com", "https://x.cl:8443/base", "http://127.0.0.1:1", "http://127.9.9.9", "http://localhost:80", "http://[::1]:80", "http://[::ffff:127.0.0.1]"},
		[]string{"", "http://api.open-meteo.com", "http://10.0.0.1", "http://0.0.0.0:80", "http://localhost.evil.cl", "http://127.0.0.1.evil.cl", "http://127.0.0.1@evil.cl",
			"http://evil.cl#@127.0.0.1", "https://u:p@x.cl", "https://x.cl/?a", "ftp://127.0.0.1", "127.0.0.1:80", "http://[::2]", "http://2130706433"})
	if got, err := providerURL("http://127.0.0.1:9/base/"); err != nil || got != "http://127.0.0.1:9/base" {
		t.Errorf("trailing slash: %q, %v", got, err)
	}
}

func TestEmailAddress(t *testing.T) {
	long := strings.Repeat("a", 64)
	try(t, emailAddress,
		[]string{"a@b.cl", "uno.dos+tres@sub.example.cl", "o'neill@example.org", long + "@example.cl", "a@xn--mxa.cl"},
		[]string{"", "a", "a@b", "@b.cl", "a@", "a b@c.cl", "a@b c.cl", "a@@b.cl", "<a@b.cl>", "Ana <a@b.cl>", "a@b.cl, c@d.cl", `"a b"@c.cl`, "a@[127.0.0.1]", "a@127.0.0.1",
			".a@b.cl", "a.@b.cl", "a..b@c.cl", "a@b..cl", "a@-b.cl", "a@b.cl.", long + "a@example.cl", "ñandú@example.cl", "a@ñandú.cl", "a@b_c.cl", " a@b.cl", "a@b.cl\n",
			"a@" + strings.Repeat(strings.Repeat("b", 60)+".", 4) + "example.cl"})
}

func TestNetworks(t *testing.T) {
	try(t, networks,
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
	parse := func(text string) ([]string, error) { return modelNames(text, knownModel) }
	try(t, parse,
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
	try(t, whole(1, 3600), []string{"1", "60", "3600", "1_000", "+7"}, []string{"", "0", "3601", "-1", "1.5", "1e2", "0x10", "1__0", "_1", "1_", "-_1", "99999999999999999999", " 1"})
	try(t, seed, []string{"0", "18446744073709551615"}, []string{"", "-1", "18446744073709551616", "x"})
	try(t, logLevel, []string{"debug", "info", "warn", "error"}, []string{"", "INFO", "info+1", "trace"})
	try(t, secretText, []string{"abc-DEF_123=="}, []string{"a b", "ñ", strings.Repeat("k", 513), "a\tb"})
}

func TestParseFile(t *testing.T) {
	for _, c := range []struct{ text, key, value string }{
		{"a=b", "a", "b"},
		{"  a  =  b c  ", "a", "b c"},
		{"a=b # c", "a", "b"},
		{"a=b#c", "a", "b#c"},
		{"a=#c", "a", ""},
		{"a=", "a", ""},
		{"a=b=c", "a", "b=c"},
		{"\ufeffa=b\r\n", "a", "b"},
		{`a="b # c" # d`, "a", "b # c"},
		{`a="b\"c\\d\u00f1"`, "a", `b"c\dñ`},
		{`a='b\n"c'`, "a", `b\n"c`},
		{`a=""`, "a", ""},
		{`a=["b", 'c',]`, "a", "b,c"},
		{"a=[\n\"b\"\n, # x\n\"c\"] # y", "a", "b,c"},
		{`a=[]`, "a", ""},
	} {
		entries, faults := parseFile([]byte(c.text))
		if len(faults) > 0 || len(entries) != 1 || entries[0].key != c.key || entries[0].value != c.value || entries[0].line != 1 {
			t.Errorf("%q: %+v, %+v; want %q = %q", c.text, entries, faults, c.key, c.value)
		}
	}
	for _, c := range []struct {
		text string
		line int
	}{
		{"a", 1}, {"# x\n\n=b", 3}, {"[section]", 1}, {`a="b`, 1}, {`a='b`, 1}, {`a="b" c`, 1}, {`a="\z"`, 1}, {`a="""b"""`, 1},
		{`a=["b" "c"]`, 1}, {`a=["b",,"c"]`, 1}, {`a=[1]`, 1}, {"x=1\na=[\"b\"\n", 2}, {`a=["b"] c`, 1}, {`a=[,]`, 1},
		{"a=\xff", 1}, {strings.Repeat("#", maxFileBytes+1), 1},
	} {
		_, faults := parseFile([]byte(c.text))
		if len(faults) != 1 || faults[0].line != c.line {
			t.Errorf("%.40q: faults %+v, want one in line %d", c.text, faults, c.line)
		}
	}
	entries, faults := parseFile([]byte("bad\nx = 1\nworse\ny = 2\n"))
	if len(entries) != 2 || len(faults) != 2 {
		t.Errorf("faults hide other lines: %+v, %+v", entries, faults)
	}
}

func TestSuggestion(t *testing.T) {
	names := []string{"listen", "seed", "speed", "trusted-proxies"}
	for typed, want := range map[string]string{
		"lisen": "; did you mean --listen?", "LISTEN": "; did you mean --listen?", "sped": "; did you mean --speed?",
		"trusted_proxy": "; did you mean --trusted-proxies?", "frobnicate": "", strings.Repeat("x", 5000): "",
	} {
		if got := suggestion(typed, names, "--"); got != want {
			t.Errorf("%.20s: %q, want %q", typed, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		d    int
	}{{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"contact", "contcat", 1}} {
		if got := editDistance(c.a, c.b); got != c.d {
			t.Errorf("editDistance(%q, %q) = %d, want %d", c.a, c.b, got, c.d)
		}
	}
}

// FuzzParseFile: whatever the file, no panic, lines within the file, and what is
// read can be written back and read again as the same.
func FuzzParseFile(f *testing.F) {
	for _, text := range []string{"a=b", "a = \"b\" # c\n[x]\n", "a=[\n'b',\n\"c\"]\nd", "\ufeff#\r\n=", `a="\u00f1\x00"`, "\n\ufeff=", `" 00"=`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, faults := parseFile(data)
		lines := strings.Count(string(data), "\n") + 1
		for _, fault := range faults {
			if fault.line < 1 || fault.line > lines || strings.Contains(fault.text, "\n") {
				t.Errorf("fault %+v in a file of %d lines", fault, lines)
			}
		}
		var again strings.Builder
		again.WriteString("#\n") // a mark of byte order is one only where the file begins
		for _, e := range entries {
			if e.line < 1 || e.line > lines || e.key == "" {
				t.Errorf("entry %+v in a file of %d lines", e, lines)
			}
			fmt.Fprintf(&again, "\"%s\" = %q\n", e.key, e.value) // in quotes, spaces are part of a key
		}
		twice, faults := parseFile([]byte(again.String()))
		if again.Len() > maxFileBytes {
			return
		}
		if len(faults) > 0 || len(twice) != len(entries) {
			t.Fatalf("written back: %d entries, faults %+v; want %d entries\n%s", len(twice), faults, len(entries), again.String())
		}
		for i := range twice {
			if twice[i].key != entries[i].key || twice[i].value != entries[i].value {
				t.Errorf("written back %+v, was %+v", twice[i], entries[i])
			}
		}
	})
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
		if c, fault := findCommand(s.Command); c == nil {
			t.Fatalf("command %q: %s", s.Command, fault)
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
