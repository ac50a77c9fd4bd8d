package mail

import (
	"bytes"
	"fmt"
	"html"
	"maps"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/notify/mail/mailtest"
	"vigia/notify/message"
	"vigia/store/notices"
	"vigia/store/subscription"
	"vigia/web/wording"
)

// delivered sends a message to a mailbox and gives the mail that came, which is the one
// that Compose shows.
func delivered(t *testing.T, b *message.Message) mailtest.Mail {
	t.Helper()
	m := openMailbox(t, mailtest.Options{})
	s := senderTo(t, m, func(o *Options) { o.Clock = clockwork.NewFakeClockAt(now) })
	if r := s.Send(t.Context(), b, ana); r.Verdict != message.Delivered {
		t.Fatal(r)
	}
	l := m.Mails()[0]
	c, err := s.Compose(b, ana)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := s.Raw(c)
	if err != nil || c.From != l.From || c.Subject != l.Subject || c.Text != l.Text || c.HTML != l.HTML || len(raw) != len(l.Raw) {
		t.Errorf("composed %+v (%v), delivered %+v", c, err, l)
	}
	return l
}

func headersOf(t *testing.T, l mailtest.Mail) mail.Header {
	t.Helper()
	read, err := mail.ReadMessage(bytes.NewReader(l.Raw))
	if err != nil {
		t.Fatal(err)
	}
	return read.Header
}

