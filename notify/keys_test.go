package notify

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jonboulle/clockwork"

	"vigia/store/subscription"
)

func openKeysIn(t testing.TB, path string) *Keys {
	t.Helper()
	k, err := OpenKeys(path, clockwork.NewRealClock())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKeysAreMadeOnce(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	path := filepath.Join(folder, "vigia.key")
	first := openKeysIn(t, path)
	if !first.Fresh || first.Tightened {
		t.Errorf("%+v", first)
	}
	again := openKeysIn(t, path)
	if again.Fresh || again.secret != first.secret || again.VAPIDPrivate != first.VAPIDPrivate || again.VAPIDPublic != first.VAPIDPublic {
		t.Error("opened again they are others")
	}
	for what, n := range map[string]int{first.VAPIDPublic: 65, first.VAPIDPrivate: 32} {
		if raw, err := base64.RawURLEncoding.DecodeString(what); err != nil || len(raw) != n {
			t.Errorf("a key of %d bytes (%v), want %d", len(raw), err, n)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) != 1 {
		t.Errorf("beside the file there are %v", left)
	}
	if other := openKeysIn(t, filepath.Join(t.TempDir(), "k")); other.secret == first.secret || other.VAPIDPublic == first.VAPIDPublic {
		t.Error("two files have the same keys")
	}
}

func TestKeysOpenToOthersAreClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vigia.key")
	openKeysIn(t, path)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	k := openKeysIn(t, path)
	if info, _ := os.Stat(path); !k.Tightened || info.Mode().Perm() != 0o600 {
		t.Errorf("tightened %v, mode %v", k.Tightened, info.Mode())
	}
}

// A damaged file stops the start and stays as it is, whatever is wrong with it.
func TestDamagedKeysAreNeverReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vigia.key")
	openKeysIn(t, path)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damages := map[string][]byte{
		"empty": {}, "cut": whole[:len(whole)/2], "foreign": []byte("-----BEGIN KEY-----"), "null": []byte("null"), "list": []byte("[]"),
		"newer": bytes.Replace(whole, []byte(`"version": 2`), []byte(`"version": 3`), 1),
	}
	for at := range whole {
		flipped := bytes.Clone(whole)
		if flipped[at] ^= 1; bytes.ContainsAny(flipped[at:at+1], "\t\n \r") || bytes.ContainsAny(whole[at:at+1], "\t\n \r") {
			continue // white space between values says nothing
		}
		damages["bit in byte "+string(rune('0'+at%10))+string(whole[max(0, at-8):at])] = flipped
	}
	for name, text := range damages {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		k, err := OpenKeys(path, clockwork.NewRealClock())
		if err == nil {
			t.Errorf("%s: opened as %v", name, k.Fresh)
		} else if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "copy") && !strings.Contains(err.Error(), "update") {
			t.Errorf("%s: %v", name, err)
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, text) {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

func TestKeysThatCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vigia.key")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenKeys(path, clockwork.NewRealClock()); err == nil {
		t.Error("a folder was taken for keys")
	}
	if _, err := OpenKeys("/proc/no-such/vigia.key", clockwork.NewRealClock()); err == nil {
		t.Error("keys were made where nothing can be")
	}
	link := filepath.Join(t.TempDir(), "vigia.key")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenKeys(link, clockwork.NewRealClock()); err == nil {
		t.Error("a link to nowhere was taken for a first start")
	}
}

func TestTokens(t *testing.T) {
	k, other := openKeysIn(t, filepath.Join(t.TempDir(), "a")), openKeysIn(t, filepath.Join(t.TempDir(), "b"))
	id := subscription.NewID()
	token := k.Token(id)
	if !regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`).MatchString(token) || token != k.Token(id) {
		t.Errorf("token %q", token)
	}
	if got, ok := k.ID(token); !ok || got != id {
		t.Error("it does not lead back")
	}
	if _, ok := other.ID(token); ok {
		t.Error("it is good with other keys")
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for at := range token {
		for _, c := range alphabet {
			if changed := token[:at] + string(c) + token[at+1:]; changed != token {
				if got, ok := k.ID(changed); ok || got != (subscription.ID{}) {
					t.Fatalf("%q is taken for %q", changed, token)
				}
			}
		}
	}
	for _, bad := range []string{"", "a", token + "A", token[:42], token + "=", token + "\n", " " + token, strings.Repeat("A", 43), strings.Repeat("A", 1<<16), "ñ" + token[2:]} {
		if _, ok := k.ID(bad); ok {
			t.Errorf("%q is taken for a token", bad)
		}
		if _, ok := k.ConfirmationHash(bad); ok && len(bad) != 43 {
			t.Errorf("%q may be a confirmation", bad)
		}
	}
}

func TestNamesOfThingsNotToBeSeen(t *testing.T) {
	k := openKeysIn(t, filepath.Join(t.TempDir(), "a"))
	ana, again, eva := k.AddressKey("ana@x.cl"), k.AddressKey("ana@x.cl"), k.AddressKey("eva@x.cl")
	if ana != again || ana == eva {
		t.Error("address keys")
	}
	refs := []string{k.Ref([]byte("ab"), []byte("c")), k.Ref([]byte("a"), []byte("bc")), k.Ref([]byte("abc")), k.Ref(), k.Ref([]byte("abc"), nil)}
	for i, r := range refs {
		if len(r) != 22 || slices.Index(refs, r) != i {
			t.Errorf("ref %d is %q of %v", i, r, refs)
		}
	}
}

func TestFreshKeysBesideSubscriptionsAreReported(t *testing.T) {
	inWorld(t, func(w *world) {
		const alarm = "restore vigia.key from a copy"
		if w.log.count(alarm) != 0 {
			t.Error("a first start is reported")
		}
		w.reader("ana@x.cl", preferences(nil))
		w.keys = openKeysIn(t, filepath.Join(t.TempDir(), "lost"))
		w.notifier(t, nil)
		if w.log.count(alarm) != 1 || w.log.count("level=ERROR") != 1 {
			t.Errorf("logged: %s", &w.log.text)
		}
	})
}

// Every start with keys that are not those of the file says so; with the right ones
// none does.
func TestOtherKeysBesideSubscriptionsAreReported(t *testing.T) {
	inWorld(t, func(w *world) {
		const alarm = "another one than before"
		w.reader("ana@x.cl", preferences(nil))
		right, others := w.keys, filepath.Join(t.TempDir(), "others")
		openKeysIn(t, others)
		w.keys = openKeysIn(t, others)
		for i := range 2 {
			w.notifier(t, nil)
			if n := w.log.count(alarm); n != i+1 {
				t.Errorf("%d alarms after %d starts", n, i+1)
			}
		}
		w.keys = right
		w.notifier(t, nil)
		if n := w.log.count("level=ERROR"); n != 2 {
			t.Errorf("%d alarms: %s", n, &w.log.text)
		}
	})
}
