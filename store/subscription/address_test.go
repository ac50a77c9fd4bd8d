package subscription

import (
	"net/mail"
	"strings"
	"testing"
)

func TestParseAddressTakes(t *testing.T) {
	longDomain := strings.Repeat("a234567890123456789012345678901234567890123456789.", 3) + "b234567890123456789012345678901234567"
	for text, want := range map[string]string{
		"ana@example.cl":                        "ana@example.cl",
		"Ana.Soto+vigia@Example.CL":             "Ana.Soto+vigia@example.cl",
		"a@b.c":                                 "a@b.c",
		"!#$%&'*+-/=?^_`{|}~@example.cl":        "!#$%&'*+-/=?^_`{|}~@example.cl",
		"ana@ñandú.cl":                          "ana@xn--and-6ma2c.cl",
		"ana@XN--AND-6MA2C.cl":                  "ana@xn--and-6ma2c.cl",
		"ana@faß.de":                            "ana@xn--fa-hia.de",
		"ana@例え.jp":                             "ana@xn--r8jz45g.jp",
		"ana@mail.exam-ple.cl":                  "ana@mail.exam-ple.cl",
		"ana@123.cl":                            "ana@123.cl",
		"ana@latest.cl":                         "ana@latest.cl",
		"ana@mylocalhost.cl":                    "ana@mylocalhost.cl",
		"ana@notexample.com":                    "ana@notexample.com",
		"ana@example.co":                        "ana@example.co",
		strings.Repeat("a", 64) + "@example.cl": strings.Repeat("a", 64) + "@example.cl",
		"a@" + strings.Repeat("b", 63) + ".cl":  "a@" + strings.Repeat("b", 63) + ".cl",
		strings.Repeat("a", 63) + "@" + longDomain + ".cl": strings.Repeat("a", 63) + "@" + longDomain + ".cl", // 254 in all
	} {
		got, err := ParseAddress(text)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		if again, err := ParseAddress(got); err != nil || again != got {
			t.Errorf("%q is not taken again: %q, %v", got, again, err)
		}
	}
}

func TestParseAddressRefuses(t *testing.T) {
	longDomain := strings.Repeat("a234567890123456789012345678901234567890123456789.", 3) + "b234567890123456789012345678901234567"
	for _, text := range []string{
		"", "@", "ana", "ana@", "@example.cl", "ana example.cl", "a@b@example.cl",
		// more than the address
		"Ana <ana@example.cl>", "<ana@example.cl>", " ana@example.cl", "ana@example.cl ", "ana@example.cl\r\nBcc: x@example.cl",
		"ana@example.cl, eva@example.cl", "ana(hola)@example.cl", "ana@example.cl (hola)", "grupo: ana@example.cl;", "ana@example.cl\x00",
		"=?utf-8?q?ana?= <ana@example.cl>", "mailto:ana@example.cl", "\"ana\"@example.cl", "\"a b\"@example.cl", `a\b@example.cl`,
		// local parts
		".ana@example.cl", "ana.@example.cl", "a..b@example.cl", "añá@example.cl", "ana\u200b@example.cl", "аna@example.cl",
		strings.Repeat("a", 65) + "@example.cl",
		// domains
		"ana@cl", "ana@example.cl.", "ana@.example.cl", "ana@example..cl", "ana@-example.cl", "ana@example-.cl", "ana@exa_mple.cl",
		"ana@exam ple.cl", "ana@example.cl:25", "ana@[127.0.0.1]", "ana@[IPv6:::1]", "ana@127.0.0.1", "ana@2130706433", "ana@1.2.3.0x7f",
		"ana@１２７.0.0.１", "ana@example.123", "ana@xn--.cl", "ana@xn--ñ.cl", "ana@%65xample.cl", "ana@example.cl/x", "ana@\u202eexample.cl",
		"a@" + strings.Repeat("b", 64) + ".cl", "ana@" + strings.Repeat("ñ", 60) + ".cl",
		strings.Repeat("a", 64) + "@" + longDomain + ".cl", // 255
		"a@" + strings.Repeat("b.", 50_000) + "cl",
		// no mail can go there
		"ana@localhost", "ana@x.localhost", "ana@router.local", "ana@x.internal", "ana@x.home.arpa", "ana@1.0.0.127.in-addr.arpa",
		"ana@x.test", "ana@x.invalid", "ana@x.example", "ana@example.com", "ana@mail.EXAMPLE.org", "ana@example.net", "ana@abc.onion", "ana@x.alt",
		"ana@ｌｏｃａｌｈｏｓｔ", "ana@x.ｔｅｓｔ", "ana@x。test",
	} {
		if got, err := ParseAddress(text); err == nil || got != "" {
			t.Errorf("%.100q is taken as %q", text, got)
		} else if len(text) > 4 && strings.Contains(err.Error(), text) {
			t.Errorf("%q is repeated: %v", text, err)
		}
	}
}

func TestIdentity(t *testing.T) {
	if a, b := Identity("Ana.Soto@example.cl"), Identity("ana.soto@example.cl"); a != b {
		t.Errorf("%q and %q are two", a, b)
	}
	if a, b := Identity("ana@example.cl"), Identity("ana+1@example.cl"); a == b {
		t.Errorf("%q is one with another address", a)
	}
}

func TestMailbox(t *testing.T) {
	for address, want := range map[string]string{
		"Ana.Soto@Example.cl":        "ana.soto@example.cl",
		"ana+vigia@example.cl":       "ana@example.cl",
		"ana+a+b@example.cl":         "ana@example.cl",
		"+ana@example.cl":            "+ana@example.cl",
		"a.n.a+x@gmail.com":          "ana@gmail.com",
		"A.na@googlemail.com":        "ana@gmail.com",
		"a.na@gmail.com.example.cl":  "a.na@gmail.com.example.cl",
		"ana-b@example.cl":           "ana-b@example.cl",
		"ana@xn--and-6ma2c.cl":       "ana@xn--and-6ma2c.cl",
		"a.na+x@mail.googlemail.com": "a.na@mail.googlemail.com",
	} {
		if got := Mailbox(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}

// FuzzParseAddress: what is taken is a plain address that a mail's header and an
// SMTP command can carry as it stands, and is taken again unchanged.
func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"ana@example.cl", "A.b+c@Ñandú.cl", `"a b"@x.cl`, "a@[127.0.0.1]", "a@1.2.3.4", "a@x.cl\r\n", "<a@x.cl>",
		"a@faß.de", "a@xn--fa-hia.de", "a@x。cl", "a@\u00ad.cl", "é@x.cl", "a@x.cl.", "0@\x91.A", "=?utf-8?q?=3Ca=40x=2Ecl=3E?="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		address, err := ParseAddress(text)
		if err != nil {
			return
		}
		local, domain, _ := strings.Cut(address, "@")
		if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }) || strings.ContainsAny(address, "<>()[]\\,;:\"") ||
			strings.Count(address, "@") != 1 || len(address) > 254 || local == "" || len(local) > 64 ||
			!IsDomain(domain) || !strings.HasPrefix(text, local+"@") {
			t.Fatalf("%q is taken as %q", text, address)
		}
		if parsed, err := mail.ParseAddress(address); err != nil || parsed.Address != address || parsed.Name != "" {
			t.Fatalf("%q is read as %v, %v", address, parsed, err)
		}
		if again, err := ParseAddress(address); err != nil || again != address {
			t.Fatalf("%q again: %q, %v", address, again, err)
		}
	})
}