func TestHeaders(t *testing.T) {
	l := delivered(t, news(t))
	h := headersOf(t, l)
	for name, want := range map[string]string{
		"Date": "Sat, 21 Nov 2026 13:05:00 +0000", "Message-Id": "<" + ref + "@vigia.example.cl>",
		"References": "<" + thread + "@vigia.example.cl>", "In-Reply-To": "<" + thread + "@vigia.example.cl>",
		"List-Id": "<alertas.vigia.example.cl>", "List-Unsubscribe": "<https://vigia.example.cl/baja/" + token + ">",
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click", "Auto-Submitted": "auto-generated", "To": "<" + ana + ">",
		"Mime-Version": "1.0", "Content-Language": "es", "User-Agent": "", "X-Mailer": "", "Dkim-Signature": "", "Bcc": "", "Cc": "",
	} {
		if got := h[name]; len(got) > 1 || strings.Join(got, "") != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if l.From != "Vigía <alertas@vigia.example.cl>" || l.Sender != "alertas@vigia.example.cl" || l.To != ana {
		t.Errorf("from %q, envelope %q to %q", l.From, l.Sender, l.To)
	}
	if !strings.HasPrefix(h.Get("Content-Type"), "multipart/alternative;") || bytes.Index(l.Raw, []byte("text/plain")) > bytes.Index(l.Raw, []byte("text/html")) {
		t.Error("the plain text does not come first")
	}
	if again := delivered(t, news(t)); !bytes.Equal(l.Raw, again.Raw) {
		t.Error("a repetition at the same time is another mail")
	}
	if !bytes.Contains(l.Raw, []byte("\r\nList-Unsubscribe: <https://")) {
		t.Error("the link to leave is folded")
	}
	for line := range bytes.SplitSeq(l.Raw, []byte("\r\n")) {
		if len(line) > 78 && !bytes.Contains(line, []byte(token)) || bytes.ContainsAny(line, "\r\n") {
			t.Errorf("line of %d bytes: %q", len(line), line)
		}
		for _, c := range line {
			if c > '~' {
				t.Fatalf("byte %#x in %q", c, line)
			}
		}
	}
}

// TestKinds: what each kind of message says and carries.
func TestKinds(t *testing.T) {
	test := news(t)
	test.Kind, test.Entries, test.Links.Unsubscribe = message.Test, nil, ""
	back := news(t)
	back.Kind, back.Entries, back.Since = message.DataBack, nil, now
	noData := news(t)
	noData.Kind, noData.Entries, noData.Since = message.NoData, nil, now.Add(-7*time.Hour)
	for _, c := range []struct {
		b           *message.Message
		es, en      string // subjects
		unsubscribe bool
		says        []string // in Spanish
	}{
		{confirm(t), "Confirme su suscripción a Vigía", "Confirm your subscription to Vigía", false,
			[]string{"Torres del Paine, Villarrica", "Base Torres", "https://vigia.example.cl/confirmar/" + token, "48 h", "hasta el lun 23-11-2026, 10:05 (UTC−3)", "«No fui yo»"}},
		{test, "Prueba de correo de Vigía", "Vigía test email", false, []string{"sáb 21-11-2026, 10:05 (UTC−3)"}},
		{noData, "No tenemos datos desde las 03:05 (UTC−3)", "We have had no data since 03:05 (UTC−3)", true, []string{"No tenemos datos desde las 03:05 del sáb 21-11-2026 (UTC−3)", "no quiere decir que falte el peligro"}},
		{back, "Volvemos a tener datos desde las 10:05 (UTC−3)", "Data are back since 10:05 (UTC−3)", true, []string{"Volvemos a tener datos"}},
	} {
		l := delivered(t, c.b)
		if l.Subject != c.es {
			t.Errorf("subject %q, want %q", l.Subject, c.es)
		}
		for _, words := range append(c.says, "No es un aviso oficial", "Open-Meteo.com (CC BY 4.0)", "133 Carabineros", "https://vigia.example.cl/privacidad", "operador@vigia.example.cl") {
			if !strings.Contains(l.Text, words) || !strings.Contains(html.UnescapeString(l.HTML), words) {
				t.Errorf("%q does not say %q", l.Subject, words)
			}
		}
		h := headersOf(t, l)
		if has := h.Get("List-Unsubscribe") != "" && h.Get("List-Unsubscribe-Post") != ""; has != c.unsubscribe || strings.Contains(l.Text, "/baja/") != c.unsubscribe || strings.Contains(l.Text, "/gestionar/") != c.unsubscribe {
			t.Errorf("%q can be left: %v", l.Subject, has)
		}
		if h.Get("References") != "" || h.Get("Message-Id") == "" || h.Get("List-Id") == "" {
			t.Errorf("%q: %v", l.Subject, h)
		}
		c.b.Language, c.b.Simulated = subscription.English, true
		if l := delivered(t, c.b); l.Subject != "[SIMULATED DATA] "+c.en || !strings.Contains(l.Text, "Simulated data") || strings.Contains(l.Text, "Open-Meteo") || !strings.Contains(l.HTML, `<html lang="en">`) {
			t.Errorf("in English, simulated: %q", l.Subject)
		}
	}
}

func TestSubjects(t *testing.T) {
	entry := func(level alert.Level, what alert.ChangeKind, thread string) message.Entry {
		e := news(t).Entries[0]
		e.Alert, e.What, e.ThreadRef = gale(level), what, thread
		return e
	}
	for _, c := range []struct {
		entries        []message.Entry
		es, en, thread string
	}{
		{[]message.Entry{entry(alert.Danger, alert.Opened, "uno")}, "[Peligro] Viento fuerte · Torres del Paine · sáb 21, 9–23 h", "[Danger] Strong wind · Torres del Paine · Sat 21, 09:00–23:00", "uno"},
		{[]message.Entry{entry(alert.Caution, alert.Moved, "uno"), entry(alert.Caution, alert.Opened, "dos"), entry(alert.Danger, alert.Ended, "tres")},
			"[Precaución] Viento fuerte · Torres del Paine · sáb 21, 9–23 h y 2 más", "[Caution] Strong wind · Torres del Paine · Sat 21, 09:00–23:00 and 2 more", "uno"},
		{[]message.Entry{entry(alert.Danger, alert.Withdrawn, "uno")}, "[Ya no rige] Viento fuerte · Torres del Paine · sáb 21, 9–23 h", "[No longer in force] Strong wind · Torres del Paine · Sat 21, 09:00–23:00", "uno"},
		{[]message.Entry{entry(alert.Danger, alert.Ended, "uno"), entry(alert.Caution, alert.Opened, "dos")}, "[Precaución] Viento fuerte · Torres del Paine · sáb 21, 9–23 h y 1 más", "[Caution] Strong wind · Torres del Paine · Sat 21, 09:00–23:00 and 1 more", "dos"},
	} {
		b := news(t)
		b.Entries = c.entries
		l := delivered(t, b)
		if l.Subject != c.es || headersOf(t, l).Get("References") != "<"+c.thread+"@vigia.example.cl>" {
			t.Errorf("%q in thread %s, want %q in %s", l.Subject, headersOf(t, l).Get("References"), c.es, c.thread)
		}
		b.Language = subscription.English
		if l := delivered(t, b); l.Subject != c.en {
			t.Errorf("%q, want %q", l.Subject, c.en)
		}
	}
}

// What official bodies say of the alert's trails comes before what we estimate.
func TestNewsSaysWhatIsOfficial(t *testing.T) {
	b := news(t)
	b.Entries[0].Closures = []notices.Holding{{Closure: notices.Closure{Trail: "paso-john-gardner", Situation: "cerrado", Source: "CONAF"}, TrailName: "Paso John Gardner", Stale: true}}
	b.Entries[0].Volcanic = []notices.Nearby{{Volcanic: notices.Volcanic{Level: notices.Orange, Source: "SERNAGEOMIN"}, Name: "Reclus"}}
	for language, want := range map[subscription.Language][2]string{
		subscription.Spanish: {"Oficial: Paso John Gardner, cerrado según CONAF (desactualizado).", "Oficial: volcán Reclus, alerta técnica naranja según SERNAGEOMIN."},
		subscription.English: {"Official: Paso John Gardner, closed according to CONAF (out of date).", "Official: Reclus volcano, technical alert orange according to SERNAGEOMIN."},
	} {
		b.Language = language
		text := strings.Join(strings.Fields(delivered(t, b).Text), " ")
		closed, volcano, gusts := strings.Index(text, want[0]), strings.Index(text, want[1]), strings.Index(text, "95 km/h")
		if closed < 0 || volcano < closed || gusts < volcano {
			t.Errorf("the notices stand at %d and %d, our own at %d: %s", closed, volcano, gusts, text)
		}
	}
	if text := delivered(t, news(t)).Text; strings.Contains(text, "Oficial:") {
		t.Errorf("the control: without notices it says %s", text)
	}
}

var (
	anyURL = regexp.MustCompile(`[a-z]+://[^\s"<)]*|mailto:|tel:|www\.`)
	tags   = regexp.MustCompile(`<[^>]*>`)
)

// TestTextAndHTMLSayTheSame, and no address is in them but the message's own.
func TestTextAndHTMLSayTheSame(t *testing.T) {
	for name, b := range looks(t) {
		l := delivered(t, b)
		body := l.HTML[strings.Index(l.HTML, "<body"):]
		for _, banned := range []string{"<img", "<script", "<table", "<link", "<form", "<iframe", "url(", "@import", "onload", "expression", "position:"} {
			if strings.Contains(l.HTML, banned) {
				t.Errorf("%s: %s in the page", name, banned)
			}
		}
		for _, address := range append(anyURL.FindAllString(l.HTML, -1), anyURL.FindAllString(l.Text, -1)...) {
			ours := []string{b.Links.Manage, b.Links.Unsubscribe, b.Links.Confirm, b.Links.Privacy, b.Links.Home + "/"}
			if !slices.Contains(ours, address) && !strings.HasPrefix(address, b.Links.Home+"/parques/") {
				t.Errorf("%s: %q is not the message's", name, address)
			}
		}
		shown := strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(body, " "))), " ")
		for paragraph := range strings.SplitSeq(l.Text, "\n") {
			paragraph, _, _ = strings.Cut(paragraph, ": https://")
			paragraph = strings.Trim(paragraph, "*- ")
			if _, level, isHead := strings.Cut(paragraph, " · "); isHead && strings.ContainsAny(paragraph, "▲✕○") {
				paragraph = level
			}
			if !strings.Contains(shown, paragraph) {
				t.Errorf("%s: the page does not say %q", name, paragraph)
			}
		}
	}
}

