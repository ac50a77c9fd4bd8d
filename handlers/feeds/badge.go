package feeds

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"vigia/forecast/hazard"
	"vigia/handlers/site"
)

const svgType = "image/svg+xml"

// The badge's measures in pixels: everything is drawn to them whatever its words, so
// that the page that shows it does not move.
const (
	badgeWidth  = 360
	badgeHeight = 92
	badgeTextX  = 70
	badgeRoom   = badgeWidth - badgeTextX - 10
	squeeze     = .88 // how narrow letters may be made before a text is cut
)

// The base lines of name, state, meaning and date, and the same where an official
// notice stands between name and state.
var (
	badgeLines         = [4]int{19, 43, 62, 80}
	badgeLinesOfficial = [4]int{16, 52, 69, 84}
)

// badge is the words of a badge. A picture that others keep cannot turn grey by
// itself, so it names its hour and when it expires, with the date.
type badge struct {
	Level        site.Level
	Stale        bool
	Name         string // of the park, with whose badge it is
	ShortName    string // the same where Name has no room
	Official     string // what official bodies say of the park now, "" for nothing
	Hours        string // after the word: of which hour, and when it expires
	Meaning      string
	Day          string // the date of the hours, their zone and that it is not official
	Title, About string // for who does not see it
}

func (v feed) badge(park int) badge {
	p, now := v.Catalogue.Parks[park], v.Park(park, 0)
	headline := v.Headline(now)
	b := badge{Level: headline.Level, Stale: now.Quality == hazard.Stale, Meaning: headline.Meaning}
	b.Name, b.ShortName = v.Text("insignia.nombre", "parque", p.Name), v.Text("insignia.nombre", "parque", site.ShortName(p.Name))
	if v.Simulated {
		b.Name = v.Marked(site.ShortName(p.Name))
		b.ShortName = b.Name
	}
	b.Title = v.marked(v.Text("insignia.titulo", "parque", p.Name, "estado", b.Level.Word))
	b.About = strings.TrimSuffix(headline.Meaning, ".")
	var worse []string
	for _, w := range v.WorseToCome(park) {
		worse = append(worse, v.Text("insignia.luego", "que", v.StateBy(w.State, w.Main), "n", w.Within))
	}
	if ahead := strings.Join(worse, ", "); ahead != "" {
		b.Meaning = ahead
		b.About += "; " + ahead
	}
	if now.State == hazard.Unknown {
		b.Meaning = v.ShortReason(now.Reason)
	} else if b.Stale {
		b.Meaning = headline.Quality
	}
	v.dateBadge(&b)
	if b.Official = v.badgeOfficial(park); b.Official != "" {
		b.About = b.Official + ". " + b.About
	}
	return b
}

// badgeOfficial returns the notices of a park in one line: one in full, several by
// count.
func (v feed) badgeOfficial(park int) string {
	official := v.InForce(park)
	line := noticesLine(v.View, official, inFull)
	if helvetica.width(line, 12) > badgeRoom/squeeze {
		line = noticesLine(v.View, official, byCount)
	}
	return line
}

// dateBadge fills in of which hours a badge is.
func (v feed) dateBadge(b *badge) {
	if v.ValidUntil.IsZero() {
		b.Day = v.Text("insignia.no_oficial")
		b.About = v.Text("insignia.nunca", "que", b.About)
		return
	}
	until, of := v.Clock(v.ValidUntil), v.Localizer.Hour(v.PresentHour())
	last := v.LongDate(v.ValidUntil)
	days := last
	if first := v.LongDate(v.PresentHour()); v.WhyNone() == hazard.NoReason && first != last {
		days = v.Text("insignia.dias", "primero", first, "ultimo", last)
	}
	b.Day = v.Text("insignia.dia", "fecha", days, "zona", v.ZoneName())
	if v.WhyNone() != hazard.NoReason {
		b.Hours = v.Text("insignia.desde", "hora", until)
		b.About = v.Text("insignia.vencio", "que", b.About, "fecha", last, "hasta", until, "zona", v.ZoneName())
		return
	}
	b.Hours = v.Text("insignia.horas", "hora", of, "hasta", until)
	b.About = v.Text("insignia.explica", "que", b.About, "hora", v.Localizer.At(v.PresentHour()), "fecha", last, "hasta", until, "zona", v.ZoneName())
}

