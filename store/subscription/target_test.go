package subscription

import (
	"bytes"
	"crypto/ecdh"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"testing"
)

// browserKeys makes what a browser gives beside the endpoint.
func browserKeys(t testing.TB) (key, auth []byte) {
	t.Helper()
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	auth = make([]byte, 16)
	rand.Read(auth)
	return private.PublicKey().Bytes(), auth
}

const endpoint = "https://fcm.googleapis.com/fcm/send/abc:DEF_-1"

func TestParseTargetTakesEveryBase64(t *testing.T) {
	for range 50 { // so that the characters that differ occur
		key, auth := browserKeys(t)
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			got, err := ParseTarget(endpoint, encoding.EncodeToString(key), encoding.EncodeToString(auth), PushHosts{})
			if err != nil || got.Endpoint != endpoint || !bytes.Equal(got.Key[:], key) || !bytes.Equal(got.Auth[:], auth) {
				t.Fatalf("%v, %v", got, err)
			}
		}
	}
}

// wrongFields lists the fields that an error names.
func wrongFields(err error) string {
	var fields []string
	if wrong := (TargetError)(nil); errors.As(err, &wrong) {
		for _, f := range wrong {
			fields = append(fields, f.Field)
		}
	}
	return strings.Join(fields, " ")
}

