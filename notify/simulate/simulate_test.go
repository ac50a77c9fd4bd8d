package simulate

import (
	"fmt"
	"testing"
	"time"

	"github.com/SherClockHolmes/webpush-go"
	"github.com/jonboulle/clockwork"

	"vigia/notify/mail"
	"vigia/notify/message"
	"vigia/notify/push"
	"vigia/store/subscription"
)

func TestMailsAreCaptured(t *testing.T) {
	clock := clockwork.NewFakeClock()
	by, err := mail.New(mail.Options{Host: "localhost", Port: 25, TLS: "none", From: "a@vigia.example", Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	c := New(clock)
	for i := range kept + 1 {
		b := &message.Message{Kind: message.Test, Now: clock.Now(), Ref: message.NewRef(), Zone: time.UTC}
		if r := c.Mailer(by).Send(t.Context(), b, fmt.Sprintf("p%d@x.cl", i)); r.Verdict != message.Delivered {
			t.Fatal(r)
		}
	}
	mails := c.Mails()
	if len(mails) != kept || mails[0].To != fmt.Sprintf("p%d@x.cl", kept) || mails[kept-1].To != "p1@x.cl" || len(mails[0].Raw) == 0 {
		t.Errorf("%d mails, the newest to %s", len(mails), mails[0].To)
	}
	if r := c.Mailer(by).Send(t.Context(), &message.Message{Kind: message.Test}, "nobody"); r.Verdict != message.Unsendable {
		t.Error(r)
	}
}

func TestPushesAreCaptured(t *testing.T) {
	clock := clockwork.NewFakeClock()
	private, public, err := webpush.GenerateVAPIDKeys()
	if err != nil {
		t.Fatal(err)
	}
	by, err := push.New(push.Options{Private: private, Public: public, Subject: "a@vigia.example", Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	c, proof := New(clock), ""
	c.proofs[origin+"x"] = func(got string) { proof = got }
	send := func(endpoint string, life time.Duration) message.Verdict {
		b := &message.Message{Kind: message.Confirm, Now: clock.Now(), Expires: clock.Now().Add(life), Proof: "prueba", Parks: []string{"Lauca"}}
		return c.Pusher(by).Send(t.Context(), b, &subscription.Target{Endpoint: endpoint}).Verdict
	}
	if got := send(origin+"x", time.Minute); got != message.Delivered || proof != "prueba" || len(c.Pushes()) != 1 || c.Pushes()[0].TTL != 60 {
		t.Errorf("verdict %d, proof %q, %+v", got, proof, c.Pushes())
	}
	if got := send(origin+"x", 0); got != message.Retry {
		t.Errorf("expired: verdict %d", got)
	}
	if got := send("http://127.0.0.1:9/x", time.Minute); got != message.Unsendable { // the real sender's word
		t.Errorf("another endpoint: verdict %d", got)
	}
	if len(c.Pushes()) != 1 {
		t.Errorf("%d pushes", len(c.Pushes()))
	}
}
