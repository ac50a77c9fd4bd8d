//go:build trials

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vigia/handlers/cli/clitest"

	"go.etcd.io/bbolt"
)

// servedFolder is a folder of data with a subscriber and a backup, of a service that has
// ended.
type servedFolder struct {
	*surroundings
	t      *testing.T
	data   string
	token  string // path of the subscriber's subscription
	backup string
	args   []string // to serve it
}

// keep makes the folder below a place.
func keep(t *testing.T, place string) *servedFolder {
	t.Helper()
	k := &servedFolder{surroundings: surround(t), t: t, data: filepath.Join(place, "data")}
	k.args = k.serving(k.data, clitest.FewParks(t))
	p := begin(t, nil, k.args...)
	clitest.Poll(t, "the first cycle", func() bool { return cycleClosed(p.String()) })
	k.token = clitest.Join(t, p.URL, k.browsers, `"parques":["los-andes"]`)
	status, made := clitest.RunOn(t, k.data, "backup")
	if status != 0 {
		t.Fatal(made)
	}
	k.backup = strings.TrimSpace(made)
	if status := p.Stop(t); status != 0 {
		t.Fatalf("the end: %d\n%s", status, p.Errs)
	}
	return k
}

func (k *servedFolder) file() string { return filepath.Join(k.data, "vigia.db") }

// ask makes a request and gives its status and whether it says when to try again.
func (k *servedFolder) ask(method, url, body string) (status int, retry bool) {
	k.t.Helper()
	response, _ := clitest.Ask(k.t, method, url, jsonKind, body, nil)
	return response.StatusCode, response.Header.Get("Retry-After") != ""
}

// join has a browser subscribe.
func (k *servedFolder) join(url string) (status int, retry bool) {
	k.t.Helper()
	endpoint, key, auth := k.browsers.NewBrowser()
	return k.ask("POST", url+"/api/v1/suscriptores", clitest.PushWish(endpoint, key, auth, "", `"parques":["los-andes"]`))
}

// fileHealth is what health says of the file.
type fileHealth struct {
	Estado   string
	Database struct {
		Estado    string
		Remediate *string `json:"que_hacer"`
	} `json:"base_de_datos"`
}

func (k *servedFolder) health(url string) (h fileHealth) {
	k.t.Helper()
	clitest.Get(k.t, url+"/api/v1/health", 200, &h)
	return h
}

// expectRefusing wants writes and tokens refused until later, with what to do in
// health, and everything else served.
func (k *servedFolder) expectRefusing(p *clitest.Process) {
	t := k.t
	t.Helper()
	clitest.Poll(t, "estimates", func() bool {
		var parks []clitest.Park
		clitest.Get(t, p.URL+"/api/v1/parques", 200, &parks)
		return len(parks) > 0 && parks[0].Estado != nil
	})
	clitest.Text(t, p.URL+"/")
	clitest.Text(t, p.URL+"/parques/los-andes")
	if status, retry := k.join(p.URL); status != 503 || !retry {
		t.Errorf("subscribing a browser: %d, Retry-After %v", status, retry)
	}
	if status, retry := k.ask("POST", p.URL+"/api/v1/suscriptores", `{"canal":"email","email":"ana@example.cl","parques":["los-andes"],"consentimiento":true}`); status != 503 || !retry {
		t.Errorf("subscribing by mail: %d, Retry-After %v", status, retry)
	}
	for _, method := range []string{"GET", "DELETE"} {
		if status, retry := k.ask(method, p.URL+k.token, ""); status != 503 || !retry {
			t.Errorf("%s of a token: %d, Retry-After %v", method, status, retry)
		}
	}
	if h := k.health(p.URL); h.Estado != "degradado" || h.Database.Estado != "error" || h.Database.Remediate == nil || !strings.Contains(*h.Database.Remediate, "vigia restore") {
		t.Errorf("health: %+v", h)
	}
	errs := 0
	for _, line := range strings.Split(p.Errs.String(), "\n") {
		if strings.Contains(line, `"level":"ERROR"`) && !strings.Contains(line, "control.sock") { // which a read-only folder cannot have
			errs++
		}
	}
	if errs != 1 {
		t.Errorf("%d errors in the log:\n%s", errs, p.Errs)
	}
}

