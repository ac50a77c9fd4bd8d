package mail

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify/message"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

var update = flag.Bool("update", false, "write the mails of testdata anew, to be read by eye before they are committed")

// looks are the mails whose whole look is kept in testdata.
func looks(t testing.TB) map[string]*message.Message {
	ended := news(t)
	ended.Entries[0].What = alert.Ended
	english := many(t)
	english.Language = subscription.English
	english.Simulated = true
	noData := news(t)
	noData.Kind, noData.Entries, noData.Since = message.NoData, nil, now.Add(-7*time.Hour)
	return map[string]*message.Message{
		"una": news(t), "varias_en": english, "termina": ended, "confirmar": confirm(t), "sin_datos": noData,
	}
}

// many is a message of twelve alerts in places with long names.
func many(t testing.TB) *message.Message {
	b := news(t)
	b.Entries = nil
	park := &catalogue.Park{Slug: "alberto-de-agostini", Name: "Parque Nacional Alberto de Agostini y Archipiélago de las Guaitecas del Extremo Austral",
		Kind: "parque_nacional", Administrator: "Corporación Nacional Forestal (CONAF)", TimeZone: punta(t)}
	changes := []alert.ChangeKind{alert.Opened, alert.Raised, alert.Moved, alert.Withdrawn}
	for i := range 12 {
		a := gale(alert.Danger)
		a.ID, a.Tracks[0].Hazard = fmt.Sprint("a", i), hazard.Hazard(i)
		if i%3 == 1 {
			a.Level, a.End = alert.Caution, a.End.Add(20*time.Hour)
		}
		b.Entries = append(b.Entries, message.Entry{Alert: a, What: changes[i%4], Park: park, ThreadRef: thread, Trails: []string{
			"Circuito Macizo Paine (Circuito O) desde Laguna Amarga", "Sendero Interpretativo Llanquihuenlahuencallampalcura", "Base Torres"}})
	}
	return b
}

func TestLook(t *testing.T) {
	for name, b := range looks(t) {
		doc, err := write(b)
		if err != nil {
			t.Fatal(err)
		}
		text, page := rendered(t, doc)
		for extension, got := range map[string]string{".txt": "Asunto: " + doc.Subject + "\n\n" + text, ".html": page} {
			path := filepath.Join("testdata", name+extension)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s looks otherwise (go test -update, then read it):\n%s", path, got)
			}
		}
	}
}

// rendered returns both parts of a document.
func rendered(t testing.TB, doc *document) (text, page string) {
	t.Helper()
	text, err := doc.text()
	page, err1 := doc.html()
	if err := errors.Join(err, err1); err != nil {
		t.Fatal(err)
	}
	return text, page
}
