package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	stdmail "net/mail"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/notify/mail"
	"vigia/notify/mail/mailtest"
	"vigia/notify/push"
	"vigia/notify/push/pushtest"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

// childVariable tells the test binary to be a service that drains an outbox.
const childVariable = "VIGIA_NOTIFY_CHILD"

// childTasks are what such a process does until the outbox is empty.
var childTasks = map[string]func(n *Notifier) error{
	"drain": drain,
	// The control: it takes items out of the outbox before they are sent.
	"careless": drainCarelessly,
}

// runChild is the whole of the process when this is a child.
func runChild() {
	task := childTasks[os.Getenv(childVariable)]
	if task == nil {
		return
	}
	err := func() error {
		n, err := childNotifier(os.Args[1], os.Args[2])
		if err != nil {
			return err
		}
		fmt.Println("open")
		return task(n)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// childNotifier opens a folder as a service does, with real senders to a relay's
// port and any push service that was subscribed to.
func childNotifier(folder, port string) (*Notifier, error) {
	file, err := store.Open(filepath.Join(folder, "vigia.db"), store.Options{})
	if err != nil {
		return nil, err
	}
	keys, err := OpenKeys(filepath.Join(folder, "vigia.key"), clockwork.NewRealClock())
	if err != nil {
		return nil, err
	}
	relay, err := strconv.Atoi(port)
	if err != nil {
		return nil, err
	}
	mailer, err := mail.New(mail.Options{Host: "127.0.0.1", Port: relay, TLS: "none", From: "avisos@v.cl"})
	if err != nil {
		return nil, err
	}
	pusher, err := push.New(push.Options{
		Public: keys.VAPIDPublic, Private: keys.VAPIDPrivate, Subject: "mailto:a@v.cl", AsWritten: func(*url.URL) bool { return true },
	})
	if err != nil {
		return nil, err
	}
	return New(Options{
		Store: file, Keys: keys, Catalogue: catalogue.Default(), BaseURL: "https://v.cl", Contact: "a@v.cl", Mail: mailer, Push: []Pusher{pusher},
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
}

func queued(n *Notifier) int {
	return n.o.Store.Queued(subscription.Email) + n.o.Store.Queued(subscription.WebPush)
}

func drain(n *Notifier) error {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	for queued(n) > 0 {
		<-time.After(5 * time.Millisecond)
	}
	stop()
	return errors.Join(<-ended, n.o.Store.Close())
}

func drainCarelessly(n *Notifier) error {
	for queued(n) > 0 {
		for _, q := range n.queues {
			var list []*delivery
			err := n.o.Store.Update("take out", func(tx *store.Tx) (err error) {
				if list, err = q.read(tx, n.now(), 64); err != nil {
					return err
				}
				for _, l := range list {
					if err := tx.Settle(&l.item, store.DeliveredOutcome, n.now()); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			for _, l := range list {
				q.send(context.Background(), l)
			}
		}
	}
	return n.o.Store.Close()
}

// receivers are the other side of a drained outbox.
type receivers struct {
	folder  string
	mailbox *mailtest.Mailbox
	service *pushtest.Service
	names   []string // addresses and endpoints
	kills   int
}

// numPeople is how many people have messages in the outbox, half of them readers and half
// browsers, and each two messages: one of an alert and one that there are no data,
// since two of alerts would go as one.
const numPeople = 400

// newReceivers makes a folder with the messages of all people in the outbox.
func newReceivers(t *testing.T) *receivers {
	p := &receivers{folder: t.TempDir()}
	var err error
	if p.mailbox, err = mailtest.Listen(mailtest.Options{}); err != nil {
		t.Fatal(err)
	}
	if p.service, err = pushtest.Listen(pushtest.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.mailbox.Close()
		p.service.Close()
	})
	w := newWorld(t, p.folder)
	defer w.store.Close()
	w.update(func(tx *store.Tx) error {
		for i := range numPeople {
			s := &subscription.Subscription{ID: subscription.NewID(), Preferences: preferences(nil), Address: fmt.Sprintf("p%d@x.cl", i)}
			if i%2 == 1 {
				hosts, err := subscription.ParsePushHosts([]string{p.service.Origin()})
				if err != nil {
					return err
				}
				endpoint, key, auth := p.service.NewBrowser()
				s.Channel, s.Address = subscription.WebPush, ""
				if s.Target, err = subscription.ParseTarget(endpoint, key, auth, hosts); err != nil {
					return err
				}
				p.names = append(p.names, endpoint)
			} else {
				p.names = append(p.names, s.Address)
			}
			if err := tx.PutSubscription(s); err != nil {
				return err
			}
		}
		return nil
	})
	w.issue("viento", nil, alert.Opened)
	w.cycle()
	w.update(func(tx *store.Tx) error {
		now := w.n.now()
		return errors.Join(
			tx.PutOutage(store.Outage{Since: now.Add(-noDataAfter), Decided: true}),
			w.n.enqueueData(tx, store.NoDataItem, []string{paine}, now),
		)
	})
	if n := queued(w.n); n != 2*numPeople {
		t.Fatalf("%d messages in the outbox", n)
	}
	return p
}

// drain runs a child until the outbox is empty, killing it at random instants from
// 5 to 45 ms after it opened the file, now and then before. The work is that of a few
// hundred milliseconds; a machine that gets nothing done in that time is given more.
func (p *receivers) drain(t *testing.T, task string) {
	t.Helper()
	for ; p.kills <= 400; p.kills++ {
		child := exec.Command(os.Args[0], p.folder, strconv.Itoa(p.mailbox.Port()))
		child.Env = append(os.Environ(), childVariable+"="+task, "GORACE=atexit_sleep_ms=0") // else it would wait for a second at its end
		said := &strings.Builder{}
		child.Stderr = said
		opened, err := child.StdoutPipe()
		if err == nil {
			err = child.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if rand.IntN(8) > 0 {
			opened.Read(make([]byte, 1))
		}
		ended := make(chan error, 1)
		go func() { ended <- child.Wait() }()
		slower := 20 * max(0, p.kills-10)
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("after %d kills: %v\n%s", p.kills, err, said)
			}
			return
		case <-time.After(time.Duration(5+rand.IntN(40+slower)) * time.Millisecond):
			child.Process.Kill()
			<-ended
		}
	}
	t.Fatal("the outbox does not get empty")
}

// received returns the copies that each person got of each message, by its name.
func (p *receivers) received(t *testing.T) map[string]map[string]int {
	t.Helper()
	got := map[string]map[string]int{}
	note := func(who, message string) {
		if got[who] == nil {
			got[who] = map[string]int{}
		}
		got[who][message]++
	}
	for _, l := range p.mailbox.Mails() {
		m, err := stdmail.ReadMessage(strings.NewReader(string(l.Raw)))
		if err != nil {
			t.Fatal(err)
		}
		note(l.To, m.Header.Get("Message-Id"))
	}
	for _, n := range p.service.Pushes() {
		note(n.Endpoint, n.Topic)
	}
	return got
}

// lost counts the messages that never arrived, and finds what the promises rule out.
func (p *receivers) lost(t *testing.T) (lost, twice int) {
	t.Helper()
	got := p.received(t)
	if len(got) > len(p.names) {
		t.Errorf("%d people got something, %d subscribed", len(got), len(p.names))
	}
	for _, who := range p.names {
		if len(got[who]) > 2 {
			t.Errorf("somebody got %d different messages: %v", len(got[who]), got[who])
		}
		lost += 2 - len(got[who])
		again := 0
		for _, copies := range got[who] {
			again += copies - 1
		}
		if twice += again; again > p.kills {
			t.Errorf("somebody got %d repeats in %d kills", again, p.kills)
		}
	}
	return lost, twice
}

func TestKilledAtAnyInstant(t *testing.T) {
	p := newReceivers(t)
	p.drain(t, "drain")
	lost, twice := p.lost(t)
	t.Logf("%d kills, %d repeats", p.kills, twice)
	if lost != 0 || p.kills < 3 {
		t.Errorf("%d of %d messages never arrived, in %d kills", lost, 2*numPeople, p.kills)
	}
	if most := p.kills * (8 + 32 + 2*(commitSize+commitSize)); twice > most {
		t.Errorf("%d repeats in %d kills", twice, p.kills)
	}
	file, err := store.Open(filepath.Join(p.folder, "vigia.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	outcomes := map[uint64]store.Outcome{}
	err = file.View("count", func(tx *store.Tx) error {
		return tx.EachOutcome(func(seq uint64, o store.Outcome, _ time.Time) error {
			if before, known := outcomes[seq]; known || o != store.DeliveredOutcome {
				t.Errorf("message %d: outcome %d after %d", seq, o, before)
			}
			outcomes[seq] = o
			return nil
		})
	})
	if err != nil || len(outcomes) != 2*numPeople {
		t.Errorf("%d outcomes, %v", len(outcomes), err)
	}
}

// TestKillingFindsLosses is the control: a service that takes items out before it
// sends them must be found out.
func TestKillingFindsLosses(t *testing.T) {
	p := newReceivers(t)
	p.drain(t, "careless")
	if lost, _ := p.lost(t); lost == 0 {
		t.Errorf("nothing was lost in %d kills by a service that loses what is under way", p.kills)
	}
}