// TestHostileNames: whatever names are made of that a catalogue may have, which is one line
// that can be printed, they stay names.
func TestHostileNames(t *testing.T) {
	for _, bad := range []string{
		"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "=?utf-8?q?=0D=0ABcc:_x?=",
		strings.Repeat("x", 5000), strings.Repeat("ñ", 3000), "{parque}", "%s%!d", "--vigia-" + ref + "--",
	} {
		checkHostile(t, bad)
	}
}

func FuzzNames(f *testing.F) {
	f.Add("<b>&amp;=?utf-8?q?x?=")
	f.Fuzz(func(t *testing.T, name string) {
		if !strings.ContainsFunc(name, func(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) }) {
			checkHostile(t, name)
		}
	})
}

// checkHostile composes a mail in which every name is the given one, reads it as a
// program would, and compares.
func checkHostile(t *testing.T, name string) {
	t.Helper()
	s, err := New(Options{Host: "127.0.0.1", Port: 25, TLS: "none", From: "alertas@vigia.example.cl", Clock: clockwork.NewFakeClockAt(now), DKIMKey: ed25519PEM, DKIMSelector: "s2026"})
	if err != nil {
		t.Fatal(err)
	}
	b := news(t)
	e := &b.Entries[0]
	e.Park.Name, e.Park.Slug, e.Park.Administrator, e.Trails, e.Alert.Tracks[0].Reason.Causes[0].Place = name, name, name, []string{name, name}, name
	b.Contact, b.Emergency[0].Name, b.Emergency[1].Note = name, name, name
	l, err := s.Compose(b, ana)
	if err != nil {
		t.Fatalf("%q: %v", name, err)
	}
	raw, err := s.Raw(l)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.SplitSeq(raw, []byte("\r\n")) {
		if len(line) > 998 || bytes.ContainsAny(line, "\r\n\x00") {
			t.Fatalf("%q: line %q", name, line)
		}
	}
	came := readBack(t, raw)
	read, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Auto-Submitted", "Content-Language", "Content-Type", "Date", "Dkim-Signature", "From", "In-Reply-To", "List-Id",
		"List-Unsubscribe", "List-Unsubscribe-Post", "Message-Id", "Mime-Version", "References", "Subject", "To"}
	if got := slices.Sorted(maps.Keys(read.Header)); !slices.Equal(got, want) {
		t.Errorf("%q: headers %v", name, got)
	}
	if came.Text != l.Text || came.HTML != l.HTML {
		t.Errorf("%q: the mail reads otherwise than it was written", name)
	}
	if came.Subject != l.headers[0].value || strings.ContainsFunc(came.Subject, unicode.IsControl) {
		t.Errorf("%q: subject %q, written %q", name, came.Subject, l.headers[0].value)
	}
	if strings.Contains(came.HTML, "<script") || strings.Contains(came.HTML, "<img") || name != "" && strings.Count(came.HTML, "<") != strings.Count(plainPage(t, s), "<") {
		t.Errorf("%q became part of the page", name)
	}
	if err := verify(t, raw, ed25519PEM); err != nil {
		t.Errorf("%q: %v", name, err)
	}
}

