package https

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

// alone makes certificates that nobody asks the authority for.
func alone(t *testing.T, folder string, clock clockwork.Clock) (*Certificates, *journal) {
	t.Helper()
	log := newJournal()
	c, err := New(Options{
		Domains: []string{name}, Authority: nobody.directory, Folder: folder, Clock: clock, Log: slog.New(slog.NewTextHandler(log, nil)),
		Client: &http.Client{Transport: refusing{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.end)
	return c, log
}

// nobody is the directory of an authority that is not asked.
var nobody = &authority{directory: "https://acme.example.org/directory"}

// refusing fails each request.
type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }

// With fewer than 20 days left and renewals that fail, a line a day says so. As long
// as there is time, or nothing failed, none does.
func TestWarnsOnceADay(t *testing.T) {
	t.Parallel()
	end := time.Date(2027, 2, 1, 9, 0, 0, 0, time.UTC)
	clock := clockwork.NewFakeClockAt(end.Add(-31 * 24 * time.Hour))
	folder := t.TempDir()
	plant(t, nobody, folder, signedUntil(t, name, end)) // of 90 days
	c, log := alone(t, folder, clock)
	d := c.domains[0]
	lines := func() int { return strings.Count(log.String(), "is not renewed") }
	pass := func(days float64) { // and it is looked each hour
		for range int(days * 24) {
			clock.Advance(time.Hour)
			c.warn(d, clock.Now())
		}
	}
	pass(5)
	d.fail("http-01 failed: no route to host")
	pass(5)
	if _, failing := c.Worst(); lines() != 0 || failing {
		t.Fatalf("21 days left: %s", log)
	}
	pass(4)
	if _, failing := c.Worst(); lines() != 3 || !failing || !strings.Contains(log.String(), "days_left=19") || !strings.Contains(log.String(), "no route to host") {
		t.Errorf("17 days left: %s", log)
	}
	if err := c.take(d, pemOf(t, signedUntil(t, name, end.Add(60*24*time.Hour)))); err != nil {
		t.Fatal(err)
	}
	pass(30)
	if _, failing := c.Worst(); lines() != 3 || failing {
		t.Errorf("after the renewal: %s", log)
	}
	pass(28) // 19 days left, and autocert told of no failure
	if lines() < 4 || !strings.Contains(log.String(), "nothing came from the authority") {
		t.Errorf("a renewal that never began is not told of: %s", log)
	}
}

func pemOf(t *testing.T, pair tls.Certificate) []byte {
	t.Helper()
	folder := t.TempDir()
	plant(t, nobody, folder, pair)
	data, err := os.ReadFile(filepath.Join(folder, folderName(nobody.directory), name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A disk that is full does not waste a certificate: it is served, and kept as soon
// as that can be.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	c, log := alone(t, folder, clockwork.NewRealClock())
	if err := os.Rename(c.folder.path, c.folder.path+".away"); err != nil {
		t.Fatal(err)
	}
	data := pemOf(t, selfSigned(t, name))
	if err := c.take(c.domains[0], data); err != nil || c.domains[0].held.Load() == nil {
		t.Fatalf("%v", err)
	}
	c.saveAgain(c.domains[0])
	if !strings.Contains(log.String(), "level=ERROR") || strings.Contains(log.String(), "is kept now") {
		t.Errorf("%s", log)
	}
	if err := os.Rename(c.folder.path+".away", c.folder.path); err != nil {
		t.Fatal(err)
	}
	c.saveAgain(c.domains[0])
	c.saveAgain(c.domains[0])
	if kept, err := c.folder.read(name); err != nil || string(kept) != string(data) || strings.Count(log.String(), "is kept now") != 1 {
		t.Errorf("%v %s", err, log)
	}
}

// Files that are of no use are put aside, and those that others could read are
// closed to them.
func TestFilesOfNoUse(t *testing.T) {
	t.Parallel()
	good := pemOf(t, selfSigned(t, name))
	key, rest := pem.Decode(good)
	other := pemOf(t, selfSigned(t, "other.example.cl"))
	_, otherRest := pem.Decode(other)
	for what, c := range map[string]struct {
		certificate, account string
		held                 bool
		aside                int
	}{
		"a good one":         {string(good), "", true, 0},
		"empty":              {"", "", false, 1},
		"no PEM":             {"x", "x", false, 2},
		"cut":                {string(good[:len(good)/2]), "", false, 1},
		"of another domain":  {string(other), "", false, 1},
		"of another key":     {string(pem.EncodeToMemory(key)) + string(otherRest), "", false, 1},
		"without key":        {string(rest), string(rest), false, 2},
		"a damaged account":  {string(good), "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n", true, 1},
		"an account cut off": {string(good), "-----BEGIN EC", true, 1},
	} {
		folder := t.TempDir()
		dir := filepath.Join(folder, folderName(nobody.directory))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{name: c.certificate, accountKey: c.account, name + unfinished + "17": "x"} {
			if file == accountKey && text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		certificates, log := alone(t, folder, clockwork.NewRealClock())
		if held := certificates.domains[0].held.Load() != nil; held != c.held {
			t.Errorf("%s: held is %v: %s", what, held, log)
		}
		aside, _ := filepath.Glob(filepath.Join(dir, "*.unusable"))
		left, _ := filepath.Glob(filepath.Join(dir, "*"+unfinished+"*"))
		if len(aside) != c.aside || len(left) != 0 {
			t.Errorf("%s: put aside %q, left %q", what, aside, left)
		}
		for _, path := range []string{dir, filepath.Join(dir, name)} {
			if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: %s is open to others: %v", what, path, info.Mode())
			}
		}
	}
}

func TestComplaints(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"type":"urn:ietf:params:acme:error:rateLimited","detail":"too many certificates already issued"}`: "too many certificates",
		`{"type":"urn:ietf:params:acme:error:badNonce","detail":"JWS has an invalid anti-replay nonce"}`:    "",
		`<html>`: "status 500",
		`{}`:     "status 500",
		``:       "status 500",
		`{"status":"invalid","challenges":[{"type":"http-01","status":"invalid","error":{"detail":"NXDOMAIN looking up A"}}]}`: "http-01 failed (the name must lead to this machine, with ports 443 and 80 open to everybody): NXDOMAIN",
		`{"status":"invalid","error":{"type":"x","detail":"CAA forbids it"}}`:                                                  "CAA forbids it",
		`[1,2`: "status 500",
	} {
		if got := complaint(500, []byte(body)); !strings.HasPrefix(strings.TrimPrefix(got, "the authority answers with "), want) || (want == "") != (got == "") {
			t.Errorf("%s: %q", body, got)
		}
	}
	for _, body := range []string{`{"status":"valid","challenges":[{"type":"http-01","status":"valid"}]}`, "-----BEGIN CERTIFICATE-----", ``} {
		if got := complaint(200, []byte(body)); got != "" {
			t.Errorf("%s: %q", body, got)
		}
	}
	if got := plain("a\nb\x00" + strings.Repeat("ñ", 1000)); strings.ContainsAny(got, "\n\x00") || len([]rune(got)) != 501 {
		t.Errorf("%q", got)
	}
}

func TestDays(t *testing.T) {
	t.Parallel()
	for left, want := range map[time.Duration]int{0: 0, -time.Second: -1, -24 * time.Hour: -1, 24*time.Hour - 1: 0, 24 * time.Hour: 1, -25 * time.Hour: -2} {
		if got := days(left); got != want {
			t.Errorf("%v: %d, want %d", left, got, want)
		}
	}
}

// Whatever an authority says makes one line.
func FuzzComplaint(f *testing.F) {
	f.Add(200, []byte(`{"status":"invalid","challenges":[{"type":"http-01","error":{"detail":"a\nb"}}]}`))
	f.Add(429, []byte(`{"type":"urn:ietf:params:acme:error:rateLimited","detail":"too many"}`))
	f.Add(500, []byte("<html>"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if said := plain(complaint(status, body)); strings.ContainsAny(said, "\n\r\x00\x1b") || len(said) > 2100 {
			t.Errorf("%q", said)
		}
	})
}