// badgeShapes draw the levels in a square of 24, by key: the shapes of the pages,
// with their colours in the drawing itself.
var badgeShapes = map[string]string{
	"verde": `<circle cx="12" cy="12" r="11" fill="#17654f"/><path d="M7.8 12.6 10.9 15.6 16.5 8.9" stroke="#fff"/>`,
	"amarillo": `<path d="M12 1.2 23.4 22H.6Z" fill="#f0b400" stroke="#7a5900" stroke-width="1" stroke-linejoin="round"/>` +
		`<path d="M12 9.3V15.3M12 18.2V18.7" stroke="#221a00"/>`,
	"rojo": `<path d="M7.4 1H16.6L23 7.4V16.6L16.6 23H7.4L1 16.6V7.4Z" fill="#a3131b"/><path d="M8.2 8.2 15.8 15.8M15.8 8.2 8.2 15.8" stroke="#fff"/>`,
	"nada": `<rect x="1.5" y="1.5" width="21" height="21" fill="url(#trama)" stroke="#58626a" stroke-width="1" stroke-dasharray="3 2"/>` +
		`<path d="M8.8 9.4C8.8 5.4 15.5 5.6 15.2 9.6 15 11.7 12 11.7 12 14.1M12 17.4V18" stroke="#14222a"/>`,
}

var badgeEdges = map[string]string{"verde": "#17654f", "amarillo": "#f0b400", "rojo": "#a3131b", "nada": "url(#trama)"}

// draw makes the picture. Every text has the length that it was measured to have,
// so that no font of the reader's makes it longer than its room.
func (b badge) draw() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img" aria-labelledby="t d">`,
		badgeWidth, badgeHeight)
	fmt.Fprintf(&out, "\n<title id=\"t\">%s</title>\n<desc id=\"d\">%s</desc>\n", xmlText(b.Title), xmlText(b.About))
	out.WriteString(`<defs><pattern id="trama" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
		`<rect width="5" height="5" fill="#e9e6df"/><rect width="1.8" height="5" fill="#9c9a94"/></pattern></defs>` + "\n")
	fmt.Fprintf(&out, `<rect x=".5" y=".5" width="%d" height="%d" rx="4" fill="#fffdf9" stroke="#46555e"/>`, badgeWidth-1, badgeHeight-1)
	if b.Stale || b.Level.Key == "nada" {
		fmt.Fprintf(&out, `<rect x="1" y="1" width="60" height="%d" fill="url(#trama)"/>`, badgeHeight-2)
	}
	fmt.Fprintf(&out, `<rect x="1" y="1" width="6" height="%d" fill="%s"/>`, badgeHeight-2, badgeEdges[b.Level.Key])
	fmt.Fprintf(&out, `<g transform="translate(15 27) scale(1.6)" fill="none" stroke-width="2.3" stroke-linecap="round" stroke-linejoin="round">%s</g>`+"\n",
		badgeShapes[b.Level.Key])
	out.WriteString(`<g font-family="Helvetica, Arial, 'Liberation Sans', sans-serif" fill="#14222a">` + "\n")
	name := b.Name
	if helvetica.width(name, 12) > badgeRoom/squeeze {
		name = b.ShortName
	}
	lines := badgeLines
	if b.Official != "" {
		lines = badgeLinesOfficial
		writeBadgeText(&out, helvetica, 12, 32, badgeTextX, badgeRoom, b.Official)
	}
	writeBadgeText(&out, helvetica, 12, lines[0], badgeTextX, badgeRoom, name)
	word := writeBadgeText(&out, helveticaBold, 19, lines[1], badgeTextX, badgeRoom, b.Level.Word)
	writeBadgeText(&out, helvetica, 14, lines[1], badgeTextX+word+5, badgeRoom-word-5, b.Hours)
	writeBadgeText(&out, helvetica, 12, lines[2], badgeTextX, badgeRoom, b.Meaning)
	writeBadgeText(&out, helvetica, 11, lines[3], badgeTextX, badgeRoom, b.Day)
	out.WriteString("</g>\n</svg>\n")
	return out.Bytes()
}

// writeBadgeText writes a line of a badge, cut to its room, and returns its width.
func writeBadgeText(out *bytes.Buffer, f font, size float64, y int, x, room float64, text string) float64 {
	text = f.cut(strings.Join(strings.FieldsFunc(text, isGap), " "), size, room/squeeze)
	if text == "" {
		return 0
	}
	width := min(f.width(text, size), room)
	weight := ""
	if f.bold {
		weight = ` font-weight="700"`
	}
	fmt.Fprintf(out, `<text x="%.1f" y="%d" font-size="%g"%s textLength="%.1f" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n",
		x, y, size, weight, width, xmlText(text))
	return width
}

// xmlText escapes a text for XML; what XML cannot hold becomes U+FFFD.
func xmlText(text string) string {
	var out bytes.Buffer
	// A bytes.Buffer takes every write, so this cannot fail.
	_ = xml.EscapeText(&out, []byte(text))
	return out.String()
}