// A file that is gone or empty beside what only a service with a file leaves is not
// taken for a first start, and nothing is made in its place; restoring brings
// everybody back, and moving the rest away begins anew.
func TestALostFileIsNoFirstStart(t *testing.T) {
	t.Parallel()
	k := keep(t, t.TempDir())
	whole, err := os.ReadFile(k.file())
	if err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(t.TempDir(), "moved")
	for name, c := range map[string]struct {
		content []byte // nil is no file
		without string // what is not beside it
	}{
		"gone": {}, "empty": {content: []byte{}}, "zeros": {content: make([]byte, 4096)},
		"gone, without the key": {without: "vigia.key"}, "empty, without backups": {content: []byte{}, without: "backups"},
	} {
		if err := os.Remove(k.file()); err != nil {
			t.Fatal(err)
		}
		if c.content != nil {
			if err := os.WriteFile(k.file(), c.content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if c.without != "" {
			if err := os.Rename(filepath.Join(k.data, c.without), moved); err != nil {
				t.Fatal(err)
			}
		}
		before := clitest.FolderContents(t, k.data)
		for _, args := range [][]string{{"compact"}, {"backup"}, {"import", "cierres", clitest.WriteFile(t, "c.json", "[]"), "--catalogue", clitest.FewParks(t)}, {"check", "--contact", "a@example.cl"}} {
			status, said := clitest.RunOn(t, k.data, args...)
			lines := strings.Split(strings.TrimSpace(said), "\n")
			if status != 1 {
				t.Errorf("%s: vigia %s: status %d", name, args[0], status)
			}
			words := []string{"vigia restore", "begin anew", "vigia.key"}
			if c.content == nil && (args[0] == "compact" || args[0] == "backup") {
				words = []string{"does not exist"} // they never make a file
			}
			clitest.ExpectOneLine(t, name+": vigia "+args[0], lines[len(lines)-1], words...)
		}
		p := begin(t, nil, k.args...)
		k.expectRefusing(p)
		if status := p.Stop(t); status != 0 {
			t.Errorf("%s: the end: %d", name, status)
		}
		if after := clitest.FolderContents(t, k.data); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("%s: what was there has changed", name)
		}
		if c.without != "" {
			if err := os.Rename(moved, filepath.Join(k.data, c.without)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(k.file(), whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(k.file(), 0); err != nil {
		t.Fatal(err)
	}
	if status, said := clitest.RunOn(t, k.data, "restore", k.backup); status != 0 {
		t.Fatal(said)
	}
	p := begin(t, nil, k.args...)
	if status, _ := k.ask("GET", p.URL+k.token, ""); status != 200 {
		t.Errorf("a token after restoring: %d", status)
	}
	if status := p.Stop(t); status != 0 {
		t.Error("the end", status)
	}
	if err := os.Rename(k.data, moved); err != nil { // to begin anew
		t.Fatal(err)
	}
	p = begin(t, nil, k.args...)
	if status, _ := k.join(p.URL); status != 202 {
		t.Errorf("subscribing to a service that begins anew: %d", status)
	}
}

// A file that is damaged, or that may only be read, costs those who subscribed and
// nobody else. It is not touched.
func TestServingWithoutTheFile(t *testing.T) {
	t.Parallel()
	d := smallDisk(t, "16m")
	k := keep(t, d.path)
	whole, err := os.ReadFile(k.file())
	if err != nil {
		t.Fatal(err)
	}
	write := func(content []byte) func() {
		if err := os.WriteFile(k.file(), content, 0o600); err != nil {
			t.Fatal(err)
		}
		return func() {}
	}
	for name, spoil := range map[string]func() func(){
		"cut short":          func() func() { return write(whole[:20_480]) },
		"foreign":            func() func() { return write([]byte(strings.Repeat("hola ", 20_000))) },
		"zeros in its place": func() func() { return write(make([]byte, len(whole))) },
		"read-only folder":   func() func() { return mountReadOnly(t, k.data) },
		"read-only file":     func() func() { return mountReadOnly(t, k.file()) },
	} {
		undo := spoil()
		before := clitest.FolderContents(t, k.data)
		p := begin(t, nil, k.args...)
		k.expectRefusing(p)
		if status := p.Stop(t); status != 0 {
			t.Errorf("%s: the end: %d", name, status)
		}
		if after := clitest.FolderContents(t, k.data); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("%s: what was there has changed", name)
		}
		undo()
		write(whole)
	}
	p := begin(t, nil, k.args...)
	if status, _ := k.ask("GET", p.URL+k.token, ""); status != 200 {
		t.Errorf("a token with the file as it was: %d", status)
	}
	if h := k.health(p.URL); h.Database.Estado != "ok" || h.Database.Remediate != nil {
		t.Errorf("health with the file as it was: %+v", h)
	}
}

// A file that is taken away under the service, or another put in its place, closes it
// to writes at once and by itself, until the very same file is back. Reading goes on,
// what somebody put there is left, and compacting is no such thing.
func TestTheFileIsTakenAwayUnderTheService(t *testing.T) {
	t.Parallel()
	d := smallDisk(t, "24m")
	for name, c := range map[string]struct {
		take func(k *servedFolder) error
		back func(k *servedFolder) error // nil is never
	}{
		"removed with its folder": {take: func(k *servedFolder) error { return os.RemoveAll(k.data) }},
		"renamed": {
			take: func(k *servedFolder) error { return os.Rename(k.data, k.data+"-away") },
			back: func(k *servedFolder) error { return os.Rename(k.data+"-away", k.data) },
		},
		"another in its place": {
			take: func(k *servedFolder) error {
				return errors.Join(os.Rename(k.file(), k.file()+"-away"), os.WriteFile(k.file(), []byte("something else"), 0o600))
			},
			back: func(k *servedFolder) error { return os.Rename(k.file()+"-away", k.file()) },
		},
		"a copy of it in its place": {
			take: func(k *servedFolder) error {
				text, err := os.ReadFile(k.file())
				return errors.Join(err, os.Rename(k.file(), k.file()+"-away"), os.WriteFile(k.file(), text, 0o600))
			},
			back: func(k *servedFolder) error { return os.Rename(k.file()+"-away", k.file()) },
		},
		"mounted over": {
			take: func(k *servedFolder) error { return syscall.Mount("none", k.data, "tmpfs", 0, "size=1m") },
			back: func(k *servedFolder) error { return syscall.Unmount(k.data, 0) },
		},
		"a link that leads elsewhere": {
			take: func(k *servedFolder) error {
				other := k.data + "-other"
				return errors.Join(os.Mkdir(other, 0o700), os.Remove(k.data), os.Symlink(other, k.data))
			},
			back: func(k *servedFolder) error { return errors.Join(os.Remove(k.data), os.Symlink(k.data+"-real", k.data)) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			place := filepath.Join(d.path, strings.ReplaceAll(name, " ", "-"))
			if err := os.Mkdir(place, 0o700); err != nil {
				t.Fatal(err)
			}
			k := keep(t, place)
			k.t = t
			if strings.Contains(name, "link") {
				if err := errors.Join(os.Rename(k.data, k.data+"-real"), os.Symlink(k.data+"-real", k.data)); err != nil {
					t.Fatal(err)
				}
			}
			p := begin(t, nil, k.args...)
			clitest.Poll(t, "the first cycle", func() bool { return cycleClosed(p.String()) })
			if status, said := clitest.RunOn(t, k.data, "compact"); status != 0 {
				t.Fatal(said)
			}
			if status, _ := k.join(p.URL); status != 202 || k.health(p.URL).Database.Estado != "ok" {
				t.Fatalf("after compacting: %d, %+v", status, k.health(p.URL))
			}
			if err := c.take(k); err != nil {
				t.Fatal(err)
			}
			there := clitest.FolderContents(t, place)
			clitest.Poll(t, "the service to notice by itself", func() bool { return k.health(p.URL).Database.Estado == "error" })
			for range 3 {
				if status, retry := k.join(p.URL); status != 503 || !retry {
					t.Errorf("subscribing: %d, Retry-After %v", status, retry)
				}
			}
			if status, _ := k.ask("GET", p.URL+k.token, ""); status != 200 {
				t.Errorf("a token: %d", status)
			}
			clitest.Get(t, p.URL+"/api/v1/parques", 200, nil)
			if h := k.health(p.URL); h.Estado != "degradado" || h.Database.Remediate == nil {
				t.Errorf("health: %+v", h)
			}
			if n := strings.Count(p.Errs.String(), `"level":"ERROR"`); n != 1 {
				t.Errorf("%d errors in the log:\n%s", n, p.Errs)
			}
			if after := clitest.FolderContents(t, place); fmt.Sprint(after) != fmt.Sprint(there) {
				t.Error("what lies in its place was changed")
			}
			if c.back == nil {
				return
			}
			if err := c.back(k); err != nil {
				t.Fatal(err)
			}
			clitest.Poll(t, "the file that is back", func() bool { return k.health(p.URL).Estado == "ok" })
			status, _ := k.join(p.URL)
			if status != 202 {
				t.Errorf("subscribing to the file that is back: %d", status)
			}
			p.Kill()
			checkFile(t, k.file())
		})
	}
}

// A commit that is under way is one transaction: whatever is acknowledged while the
// file comes and goes is in the file that is there in the end.
func TestWhatIsAcknowledgedIsInTheFileThatIsThere(t *testing.T) {
	t.Parallel()
	k := keep(t, t.TempDir())
	p := begin(t, nil, k.args...)
	clitest.Poll(t, "the first cycle", func() bool { return cycleClosed(p.String()) })
	var kept []string
	refused := 0
	for i := range 40 {
		if i%10 == 5 {
			if err := os.Rename(k.data, k.data+"-away"); err != nil {
				t.Fatal(err)
			}
		}
		if i%10 < 5 {
			kept = append(kept, clitest.Join(t, p.URL, k.browsers, `"parques":["los-andes"]`))
		} else if status, _ := k.join(p.URL); status == 503 {
			refused++
		} else {
			t.Errorf("%d: %d", i, status)
		}
		if i%10 == 9 {
			if err := os.Rename(k.data+"-away", k.data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if refused != 20 || len(kept) != 20 {
		t.Errorf("%d refused and %d kept of 40", refused, len(kept))
	}
	p.Kill()
	again := begin(t, nil, k.args...)
	for _, token := range kept {
		if status, _ := k.ask("GET", again.URL+token, ""); status != 200 {
			t.Errorf("acknowledged and lost: %d", status)
		}
	}
}

// A bit that turned over in the record of a subscriber, or in the key by which it is
// found, is answered 503 and told in health; it costs nobody else, and the backup tells
// of it too.
func TestASubscriptionThatIsDamaged(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]func(bucket *bbolt.Bucket, key, value []byte) error{
		"its value": func(bucket *bbolt.Bucket, key, value []byte) error {
			value[len(value)/2] ^= 8
			return bucket.Put(key, value)
		},
		"its key": func(bucket *bbolt.Bucket, key, value []byte) error {
			other := bytes.Clone(key)
			other[7] ^= 1
			return errors.Join(bucket.Delete(key), bucket.Put(other, value))
		},
	} {
		k := keep(t, t.TempDir())
		db, err := bbolt.Open(k.file(), 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(tx *bbolt.Tx) error {
			bucket := tx.Bucket([]byte("subscriptions"))
			key, value := bucket.Cursor().First()
			return turn(bucket, bytes.Clone(key), bytes.Clone(value))
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		p := begin(t, nil, k.args...)
		if status, retry := k.ask("GET", p.URL+k.token, ""); status != 503 || !retry {
			t.Errorf("%s: GET of the token: %d, Retry-After %v", name, status, retry)
		}
		clitest.Poll(t, "estimates", func() bool { return cycleClosed(p.String()) })
		if h := k.health(p.URL); h.Estado != "degradado" || h.Database.Estado != "error" || h.Database.Remediate == nil {
			t.Errorf("%s: health: %+v", name, h)
		}
		if status, _ := k.join(p.URL); status != 202 {
			t.Errorf("%s: somebody else: %d", name, status)
		}
		status, said := clitest.RunOn(t, k.data, "backup")
		if status != 1 {
			t.Errorf("%s: vigia backup: %d", name, status)
		}
		clitest.ExpectOneLine(t, name+": vigia backup", said, "damaged")
		if status, _ := k.ask("DELETE", p.URL+k.token, ""); status != 200 {
			t.Errorf("%s: leaving: %d", name, status)
		}
		if status, _ := k.ask("GET", p.URL+k.token, ""); status != 404 {
			t.Errorf("%s: who left: %d", name, status)
		}
	}
}