func TestParseTargetRefusesKeys(t *testing.T) {
	key, auth := browserKeys(t)
	text := func(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
	off := bytes.Clone(key)
	off[64] ^= 1
	hybrid := bytes.Clone(key)
	hybrid[0] = 6
	x, y := elliptic.Unmarshal(elliptic.P256(), key) //lint:ignore SA1019 the compressed form is what must be refused
	for name, bad := range map[string]string{
		"empty": "", "off the curve": text(off), "zero": text(make([]byte, 65)), "hybrid": text(hybrid), "infinity": text([]byte{0}),
		"compressed": text(elliptic.MarshalCompressed(elliptic.P256(), x, y)), "short": text(key[:64]), "long": text(append(key, 0)),
		"without its first byte": text(key[1:]), "with a line break": text(key)[:40] + "\n" + text(key)[40:], "cut, with a line break": text(key)[:86] + "\n",
		"padded wrong": text(key) + "==", "not base64": strings.Repeat("*", 87), "padding inside": text(key)[:86] + "=A", "huge": strings.Repeat("A", 1<<20),
	} {
		_, err := ParseTarget(endpoint, bad, text(auth), PushHosts{})
		if got := wrongFields(err); got != "webpush.keys.p256dh" {
			t.Errorf("key %s: %v", name, err)
		}
	}
	for name, bad := range map[string]string{
		"empty": "", "short": text(auth[:15]), "long": text(append(auth, 1)), "padded wrong": text(auth) + "=", "spaces": " " + text(auth)[1:], "a line break for two letters": text(auth)[:20] + "\r\n", "not base64": "ññññññññññññññññññññññ",
	} {
		_, err := ParseTarget(endpoint, text(key), bad, PushHosts{})
		if got := wrongFields(err); got != "webpush.keys.auth" {
			t.Errorf("auth %s: %v", name, err)
		}
	}
	_, err := ParseTarget("x", "x", "x", PushHosts{})
	if got := wrongFields(err); got != "webpush.endpoint webpush.keys.p256dh webpush.keys.auth" {
		t.Errorf("not everything wrong is named: %v", err)
	}
}

func TestParseTargetTakesEndpoints(t *testing.T) {
	hosts, err := ParsePushHosts([]string{"push.example.cl", "*.empuje.cl", "http://127.0.0.1:9999", "https://interno.example.cl:8443", "http://[::1]:80"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		endpoint:                              endpoint,
		"https://jmt17.google.com/fcm/send/x": "",
		"https://updates.push.services.mozilla.com/wpush/v2/gAAA-_":          "",
		"https://web.push.apple.com/QGuQyavXutnMH":                           "",
		"https://api.push.apple.com/3/x":                                     "",
		"https://wns2-par02p.notify.windows.com/w/?token=BQYAAAD%2fa%2bb%3d": "",
		"HTTPS://FCM.GoogleAPIs.com/fcm/Send/x":                              "https://fcm.googleapis.com/fcm/Send/x",
		"https://fcm.googleapis.com:443/x":                                   "https://fcm.googleapis.com/x",
		"https://fcm.googleapis.com:/x":                                      "https://fcm.googleapis.com/x",
		"https://fcm.googleapis.com/a%20b/..%2fc?q=%20":                      "",
		"https://push.example.cl/x":                                          "",
		"https://a.b.empuje.cl/x":                                            "",
		"http://127.0.0.1:9999/p/1":                                          "",
		"https://interno.example.cl:8443/x":                                  "",
		"http://[::1]/x":                                                     "",
		"http://[::1]:80/x":                                                  "http://[::1]/x",
		"https://fcm.googleapis.com/" + strings.Repeat("a", 1024-len("https://fcm.googleapis.com/")): "",
	} {
		got, err := parseEndpoint(text, hosts)
		if want == "" {
			want = text
		}
		if err != nil || got != want {
			t.Errorf("%.120s: %q, %v", text, got, err)
		}
		if again, err := parseEndpoint(got, hosts); err != nil || again != got {
			t.Errorf("%s again: %q, %v", got, again, err)
		}
	}
}

func TestParseTargetRefusesEndpoints(t *testing.T) {
	hosts, err := ParsePushHosts([]string{"http://127.0.0.1:9999", "*.empuje.cl", "https://interno.example.cl:8443"})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"", "x", "/x", "//fcm.googleapis.com/x", "https:", "https://", "https:///x", "https:fcm.googleapis.com/x", "javascript:alert(1)",
		// not https, another port
		"http://fcm.googleapis.com/x", "ftp://fcm.googleapis.com/x", "https://fcm.googleapis.com:80/x", "https://fcm.googleapis.com:8443/x",
		"https://fcm.googleapis.com:0443/x", "https://fcm.googleapis.com:443:443/x", "https://fcm.googleapis.com:x/x",
		// user, fragment, nobody
		"https://a@fcm.googleapis.com/x", "https://a:b@fcm.googleapis.com/x", "https://@fcm.googleapis.com/x", "https://fcm.googleapis.com@evil.example/x",
		"https://fcm.googleapis.com/x#", "https://fcm.googleapis.com/x#y", "https://fcm.googleapis.com", "https://fcm.googleapis.com/",
		// another host
		"https://evil.example/x", "https://evil.example/fcm.googleapis.com/x", "https://fcm.googleapis.com.evil.example/x", "https://evilfcm.googleapis.com/x",
		"https://x.fcm.googleapis.com/x", "https://googleapis.com/x", "https://notify.windows.com/x", "https://evilnotify.windows.com/x",
		"https://evil.example?https://fcm.googleapis.com/x", "https://evil.example/?x=.notify.windows.com", "https://push.apple.com/x",
		"https://evil.example\\.notify.windows.com/x", "https://fcm.googleapis.com\\@evil.example/x", "https://fcm.googleapis.com%2eevil.example/x",
		"https://fcm%2Egoogleapis.com/x", "https://fcm.googleapis.com%00.notify.windows.com/x", "https://empuje.cl/x", "https://.empuje.cl/x",
		"https://a..empuje.cl/x", "https://-.empuje.cl/x", "https://a_b.empuje.cl/x", "https://a b.empuje.cl/x", "https://[fcm.googleapis.com]/x",
		// written otherwise
		"https://fcm.googleapis.com./x", "https://fcm。googleapis.com/x", "https://ⓕcm.googleapis.com/x", "https://ⓛocalhost/", "https://fcm.googleapis.com/ñ",
		"https://fcm.googleapis.com/a b", "https://fcm.googleapis.com/a\r\nHost: x", "https://fcm.googleapis.com/a\\b", " https://fcm.googleapis.com/x",
		"https://fcm.googleapis.com/x\x00", "https://fcm.googleapis.com/%zz", "https://fcm.googleapis.com/" + strings.Repeat("a", 1025-len("https://fcm.googleapis.com/")),
		// addresses, and origins near those that were written
		"https://127.0.0.1/x", "https://2130706433/x", "https://[::1]/x", "https://169.254.169.254/latest", "https://localhost/x",
		"http://127.0.0.1/x", "http://127.0.0.1:99990/x", "https://127.0.0.1:9999/x", "http://127.0.0.1:9999@evil.example/x", "http://localhost:9999/x",
		"http://a@127.0.0.1:9999/x", "https://interno.example.cl/x", "http://interno.example.cl:8443/x",
	} {
		if got, err := parseEndpoint(text, hosts); err == nil {
			t.Errorf("%.100q is taken as %q", text, got)
		} else if len(text) > 8 && strings.Contains(err.Error(), text) {
			t.Errorf("%q is repeated: %v", text, err)
		}
	}
}

func TestParsePushHostsRefuses(t *testing.T) {
	for _, text := range []string{"", "*", "*.", "localhost", "*.cl", "push", "push.example.cl:443", "push.example.cl/x", "127.0.0.1", "[::1]", "a..b.cl",
		"*.*.example.cl", "x*.example.cl", "ñandu.cl", "https://", "ftp://push.example.cl", "https://a@push.example.cl", "https://push.example.cl/x",
		"https://push.example.cl?x", "https://push.example.cl#", "https://*.example.cl\\", "https://ñandu.cl", "https://push.example.cl:port", "https://a%2eb.cl"} {
		if h, err := ParsePushHosts([]string{"push.example.cl", text}); err == nil {
			t.Errorf("%q is taken: %v", text, h)
		} else if text != "" && !strings.Contains(err.Error(), strings.Trim(text, `\`)) {
			t.Errorf("%q is not named: %v", text, err)
		}
	}
}

func TestPushHostsOfURLs(t *testing.T) {
	hosts, err := ParsePushHosts([]string{"HTTP://127.0.0.1:9999/", "https://push.example.cl:443", "Empuje.CL"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]struct{ allowed, asWritten bool }{
		"https://fcm.googleapis.com/x":      {true, false},
		"https://empuje.cl/x":               {true, false},
		"https://push.example.cl/x":         {true, true},
		"https://push.example.cl:443/x":     {true, true},
		"http://127.0.0.1:9999/x":           {true, true},
		"http://push.example.cl/x":          {},
		"http://127.0.0.1/x":                {},
		"http://user@127.0.0.1:9999/x":      {},
		"https://user@fcm.googleapis.com/x": {},
		"http://fcm.googleapis.com/x":       {},
		"https://fcm.googleapis.com:8443/x": {},
		"https://fcm.googleapis.com.x.cl/x": {},
		"https:fcm.googleapis.com":          {},
		"/x":                                {},
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if hosts.Allows(u) != want.allowed || hosts.AsWritten(u) != want.asWritten {
			t.Errorf("%s: allowed %v, as written %v", text, hosts.Allows(u), hosts.AsWritten(u))
		}
	}
}

// FuzzParseTarget: what is taken leads to a server on the list, whoever reads it,
// and is taken again unchanged.
func FuzzParseTarget(f *testing.F) {
	key, auth := browserKeys(f)
	for _, e := range []string{endpoint, "https://a.notify.windows.com/w/?token=a%2fb", "https://fcm.googleapis.com:443/x", "http://127.0.0.1:9999/x",
		"https://a@fcm.googleapis.com/x", "https://fcm.googleapis.com\\@x/", "https://x/?.push.apple.com", "https://ⓕcm.googleapis.com/x"} {
		f.Add(e, base64.RawURLEncoding.EncodeToString(key), base64.StdEncoding.EncodeToString(auth))
	}
	hosts, err := ParsePushHosts([]string{"http://127.0.0.1:9999", "*.empuje.cl"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, endpoint, p256dh, auth string) {
		target, err := ParseTarget(endpoint, p256dh, auth, hosts)
		if err != nil {
			if wrongFields(err) == "" || target != nil || err.Error() == "" {
				t.Fatalf("%v with %v", err, target)
			}
			return
		}
		u, err := url.Parse(target.Endpoint)
		if err != nil || !hosts.Allows(u) || u.User != nil || u.Fragment != "" || !isPlainASCII(target.Endpoint) {
			t.Fatalf("%q is taken as %q: %v", endpoint, target.Endpoint, err)
		}
		host := u.Hostname()
		if written := u.Scheme == "http" && u.Host == "127.0.0.1:9999"; !written &&
			(u.Scheme != "https" || u.Port() != "" || !onList(knownPushHosts, host) && !strings.HasSuffix(host, ".empuje.cl")) {
			t.Fatalf("%q leads to %q", endpoint, u.Host)
		}
		if _, err := ecdh.P256().NewPublicKey(target.Key[:]); err != nil {
			t.Fatalf("%q: %v", p256dh, err)
		}
		again, err := ParseTarget(target.Endpoint, base64.StdEncoding.EncodeToString(target.Key[:]), base64.URLEncoding.EncodeToString(target.Auth[:]), hosts)
		if err != nil || *again != *target {
			t.Fatalf("%v again: %v, %v", target, again, err)
		}
	})
}
