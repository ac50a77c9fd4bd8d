package notify

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// rotate returns the file of keys an ending, as an operator does, and starts anew.
func (w *world) rotate(ending string) {
	w.Helper()
	path := filepath.Join(filepath.Dir(w.path), "vigia.key")
	if err := os.Rename(path, path+ending); err != nil {
		w.Fatal(err)
	}
	w.readKeys(nil)
}

// readKeys reads the keys again, as a start does.
func (w *world) readKeys(change func(*Options)) {
	w.Helper()
	w.keys = openKeysIn(w, filepath.Join(filepath.Dir(w.path), "vigia.key"))
	w.n = w.notifier(w, func(o *Options) {
		for range w.keys.Before {
			o.Push = append(o.Push, o.Push[0])
		}
		if change != nil {
			change(o)
		}
	})
}

// known reports whether a management token is taken.
func (w *world) known(token string) bool {
	w.Helper()
	_, err := w.n.Show(token)
	if err != nil && !errors.Is(err, subscription.ErrUnknownToken) {
		w.Error(err)
	}
	return err == nil
}

func TestTokensOfThePreviousKeysAreTakenFor30Days(t *testing.T) {
	inWorld(t, func(w *world) {
		ana := w.reader("ana@x.cl", preferences(nil))
		old := w.keys.Token(ana)
		w.pass(time.Hour)
		w.rotate(previousKeys)
		if fresh := w.keys.Token(ana); fresh == old || !w.known(fresh) || !w.known(old) {
			t.Errorf("old and new tokens: the same %v, known %v and %v", fresh == old, w.known(old), w.known(fresh))
		}
		if strings.Contains(w.log.text.String(), "level=ERROR") || w.log.count("the keys were rotated") != 1 {
			t.Errorf("logged: %s", &w.log.text)
		}
		w.start()
		w.issue("viento", raised, alert.Opened)
		w.cycle()
		w.pass(time.Minute)
		if sent := w.mail.sent; len(sent) != 1 || !strings.HasSuffix(sent[0].Links.Manage, w.keys.Token(ana)) {
			t.Errorf("the first mail after it: %+v", sent)
		}
		w.stop()
		w.pass(previousLife - 2*time.Minute)
		w.readKeys(nil) // a start changes nothing of the time
		if w.log.count("the keys were rotated") != 1 {
			t.Error("told at every start")
		}
		if !w.known(old) {
			t.Error("not taken a minute before its end")
		}
		w.pass(time.Minute)
		if w.known(old) || !w.known(w.keys.Token(ana)) {
			t.Errorf("after 30 days the old one is known: %v, and the new: %v", w.known(old), w.known(w.keys.Token(ana)))
		}
		if err := w.n.Cancel(old); !errors.Is(err, subscription.ErrUnknownToken) {
			t.Errorf("cancelled by a token whose time is over: %v", err)
		}
	})
}

// What was under way when the keys were rotated goes on: confirmations that were mailed
// or wait to be, and proofs that were pushed.
func TestWhatIsUnderWayOutlastsARotation(t *testing.T) {
	for _, ending := range []string{previousKeys, leakedKeys} {
		t.Run(ending, func(t *testing.T) {
			inWorld(t, func(w *world) {
				good := ending == previousKeys
				w.start()
				w.ask("ana@x.cl", preferences(nil))
				browser := w.asks("luz")
				w.pass(time.Minute)
				link := w.link("ana@x.cl")
				proof := w.proofOf("luz")
				w.stop()
				w.rotate(ending)
				_, _, err := w.n.Confirm(link)
				if (err == nil) != good {
					t.Errorf("the link that was mailed: %v", err)
				}
				if _, err := w.n.Subscribe(browser, proof); (err == nil) != good {
					t.Errorf("the proof that was pushed: %v", err)
				}
			})
		})
	}
}

