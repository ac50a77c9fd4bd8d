package notify

import (
	"errors"
	"os"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify/message"
	"vigia/store"
	"vigia/store/storetest"
	"vigia/store/subscription"
)

// restore puts a backup in the place of the world's file and starts again.
func (w *world) restore(backup string) *store.Restored {
	w.Helper()
	if w.stop != nil {
		w.stop()
	}
	if err := w.store.Close(); err != nil {
		w.Fatal(err)
	}
	done, err := store.Restore(w.Context(), w.path, backup, store.Options{})
	if err != nil {
		w.Fatal(err)
	}
	w.reopen()
	return done
}

func (w *world) reopen() {
	w.Helper()
	var err error
	if w.store, err = storetest.Open(w.path, store.Options{}); err != nil {
		w.Fatal(err)
	}
	w.n = w.notifier(w, nil)
	w.start()
}

func (w *world) backUp() string {
	w.Helper()
	path := w.path + ".backup"
	if err := w.store.Backup(w.Context(), path); err != nil {
		w.Fatal(err)
	}
	return path
}

func snow(a *issued) { a.Hazard = hazard.Snow }

// A backup from before much was told, and somebody left: after it is restored nobody is
// told twice, who left is told nothing, and what goes on is told to all others.
func TestRestoringABackupTellsNobodyTwice(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.mail.script(always(message.Retry)) // what is for Dora waits when the backup is made
		w.reader("dora@x.cl", preferences(nil))
		w.browser("ana", preferences(nil))
		leaves := w.browser("berta", preferences(nil))
		w.issue("wind", nil, alert.Opened)
		w.cycle()
		w.pass(time.Minute)
		w.expect(w.push, "ana: news opened wind", "ana: welcome", "berta: news opened wind", "berta: welcome")
		backup := w.backUp()

		w.mail.script(nil)
		w.pass(10 * time.Minute)
		w.expect(w.mail, "dora@x.cl: news opened wind")
		w.issue("snow", snow, alert.Opened)
		w.cycle()
		w.pass(time.Minute)
		w.expect(w.push, "ana: news opened snow", "berta: news opened snow")
		w.expect(w.mail, "dora@x.cl: news opened snow")
		if err := w.n.Cancel(leaves); err != nil {
			t.Fatal(err)
		}
		w.browser("carla", preferences(nil))
		w.pass(time.Minute)
		w.expect(w.push, "carla: welcome opened wind opened snow")

		if done := w.restore(backup); done.Left != 1 || done.Dropped != 0 {
			t.Errorf("%+v", done)
		}
		w.cycle()
		w.pass(time.Hour)
		w.expect(w.push)
		w.expect(w.mail)
		delete(w.alerts, "snow") // as if the service had made it anew
		w.issue("snow again", snow, alert.Opened)
		w.cycle()
		w.pass(time.Hour)
		w.expect(w.push)
		w.expect(w.mail)
		w.issue("wind", raised, alert.Raised)
		w.cycle()
		w.pass(time.Minute)
		w.expect(w.push, "ana: news raised wind", "carla: news raised wind")
		w.expect(w.mail, "dora@x.cl: news raised wind")
		if _, err := w.n.Show(leaves); !errors.Is(err, subscription.ErrUnknownToken) {
			t.Errorf("who left: %v", err)
		}
	})
}

// Where the file is lost nobody knows what was sent since the backup: what waited in
// it goes to nobody, and what changes from now on to everybody in it.
func TestRestoringABackupWhenTheFileIsLost(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.mail.script(always(message.Retry))
		w.reader("dora@x.cl", preferences(nil))
		w.issue("wind", nil, alert.Opened)
		w.cycle()
		w.pass(time.Minute)
		backup := w.backUp()
		w.mail.script(nil)
		w.pass(10 * time.Minute)
		w.expect(w.mail, "dora@x.cl: news opened wind")
		w.stop()
		if err := os.WriteFile(w.path, []byte("what a card that is worn gives"), 0o600); err != nil {
			t.Fatal(err)
		}
		if done := w.restore(backup); done.Dropped != 1 || done.Unread == nil {
			t.Errorf("%+v", done)
		}
		w.cycle()
		w.pass(time.Hour)
		w.expect(w.mail)
		w.issue("wind", raised, alert.Raised)
		w.cycle()
		w.pass(time.Minute)
		if sent := w.mail.new(); len(sent) != 1 {
			t.Errorf("%q", sent)
		}
	})
}
