package push

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify/message"
	"vigia/store/catalogue"
	"vigia/store/notices"
	"vigia/store/subscription"
)

// read opens a payload and checks what holds for all.
func read(t testing.TB, text []byte) (p payload) {
	t.Helper()
	if len(text) >= maxPayload || !utf8.Valid(text) {
		t.Errorf("%d bytes: %s", len(text), text)
	}
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if !strings.HasSuffix(p.Body, map[string]string{"es": "No es un aviso oficial.", "en": "Not an official notice."}[p.Language]) || p.Language == "" {
		t.Errorf("%q does not end with what it is not", p.Body)
	}
	if !regexp.MustCompile(`^[A-Za-z0-9_-]{24}$`).MatchString(p.Tag) || p.Title == "" || !strings.HasPrefix(p.URL, "/") {
		t.Errorf("%+v", p)
	}
	return p
}

func shortOf(t testing.TB, n *notification) []byte {
	t.Helper()
	text, err := encode(&n.brief)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func entry(t testing.TB, id string, h hazard.Hazard, level alert.Level, what alert.ChangeKind) message.Entry {
	t.Helper()
	a := wind(id, level)
	a.Tracks[0].Hazard, a.Tracks[0].Reason.Causes = h, nil
	return message.Entry{Alert: a, What: what, Park: paine(t)}
}

func TestWordsOfNotifications(t *testing.T) {
	punta := paine(t).TimeZone
	gusts := func(what alert.ChangeKind) message.Entry {
		return message.Entry{Alert: wind("a1", alert.Danger), What: what, Park: paine(t), Trails: []string{"Base Torres"}}
	}
	closed := gusts(alert.Opened)
	closed.Closures = []notices.Holding{{Closure: notices.Closure{Situation: "cerrado", Source: "CONAF"}}}
	snow := entry(t, "a2", hazard.Snow, alert.Caution, alert.Opened)
	coldOver := entry(t, "a3", hazard.Cold, alert.Danger, alert.Withdrawn)
	for name, c := range map[string]struct {
		b           message.Message
		level       string
		es, en      string
		esEnd, url  string
		urgent, sim bool
	}{
		"opened": {b: message.Message{Kind: message.Alerts, Entries: []message.Entry{gusts(alert.Opened)}}, level: "peligro", urgent: true, url: "/parques/torres-del-paine",
			es: "Peligro: viento fuerte|Torres del Paine, hasta las 23:00 de hoy. Rachas: 3 de 4 modelos sobre 90 km/h (mediana 95 km/h). Senderos: Base Torres. No es un aviso oficial.",
			en: "Danger: strong wind|Torres del Paine, until 23:00 today. Gusts: 3 of 4 models above 90 km/h (median 95 km/h). Trails: Base Torres. Not an official notice."},
		"raised, with others": {b: message.Message{Kind: message.Alerts, Entries: []message.Entry{gusts(alert.Raised), snow, snow, coldOver}}, level: "peligro", urgent: true, url: "/parques/torres-del-paine",
			es: "Sube a peligro: viento fuerte|Torres del Paine, hasta las 23:00 de hoy. Rachas: 3 de 4 modelos sobre 90 km/h (mediana 95 km/h). Senderos: Base Torres. Y 2 más. Ya no rige: frío intenso. No es un aviso oficial.",
			en: "Raised to danger: strong wind|Torres del Paine, until 23:00 today. Gusts: 3 of 4 models above 90 km/h (median 95 km/h). Trails: Base Torres. And 2 more. No longer in force: bitter cold. Not an official notice."},
		"closed": {b: message.Message{Kind: message.Alerts, Entries: []message.Entry{closed}}, level: "peligro", urgent: true, url: "/parques/torres-del-paine",
			es: "Peligro: viento fuerte|Torres del Paine, hasta las 23:00 de hoy. Oficial: todo el parque, cerrado según CONAF. Rachas: 3 de 4 modelos sobre 90 km/h (mediana 95 km/h). Senderos: Base Torres. No es un aviso oficial.",
			en: "Danger: strong wind|Torres del Paine, until 23:00 today. Official: the whole park, closed according to CONAF. Gusts: 3 of 4 models above 90 km/h (median 95 km/h). Trails: Base Torres. Not an official notice."},
		"begins earlier": {b: message.Message{Kind: message.Alerts, Entries: []message.Entry{entry(t, "a2", hazard.Snow, alert.Caution, alert.Moved)}}, level: "precaucion", url: "/parques/torres-del-paine",
			es: "Precaución: nieve|Torres del Paine: empieza antes, hasta las 23:00 de hoy. 3 de 4 modelos. No es un aviso oficial.",
			en: "Caution: snow|Torres del Paine: begins earlier, until 23:00 today. 3 of 4 models. Not an official notice."},
		"over": {b: message.Message{Kind: message.Alerts, Entries: []message.Entry{gusts(alert.Ended)}}, url: "/parques/torres-del-paine",
			es: "Ya no rige: viento fuerte|Torres del Paine, hoy, 9–23 h. Termina: pasó su última hora. No es un aviso oficial.",
			en: "No longer in force: strong wind|Torres del Paine, today, 09:00–23:00. Over: its last hour has passed. Not an official notice."},
		"one that is over before one that holds": {b: message.Message{Kind: message.Alerts, Entries: []message.Entry{coldOver, coldOver, snow}}, level: "precaucion", url: "/parques/torres-del-paine",
			es: "Precaución: nieve|Torres del Paine, hasta las 23:00 de hoy. 3 de 4 modelos. Ya no rigen otras 2. No es un aviso oficial.",
			en: "Caution: snow|Torres del Paine, until 23:00 today. 3 of 4 models. 2 others are no longer in force. Not an official notice."},
		"welcome": {b: message.Message{Kind: message.Welcome, Parks: []string{"Torres del Paine"}, Trails: []string{"Base Torres", "Circuito O"}}, url: "/",
			es: "Notificaciones activadas: Torres del Paine y 2 más|Aquí llegarán las alertas nuevas y sus cambios. No es un aviso oficial.",
			en: "Notifications are on: Torres del Paine and 2 more|New alerts and changes will appear here. Not an official notice."},
		"welcome to a trail": {b: message.Message{Kind: message.Welcome, Trails: []string{"Base Torres"}}, url: "/",
			es: "Notificaciones activadas: Base Torres|Aquí llegarán las alertas nuevas y sus cambios. No es un aviso oficial.",
			en: "Notifications are on: Base Torres|New alerts and changes will appear here. Not an official notice."},
		"welcome to nowhere": {b: message.Message{Kind: message.Welcome}, url: "/",
			es: "Notificaciones activadas|Aquí llegarán las alertas nuevas y sus cambios. No es un aviso oficial.",
			en: "Notifications are on|New alerts and changes will appear here. Not an official notice."},
		"welcome with an alert": {b: message.Message{Kind: message.Welcome, Parks: []string{"Torres del Paine"}, Entries: []message.Entry{snow}}, level: "precaucion", url: "/parques/torres-del-paine",
			es: "Notificaciones activadas: Torres del Paine|Precaución: nieve. Torres del Paine, hasta las 23:00 de hoy. 3 de 4 modelos. No es un aviso oficial.",
			en: "Notifications are on: Torres del Paine|Caution: snow. Torres del Paine, until 23:00 today. 3 of 4 models. Not an official notice."},
		"no data": {b: message.Message{Kind: message.NoData, Since: start.Add(-9 * time.Hour), Zone: punta}, url: "/",
			es: "No tenemos datos desde la 01:05 de hoy|Desde entonces no hay estimaciones nuevas: no sabemos si empezó o terminó una alerta. No es un aviso oficial.",
			en: "We have had no data since 01:05 today|There have been no new estimates since: we cannot tell whether an alert began or ended. Not an official notice."},
		"data are back": {b: message.Message{Kind: message.DataBack, Since: start, Zone: punta}, url: "/",
			es: "Volvemos a tener datos desde las 10:05 de hoy|Vea las estimaciones nuevas y las alertas de ahora. No es un aviso oficial.",
			en: "Data are back since 10:05 today|See the latest estimates and alerts. Not an official notice."},
	} {
		for language, want := range map[subscription.Language]string{subscription.Spanish: c.es, subscription.English: c.en} {
			for mark, simulated := range map[string]bool{"": false, map[subscription.Language]string{subscription.Spanish: "SIMULADO · ", subscription.English: "SIMULATED · "}[language]: true} {
				b := c.b
				b.Language, b.Now, b.Expires, b.Simulated = language, start, start.Add(time.Hour), simulated
				n, err := newNotification(&b)
				if err != nil {
					t.Fatal(name, err)
				}
				long, short := read(t, n.long), read(t, shortOf(t, n))
				if got := long.Title + "|" + long.Body; got != mark+want {
					t.Errorf("%s:\n%s\n%s", name, got, mark+want)
				}
				level := ""
				if long.Level != nil {
					level = *long.Level
				}
				if level != c.level || long.URL != language.Root()+c.url || n.urgent != c.urgent || long.Expires != "2026-11-21T14:05:00Z" || long.Tag != n.topic || !n.expires.Equal(b.Expires) {
					t.Errorf("%s: %s, %+v", name, level, long)
				}
				if short.Title != long.Title || short.Tag != long.Tag || len(shortOf(t, n)) > len(n.long) || (short.Level == nil) != (long.Level == nil) {
					t.Errorf("%s, in short: %+v", name, short)
				}
			}
		}
	}
}

func TestNoDataAtOneInTheMorning(t *testing.T) {
	b := message.Message{Kind: message.NoData, Now: start, Since: time.Date(2026, 11, 20, 23, 9, 0, 0, time.UTC), Expires: start}
	n, err := newNotification(&b) // without a zone: UTC
	if err != nil || read(t, n.long).Title != "No tenemos datos desde las 23:09 del vie 20" {
		t.Errorf("%v, %s", err, n.long)
	}
	b.Since = time.Date(2026, 11, 21, 1, 9, 0, 0, time.UTC)
	if n, err = newNotification(&b); err != nil || read(t, n.long).Title != "No tenemos datos desde la 01:09 de hoy" {
		t.Errorf("%v, %s", err, n.long)
	}
}

func TestTopicsNameTheAlerts(t *testing.T) {
	of := func(kind message.Kind, entries ...message.Entry) string {
		n, err := newNotification(&message.Message{Kind: kind, Entries: entries, Now: start, Expires: start})
		if err != nil {
			t.Fatal(err)
		}
		return n.topic
	}
	a, b, c := entry(t, "a", 0, alert.Caution, alert.Opened), entry(t, "b", 1, alert.Danger, alert.Opened), entry(t, "a", 0, alert.Danger, alert.Ended)
	ab := entry(t, "ab", 0, alert.Caution, alert.Opened)
	if of(message.Alerts, a, b) != of(message.Alerts, b, a) || of(message.Alerts, a) != of(message.Alerts, c) || of(message.Alerts, a) != of(message.Welcome, c) {
		t.Error("the same alerts have different topics")
	}
	if got := of(message.Alerts, a, b); got != "fhj3NzEbLcOy8mndeDlrA1Hx" {
		t.Errorf("%q", got)
	}
	seen := map[string]bool{}
	for _, topic := range []string{of(message.Alerts, a), of(message.Alerts, b), of(message.Alerts, a, b), of(message.Alerts, ab), of(message.Welcome), of(message.NoData)} {
		if seen[topic] {
			t.Errorf("%s stands for different things", topic)
		}
		seen[topic] = true
	}
	if of(message.NoData) != of(message.DataBack) {
		t.Error("data that are back do not take the place of their being away")
	}
}

// hostile are the longest names that a catalogue takes, of what takes most room.
func hostile() []string {
	var names []string
	for _, one := range []string{"a", "ñ", "雪", "🏔", `"`, `\`, "&", "é"} {
		names = append(names, strings.Repeat(one, 120))
	}
	return append(names, strings.Repeat("palabra ", 15), "")
}

func TestPayloadsFitWhateverTheNames(t *testing.T) {
	zone := paine(t).TimeZone
	for _, name := range hostile() {
		park := &catalogue.Park{Slug: strings.Repeat("s", 64), Name: name, TimeZone: zone}
		for language := range subscription.English + 1 {
			for _, kind := range []message.Kind{message.Welcome, message.Alerts} {
				for h := range hazard.NumHazards {
					for what := alert.Opened; what <= alert.Withdrawn; what++ {
						e := entry(t, "a", hazard.Hazard(h), alert.Danger, what)
						e.Park, e.Trails = park, []string{name, name, name, name}
						e.Alert.End = e.Alert.Start.Add(99 * time.Hour)
						e.Alert.Tracks[0].Reason.Causes = []alert.Cause{{Cause: hazard.Cause{Quantity: hazard.Precipitation6hQuantity, Value: math.MaxFloat32, Threshold: -math.MaxFloat32}, Place: name}}
						over := entry(t, "b", hazard.DebrisFlow, alert.Danger, alert.Ended)
						over.Park = park
						n, err := newNotification(&message.Message{Kind: kind, Language: language, Simulated: true, Now: start, Expires: start.Add(99 * time.Hour),
							Entries: []message.Entry{e, over, e, e}, Parks: []string{name, name}, Trails: []string{name}})
						if err != nil {
							t.Fatalf("%q: %v", name, err)
						}
						p := read(t, n.long)
						if len(shortOf(t, n)) > shortRecord-sealing || p.Expires != "2026-11-25T16:05:00Z" || what < alert.Ended && *p.Level != "peligro" || !strings.HasPrefix(p.Title, "SIMUL") ||
							!strings.Contains(p.Body, "23") && !strings.Contains(p.Body, "25") {
							t.Errorf("%d bytes in short: %+v", len(shortOf(t, n)), p)
						}
					}
				}
			}
		}
	}
}

func TestNamesAreCutBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		name   string
		budget int
		want   string
	}{
		{"Torres del Paine", 80, "Torres del Paine"}, {"Torres del Paine", 16, "Torres del Paine"}, {"Torres del Paine", 15, "Torres del P…"},
		{"Torres del Paine", 10, "Torres…"}, {"ññññ", 8, "ññññ"}, {"ññññ", 7, "ññ…"}, {"", 3, ""}, {"🏔🏔", 7, "🏔…"},
	} {
		if got := shorten(c.name, c.budget); got != c.want {
			t.Errorf("%q in %d: %q", c.name, c.budget, got)
		}
	}
	for _, name := range hostile() {
		for budget := 3; budget < 140; budget++ {
			if got := shorten(name, budget); len(got) > budget || !utf8.ValidString(got) && utf8.ValidString(name) {
				t.Fatalf("%q in %d becomes %q", name, budget, got)
			}
		}
	}
}

func FuzzNotification(f *testing.F) {
	for i, name := range hostile() {
		f.Add(name, "Base Torres", uint8(i), uint8(i), int64(i)*3600, int64(i*i)*3600, float32(i), i%2 == 0, uint8(3))
	}
	park := paine(f)
	f.Fuzz(func(t *testing.T, name, trail string, kind, h uint8, from, length int64, value float32, simulated bool, count uint8) {
		for _, c := range name + trail {
			if c == utf8.RuneError || !unicode.IsPrint(c) {
				t.Skip("no catalogue has it")
			}
		}
		const year = 366 * 24 * 3600
		from, length = from%year, max(length%year, -length%year)+1
		p := *park
		p.Name = name
		b := message.Message{Kind: message.Kind(kind%4 + 1), Language: subscription.Language(kind / 4 % 2), Simulated: simulated, Now: start, Since: start.Add(time.Duration(from) * time.Second),
			Expires: start.Add(time.Duration(length) * time.Second), Parks: []string{name}, Trails: []string{trail, name}, Zone: park.TimeZone}
		for i := range int(count % 40) {
			e := entry(t, fmt.Sprint(i), hazard.Hazard(h%uint8(hazard.NumHazards)), alert.Level(i%3), alert.ChangeKind((int(h)+i)%6))
			e.Alert.Start, e.Park, e.Trails = start.Add(time.Duration(from)*time.Second), &p, []string{trail, name, trail}
			e.Alert.End = e.Alert.Start.Add(time.Duration(length) * time.Second)
			e.Alert.Tracks[0].Reason.Causes = []alert.Cause{{Cause: hazard.Cause{Quantity: hazard.Quantity(h % 20), Value: value, Threshold: -value, Max: value}, Place: trail}}
			b.Entries = append(b.Entries, e)
		}
		n, err := newNotification(&b)
		if (err != nil) != (b.Kind == message.Alerts && len(b.Entries) == 0) {
			t.Fatalf("kind %d: %v", b.Kind, err)
		}
		if err == nil {
			read(t, n.long)
			read(t, shortOf(t, n))
		}
	})
}

func TestUrgencyIsForDangerThatHolds(t *testing.T) {
	for _, c := range []struct {
		entries []message.Entry
		urgent  bool
	}{
		{[]message.Entry{entry(t, "a", 0, alert.Danger, alert.Opened)}, true},
		{[]message.Entry{entry(t, "a", 0, alert.Caution, alert.Opened), entry(t, "b", 0, alert.Danger, alert.Raised)}, true},
		{[]message.Entry{entry(t, "a", 0, alert.Danger, alert.Ended)}, false},
		{[]message.Entry{entry(t, "a", 0, alert.Danger, alert.Withdrawn), entry(t, "b", 0, alert.Caution, alert.Opened)}, false},
		{[]message.Entry{entry(t, "a", 0, alert.Caution, alert.Opened)}, false},
	} {
		n, err := newNotification(&message.Message{Kind: message.Alerts, Entries: c.entries, Now: start, Expires: start})
		if err != nil || n.urgent != c.urgent {
			t.Errorf("%v: urgent %v, %v", c.entries, n.urgent, err)
		}
	}
}