// The tokens of keys that leaked end at once, also where their file is deleted.
func TestTokensOfLeakedKeysAreNotTaken(t *testing.T) {
	inWorld(t, func(w *world) {
		ana := w.reader("ana@x.cl", preferences(nil))
		old := w.keys.Token(ana)
		w.pass(time.Hour)
		w.rotate(previousKeys)
		path := filepath.Join(filepath.Dir(w.path), "vigia.key"+previousKeys)
		if !w.known(old) {
			t.Error("the control: not taken before")
		}
		if err := os.Rename(path, strings.TrimSuffix(path, previousKeys)+leakedKeys); err != nil {
			t.Fatal(err)
		}
		w.readKeys(nil)
		if w.known(old) || !w.known(w.keys.Token(ana)) {
			t.Errorf("leaked: the old one is known: %v, and the new: %v", w.known(old), w.known(w.keys.Token(ana)))
		}
		if err := os.Remove(strings.TrimSuffix(path, previousKeys) + leakedKeys); err != nil {
			t.Fatal(err)
		}
		w.readKeys(nil)
		if w.known(old) || !w.known(w.keys.Token(ana)) || w.log.count("level=ERROR") != 0 {
			t.Errorf("deleted: the old one is known: %v, and the new: %v; logged: %s", w.known(old), w.known(w.keys.Token(ana)), &w.log.text)
		}
	})
}

// Who said "it was not me" is not asked because the keys are others now, leaked or not,
// and an operator can still lift that.
func TestWhoIsNotToBeAskedOutlastsARotation(t *testing.T) {
	for _, ending := range []string{previousKeys, leakedKeys, ".elsewhere"} {
		t.Run(ending, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.start()
				w.ask("ana@x.cl", preferences(nil))
				w.pass(time.Minute)
				if err := w.n.Disown(w.link("ana@x.cl")); err != nil {
					t.Fatal(err)
				}
				w.stop()
				w.pass(2 * day)
				w.rotate(ending)
				w.start()
				w.ask("ana@x.cl", preferences(nil))
				w.ask("eva@x.cl", preferences(nil))
				w.pass(time.Minute)
				var asked []string
				for _, one := range w.mail.sent[1:] {
					asked = append(asked, one.to)
				}
				slices.Sort(asked)
				want := []string{"eva@x.cl"}
				if ending == ".elsewhere" { // the control: keys that know nothing of the others
					want = []string{"ana@x.cl", "eva@x.cl"}
				}
				if !slices.Equal(asked, want) {
					t.Errorf("asked: %v", asked)
				}
				if found, err := w.n.Unblock("ana@x.cl"); err != nil || found == (ending == ".elsewhere") {
					t.Errorf("lifted: %v, %v", found, err)
				}
			})
		})
	}
}

// One mail a day is the cap of an address whatever its keys.
func TestTheCapsOfAnAddressOutlastARotation(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.ask("ana@x.cl", preferences(nil))
		w.pass(time.Hour)
		w.stop()
		w.rotate(previousKeys)
		w.start()
		w.ask("ana@x.cl", preferences(nil))
		w.pass(day - 2*time.Hour)
		if n := len(w.mail.sent); n != 1 {
			t.Errorf("%d mails within a day", n)
		}
		w.pass(2 * time.Hour)
		w.ask("ana@x.cl", preferences(nil))
		w.pass(time.Minute)
		if n := len(w.mail.sent); n != 2 {
			t.Errorf("the control: %d mails after a day", n)
		}
	})
}

// A file of previous keys that cannot be read ends what they made and nothing else.
func TestPreviousKeysThatCannotBeRead(t *testing.T) {
	inWorld(t, func(w *world) {
		ana := w.reader("ana@x.cl", preferences(nil))
		w.rotate(previousKeys)
		path := filepath.Join(filepath.Dir(w.path), "vigia.key"+previousKeys)
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		w.readKeys(nil)
		if !w.known(w.keys.Token(ana)) || w.log.count("the keys before cannot be read") != 1 {
			t.Errorf("known %v, logged: %s", w.known(w.keys.Token(ana)), &w.log.text)
		}
	})
}

// A file of an earlier version, without the time when it was made, is read as it is and
// can be the one that others take the place of.
func TestKeysOfAnEarlierVersion(t *testing.T) {
	inWorld(t, func(w *world) {
		path := filepath.Join(filepath.Dir(w.path), "vigia.key")
		f := keyFile{Version: 1, Secret: base64url.EncodeToString(w.keys.secret[:]), Public: w.keys.VAPIDPublic, Private: w.keys.VAPIDPrivate}
		f.Sum = f.sum()
		text, err := json.Marshal(&f)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		secret, token := w.keys.secret, w.keys.Token(w.reader("ana@x.cl", preferences(nil)))
		w.readKeys(nil)
		if w.keys.secret != secret || !w.keys.Made.IsZero() || !w.known(token) {
			t.Error("opened they are others")
		}
		w.rotate(previousKeys)
		if w.keys.secret == secret || w.keys.Made.IsZero() || !w.known(token) {
			t.Error("they do not count as the previous ones")
		}
	})
}
