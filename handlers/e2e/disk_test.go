//go:build trials

package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vigia/handlers/cli/clitest"
	"vigia/store"
)

// The program runs on a disk of its own, some megabytes large, on which a ballast
// leaves room for so many pages: none, one, two and so on until everything goes
// through.

// pageOfDisk is how much the disk gives at a time.
const pageOfDisk = 4096

// smallDisk mounts a disk, which only root may.
func smallDisk(t *testing.T, size string) *disk {
	t.Helper()
	d := &disk{t: t, path: t.TempDir()}
	if err := syscall.Mount("none", d.path, "tmpfs", 0, "size="+size); err != nil {
		t.Fatalf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(d.path, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return d
}

type disk struct {
	t    testing.TB
	path string
}

func (d *disk) free() uint64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(d.path, &s); err != nil {
		d.t.Fatal(err)
	}
	return s.Bfree
}

// leave makes the ballast as large as it must be for so many free pages.
func (d *disk) leave(pages int) {
	d.t.Helper()
	d.clear()
	ballast, err := os.Create(filepath.Join(d.path, "ballast"))
	if err != nil {
		d.t.Fatal(err)
	}
	defer ballast.Close()
	chunk := make([]byte, pageOfDisk)
	for d.free() > uint64(pages) {
		if _, err := ballast.Write(chunk); err != nil {
			d.t.Fatal(err)
		}
	}
}

// clear takes the ballast away.
func (d *disk) clear() {
	if err := os.Remove(filepath.Join(d.path, "ballast")); err != nil && !os.IsNotExist(err) {
		d.t.Fatal(err)
	}
}

// checkFile opens a copy of a file and checks it whole.
func checkFile(t testing.TB, path string) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "vigia.db")
	data, err := os.ReadFile(path)
	if err = errors.Join(err, os.WriteFile(copied, data, 0o600)); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(copied)
	file, err := store.Open(copied, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A first start on a full disk says so and leaves nothing behind that the next one
// stumbles over.
func TestFirstStartOnAFullDisk(t *testing.T) {
	t.Parallel()
	d, s := smallDisk(t, "2m"), surround(t)
	s.weather.Override(storms(s.clock))
	started := 0
	for pages := 0; started < 2; pages++ {
		if pages > 100 {
			t.Fatalf("no start with room for %d pages", pages)
		}
		data := filepath.Join(d.path, fmt.Sprint("data-", pages))
		args := s.serving(data, stormyParks(t))
		d.leave(pages)
		c := launch(t, nil, args...)
		if c.Reachable(t.Context()) {
			started++
			var parks []clitest.Park
			clitest.Get(t, c.URL+"/api/v1/parques", 200, &parks)
			for i, park := range parks {
				if park.Estado != nil && *park.Estado == "verde" && raging(i, time.Now()) {
					t.Errorf("%d pages: %s is green in its storm", pages, park.Slug)
				}
			}
		} else if status := c.Status(t); status != 1 {
			t.Fatalf("%d pages: status %d\n%s", pages, status, c.Errs)
		} else {
			clitest.ExpectOneLine(t, fmt.Sprint(pages, " pages"), c.Errs.String(), "no space left")
		}
		c.Kill()
		d.clear()
		if left, _ := filepath.Glob(filepath.Join(data, "*.new*")); started == 0 && len(left) > 0 {
			t.Errorf("%d pages: left %v", pages, left)
		}
		again := begin(t, nil, args...)
		clitest.Get(t, again.URL+"/api/v1/parques", 200, nil)
		if status := again.Stop(t); status != 0 {
			t.Errorf("%d pages: the end of the start with room: %d", pages, status)
		}
		checkFile(t, filepath.Join(data, "vigia.db"))
		if err := os.RemoveAll(data); err != nil {
			t.Fatal(err)
		}
	}
}

// smallDiskTrial is a service on a disk that fills and empties under it.
type smallDiskTrial struct {
	*surroundings
	t       *testing.T
	disk    *disk
	data    string
	program *clitest.Process
	people  int
	tokens  map[string]bool // of subscriptions that were acknowledged, and whether they hold
	changed map[string]bool // of those, whether they follow cumbre-3
	mails   []string        // addresses that were promised a mail
	links   []string        // to confirm, not yet used
	// unproven are the browsers that were promised a proof: endpoint and keys.
	unproven [][3]string
	full     int // writes that were refused
}

// health reads what the service says of its file.
func (c *smallDiskTrial) health() string {
	c.t.Helper()
	var h struct {
		Database struct{ Estado string } `json:"base_de_datos"`
	}
	clitest.Get(c.t, c.program.URL+"/api/v1/health/detalle", 200, &h)
	return h.Database.Estado
}

// write makes a request that writes. It is done and acknowledged, or refused with when
// to try again; health says which, and reading goes on.
func (c *smallDiskTrial) write(what, method, path, kind, body string, want int) (said string, done bool) {
	c.t.Helper()
	from := fmt.Sprintf("203.0.%d.%d", c.people/200, c.people%200+1) // each from a network of their own
	response, text := clitest.Ask(c.t, method, c.program.URL+path, kind, body, http.Header{"X-Forwarded-For": {from}})
	health := c.health()
	switch {
	case response.StatusCode == want:
		return text, true
	case response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "":
		c.t.Errorf("%s: %d, %v: %.200s", what, response.StatusCode, response.Header, text)
	case health != "error" && !c.writtenSince():
		c.t.Errorf("%s was refused, and health says of the file: %s", what, health)
	}
	c.full++
	return "", false
}

// writtenSince tells whether the service has said that something else that it writes
// by itself found room, after the last time that it said there is none.
func (c *smallDiskTrial) writtenSince() bool {
	said := c.program.Errs.String()
	return strings.LastIndex(said, "there is room for the store again") > strings.LastIndex(said, "the disk is full")
}

// ask, join, change and leave are the writes that people make; each tells whether it
// went through.
func (c *smallDiskTrial) ask(named string) bool {
	c.people++
	mail := fmt.Sprintf("r%d@r%d.cl", c.people, c.people)
	_, done := c.write(named+": asking", "POST", "/api/v1/suscriptores", jsonKind,
		fmt.Sprintf(`{"canal":"email","email":%q,"parques":["cumbre-1"],"consentimiento":true}`, mail), 202)
	if done {
		c.mails = append(c.mails, mail)
	}
	return done
}

func (c *smallDiskTrial) join(named string) bool {
	endpoint, key, auth := c.browsers.NewBrowser()
	_, done := c.write(named+": a browser", "POST", "/api/v1/suscriptores", jsonKind, clitest.PushWish(endpoint, key, auth, "", `"parques":["cumbre-2"]`), 202)
	if done {
		c.unproven = append(c.unproven, [3]string{endpoint, key, auth})
	}
	return done
}

func (c *smallDiskTrial) confirm(named string) bool {
	if len(c.links) == 0 {
		return false
	}
	if _, done := c.write(named+": confirming", "POST", c.links[0], formKind, "", 200); !done {
		return false
	}
	c.links = c.links[1:]
	return true
}

// prove sends back what was pushed to a browser.
func (c *smallDiskTrial) prove(named string) bool {
	if len(c.unproven) == 0 {
		return false
	}
	b := c.unproven[0]
	proof := c.proofOf(b[0])
	if proof == "" {
		return false
	}
	said, done := c.write(named+": proving", "POST", "/api/v1/suscriptores", jsonKind, clitest.PushWish(b[0], b[1], b[2], proof, `"parques":["cumbre-2"]`), 201)
	if done {
		c.unproven = c.unproven[1:]
		c.tokens[clitest.TokenIn.FindStringSubmatch(said)[1]] = true
	}
	return done
}

// proofOf gives what was pushed to a browser to prove itself by, "" before it was.
func (c *smallDiskTrial) proofOf(endpoint string) string {
	for _, n := range c.browsers.Pushes() {
		if proof := n.Proof(); n.Endpoint == endpoint && proof != "" {
			return proof
		}
	}
	return ""
}

// one gives a token that holds.
func (c *smallDiskTrial) one() string {
	for token, holds := range c.tokens {
		if holds {
			return token
		}
	}
	c.t.Fatal("nobody is left")
	return ""
}

func (c *smallDiskTrial) change(named string) bool {
	token, park := c.one(), "cumbre-3"
	if c.changed[token] { // what changes nothing is not written
		park = "cumbre-1"
	}
	_, done := c.write(named+": changing", "POST", "/gestionar/"+token, formKind, "parques="+park+"&nivel_minimo=peligro&idioma=es", 200)
	c.changed[token] = c.changed[token] != done
	return done
}

func (c *smallDiskTrial) leave(named string) bool {
	token := c.one()
	_, done := c.write(named+": leaving", "DELETE", "/api/v1/suscriptores/"+token, jsonKind, "", 200)
	c.tokens[token] = !done
	return done
}

// copies has the service copy and compact its file, which is done or refused in a line.
func (c *smallDiskTrial) copies(named string) {
	for _, name := range []string{"backup", "compact"} {
		before, _ := filepath.Glob(filepath.Join(c.data, "backups", "*"))
		status, said := clitest.RunOn(c.t, c.data, name)
		after, _ := filepath.Glob(filepath.Join(c.data, "backups", "*"))
		if status == 0 {
			for _, made := range after {
				os.Remove(made)
			}
			continue
		}
		clitest.ExpectOneLine(c.t, named+": vigia "+name, said, "no space left")
		if len(after) > len(before) {
			c.t.Errorf("%s: vigia %s left %v", named, name, after)
		}
	}
}

func TestEveryWriteOnAFullDisk(t *testing.T) {
	t.Parallel()
	c := &smallDiskTrial{surroundings: surround(t), t: t, disk: smallDisk(t, "6m"), tokens: map[string]bool{}, changed: map[string]bool{}}
	c.data = filepath.Join(c.disk.path, "data")
	c.weather.Override(storms(c.clock))
	args := append(c.serving(c.data, stormyParks(t)), "--trusted-proxies", "127.0.0.1/32")
	c.program = begin(t, c.clock, args...)
	clitest.Poll(t, "the first cycle", func() bool { return cycleClosed(c.program.String()) })
	c.gather()
	writes := []func(string) bool{c.ask, c.join, c.prove, c.confirm, c.change, c.leave}
	pages := 0
	for whole := 0; whole < 2; pages++ {
		if pages > 100 {
			t.Fatalf("not everything goes through with room for %d pages", pages)
		}
		named, refused := fmt.Sprint(pages, " pages"), c.full
		for _, write := range writes {
			// Without pages that were freed in the file, each write needs new ones.
			if status, said := clitest.RunOn(t, c.data, "compact"); status != 0 {
				t.Fatalf("%s: %s", named, said)
			}
			c.disk.leave(pages)
			write(named)
			clitest.Get(t, c.program.URL+"/api/v1/parques", 200, nil)
			c.disk.clear()
			if !write(named+", and room again") || c.health() != "ok" {
				t.Fatalf("%s: a write does not go through when there is room again, and health says %s", named, c.health())
			}
		}
		if c.full == refused {
			whole++
		}
		c.disk.leave(pages)
		c.copies(named)
		c.disk.clear()
	}
	t.Logf("%d writes were refused, until there was room for %d pages", c.full, pages-2)
	if c.full < 10 {
		t.Error("few writes were refused: nothing was tried")
	}
	c.expectAllKept(args)
	said := c.program.Errs.String()
	errs, full, room := strings.Count(said, `"level":"ERROR"`), strings.Count(said, "the disk is full"), strings.Count(said, "there is room for the store again")
	if errs != full || full != room {
		t.Errorf("%d errors in the log, %d times that the disk is full and %d that there is room again:\n%s", errs, full, room, said)
	}
}

// gather has people subscribe who are changed, confirmed and left later on.
func (c *smallDiskTrial) gather() {
	for range 100 {
		c.join("with room")
	}
	clitest.Poll(c.t, "the proofs", func() bool { return c.proofOf(c.unproven[len(c.unproven)-1][0]) != "" })
	for range 80 {
		c.prove("with room")
	}
	for range 60 {
		c.ask("with room")
	}
	clitest.Poll(c.t, "the mails to confirm", func() bool { return len(c.mailbox.Mails()) >= len(c.mails) })
	for _, l := range c.mailbox.Mails() {
		if link := confirmLink.FindStringSubmatch(l.Text); link != nil {
			c.links = append(c.links, link[1])
		}
	}
}

// expectAllKept kills the service and looks, in the next one, for what was acknowledged.
func (c *smallDiskTrial) expectAllKept(args []string) {
	t := c.t
	t.Helper()
	c.program.Kill()
	checkFile(t, filepath.Join(c.data, "vigia.db"))
	again := begin(t, c.clock, args...)
	for token, holds := range c.tokens {
		want := 200
		if !holds {
			want = 404
		}
		if status, _ := clitest.Send(t, "GET", again.URL+"/api/v1/suscriptores/"+token, "", ""); status != want {
			t.Errorf("a subscription after all: %d, want %d", status, want)
		}
	}
	clitest.Poll(t, "a mail for everybody who was promised one", func() bool {
		got := map[string]bool{}
		for _, l := range c.mailbox.Mails() {
			got[l.To] = true
		}
		for _, mail := range c.mails {
			if !got[mail] {
				return false
			}
		}
		return true
	})
	if status := again.Stop(t); status != 0 {
		t.Errorf("the end: %d", status)
	}
}

// A service that starts on a full disk shows what it holds and fetches, and keeps it
// once there is room, by itself.
func TestACycleOnAFullDisk(t *testing.T) {
	t.Parallel()
	c := &smallDiskTrial{surroundings: surround(t), t: t, disk: smallDisk(t, "6m"), tokens: map[string]bool{}, changed: map[string]bool{}}
	c.data = filepath.Join(c.disk.path, "data")
	args := c.serving(c.data, stormyParks(t))
	c.weather.Override(storms(c.clock))
	first := begin(t, c.clock, args...)
	clitest.Poll(t, "the first cycle", func() bool { return cycleClosed(first.String()) })
	if status := first.Stop(t); status != 0 {
		t.Fatalf("the end: %d\n%s", status, first.Errs)
	}
	refused := 0
	// The same room again meets another file, for a cycle first takes what the last freed.
	for _, pages := range []int{0, 0, 0, 1, 2, 1, 4, 2, 7, 11} {
		named := fmt.Sprint(pages, " pages")
		c.clock.turn(t, 7*time.Hour)
		c.disk.leave(pages)
		c.program = begin(t, c.clock, args...)
		// Until a second model has come, every park is without an estimate.
		clitest.Poll(t, named+": estimates of every park", func() bool {
			var parks []clitest.Park
			clitest.Get(t, c.program.URL+"/api/v1/parques", 200, &parks)
			whole := len(parks) > 0
			for i, park := range parks {
				if park.Estado != nil && *park.Estado == "verde" && raging(i, c.clock.Now()) {
					t.Errorf("%s: %s: verde in a storm", named, park.Slug)
				}
				whole = whole && park.Estado != nil
			}
			return whole
		})
		clitest.Poll(t, named+": a cycle", func() bool { return cycleClosed(c.program.String()) })
		if c.health() == "error" {
			refused++
		}
		c.disk.clear()
		if refused == 1 { // once: it takes until the service looks at the clock
			refused++
			c.clock.turn(t, 6*time.Minute)
			clitest.Poll(t, "health with room again", func() bool { return c.health() == "ok" })
		}
		c.program.Kill()
		checkFile(t, filepath.Join(c.data, "vigia.db"))
	}
	if refused < 3 {
		t.Errorf("%d cycles were refused: nothing was tried", max(refused-1, 0))
	}
	t.Logf("%d cycles were refused", refused-1)
}