// plainPage is the page of the same message with harmless names.
func plainPage(t *testing.T, s *Sender) string {
	b := news(t)
	l, err := s.Compose(b, ana)
	if err != nil {
		t.Fatal(err)
	}
	return l.HTML
}

// readBack has a letter read by the mailbox.
func readBack(t *testing.T, raw []byte) mailtest.Mail {
	t.Helper()
	l, err := mailtest.Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestFolding(t *testing.T) {
	for _, end := range []string{"b==", "; b=", "AAAA", strings.Repeat("Zb=", 200)} {
		value := "v=1; d=x; h=From:To:" + strings.Repeat("List-Unsubscribe:", 12) + "To; bh=aaab=; b=" + end
		got := folded("DKIM-Signature: " + value + "\r\n")
		if unfolded := strings.ReplaceAll(got, "\r\n ", " "); strings.ReplaceAll(unfolded[strings.Index(unfolded, "; b="):], " ", "") != ";b="+strings.ReplaceAll(end, " ", "") ||
			unfolded[:strings.Index(unfolded, "; b=")] != value[:strings.Index(value, "; b=")] {
			t.Errorf("%q", got)
		}
	}
	if fmt.Sprint(oneLine(" a\r\n b\t")) != "a b" {
		t.Error("oneLine")
	}
}

// The notes of the catalogue are in Spanish: a mail in English has none of them.
func TestEmergencyInTheReadersLanguage(t *testing.T) {
	const note = "Donde no hay cobertura de teléfono no responde."
	for _, test := range []struct {
		language  subscription.Language
		one, both bool   // which numbers have the note
		want      string // after Carabineros
	}{
		{subscription.English, true, true, " · 136 Cuerpo de Socorro Andino. Without phone coverage none of them can be reached"},
		{subscription.English, true, false, " · 136 Cuerpo de Socorro Andino. Without phone coverage"},
		{subscription.Spanish, true, true, " · 136 Cuerpo de Socorro Andino. Sin cobertura ninguno responde"},
		{subscription.Spanish, true, false, " (" + note + ") · 136 Cuerpo de Socorro Andino. Sin cobertura"},
	} {
		b := news(t)
		b.Language = test.language
		if test.one {
			b.Emergency[0].Note = note
		}
		if test.both {
			b.Emergency[1].Note = note
		}
		w := writer{Localizer: b.Localizer(wording.ByDate), m: b}
		if got := w.emergency(); !strings.HasPrefix(got, "133 Carabineros"+test.want) {
			t.Errorf("%v: %q", test, got)
		}
	}
}

// A mail tells how strong the sun gets beside an alert that holds, and never as its cause.
func TestAMailTellsOfTheSun(t *testing.T) {
	sun := snapshot.Sun{Index: 11.2, Class: hazard.HighUV + 2, From: now.Add(2 * time.Hour), To: now.Add(6 * time.Hour), Models: []string{"ncep_gfs_global"}}
	for _, c := range []struct {
		what alert.ChangeKind
		sun  snapshot.Sun
		want int
	}{{alert.Opened, sun, 1}, {alert.Opened, snapshot.Sun{}, 0}, {alert.Ended, sun, 0}} {
		m := news(t)
		m.Entries[0].What, m.Entries[0].Sun = c.what, c.sun
		l := delivered(t, m)
		if n := strings.Count(l.Text, "UV"); n != c.want || strings.Count(l.HTML, "UV") != c.want || strings.Contains(l.Subject, "UV") {
			t.Errorf("change %d: %d times in\n%s", c.what, n, l.Text)
		}
		if c.want > 0 && !strings.Contains(l.Text, "UV 11 extremo, ") {
			t.Errorf("it reads\n%s", l.Text)
		}
	}
}
