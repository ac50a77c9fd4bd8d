package mail

import (
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify/mail/mailtest"
	"vigia/notify/message"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

// Saturday, five past ten in Punta Arenas.
var now = time.Date(2026, 11, 21, 13, 5, 0, 0, time.UTC)

const (
	ref    = "AbCdEfGhIjKlMnOpQrStUv"
	thread = "ThReAdThReAdThReAdThRe"
	token  = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9w"
)

func punta(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/Punta_Arenas")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func paine(t testing.TB) *catalogue.Park {
	return &catalogue.Park{Slug: "torres-del-paine", Name: "Torres del Paine", Administrator: "CONAF", TimeZone: punta(t)}
}

func gale(level alert.Level) *alert.Alert {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	a := &alert.Alert{
		ID: "a1", Version: 1, Park: "torres-del-paine", IssuedAt: start, UpdatedAt: start.Add(64 * time.Minute),
		Changes: []alert.Change{{What: alert.Opened, Level: level}},
	}
	a.SetTracks([]alert.Track{{
		Trail: "circuito-o", Hazard: hazard.Wind, Level: level, From: start.Add(time.Hour), To: start.Add(13 * time.Hour),
		Reason: alert.Reason{On: level, Level: level, Agree: 3, Total: 4, Causes: []alert.Cause{
			{Cause: hazard.Cause{Quantity: hazard.GustQuantity, Value: 94.66, Min: 81, Max: 108, Threshold: 90, Over: 3, Total: 4}, Place: "Paso John Gardner"}}},
	}})
	return a
}

// news is a message of one alert.
func news(t testing.TB) *message.Message {
	return &message.Message{
		Kind: message.Alerts, Language: subscription.Spanish, Now: now, Ref: ref, Zone: punta(t), Expires: now.Add(13 * time.Hour),
		Entries: []message.Entry{{Alert: gale(alert.Danger), What: alert.Opened, Park: paine(t), Trails: []string{"Circuito O", "Base Torres"}, ThreadRef: thread}},
		Links: message.Links{Home: "https://vigia.example.cl", Manage: "https://vigia.example.cl/gestionar/" + token, Unsubscribe: "https://vigia.example.cl/baja/" + token,
			Privacy: "https://vigia.example.cl/privacidad"},
		Contact:   "operador@vigia.example.cl",
		Emergency: []catalogue.EmergencyNumber{{Number: "133", Name: "Carabineros"}, {Number: "136", Name: "Cuerpo de Socorro Andino"}},
	}
}

// confirm is a message that asks to confirm.
func confirm(t testing.TB) *message.Message {
	b := news(t)
	b.Kind, b.Entries, b.Links.Unsubscribe = message.Confirm, nil, ""
	b.Links.Confirm = "https://vigia.example.cl/confirmar/" + token
	b.Parks, b.Trails, b.Expires = []string{"Torres del Paine", "Villarrica"}, []string{"Base Torres"}, now.Add(48*time.Hour)
	return b
}

// openMailbox opens a mailbox for a test.
func openMailbox(t testing.TB, o mailtest.Options) *mailtest.Mailbox {
	t.Helper()
	m, err := mailtest.Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// senderTo makes a sender to a mailbox; change may set more options.
func senderTo(t testing.TB, m *mailtest.Mailbox, change func(*Options)) *Sender {
	t.Helper()
	o := Options{Host: m.Host(), Port: m.Port(), From: "alertas@vigia.example.cl", TLS: "none", Timeout: 10 * time.Second}
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s.roots = m.Roots()
	t.Cleanup(func() { s.Close() })
	return s
}
