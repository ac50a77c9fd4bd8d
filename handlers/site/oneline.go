package site

import (
	"strings"
	"time"
	"unicode"

	"vigia/forecast/hazard"
	"vigia/handlers/prepared"
)

const (
	textType = "text/plain; charset=utf-8"
	// lineLimit is what one message of a satellite messenger or of a telephone
	// holds: 160 characters of the GSM alphabet, the end of the line among them.
	lineLimit = 160
)

// putLines adds each park as one line of plain text.
func (p *printing) putLines() {
	for i, park := range p.Catalogue.Parks {
		p.shelf.lend(p.path("/texto/"+park.Slug), func() *prepared.Body {
			return prepared.Static(textType, []byte(p.country.in(park.TimeZone).line(p.moment, i)))
		})
	}
}

// line says a park in at most 160 characters of the GSM alphabet: its name, its
// state, the worst to come with its hours, and until when that holds. Where that
// leaves too little for the name, it is said more briefly, and then the name is cut.
func (a almanac) line(m moment, park int) string {
	p := m.Catalogue.Parks[park]
	name := gsmText(shortName(p.Name))
	if name == "" || strings.ContainsRune(name, noGSM) {
		name = p.Slug
	}
	const fairName = 24
	letters := []rune(name)
	text, room := a.lineAfterName(m, park, false)
	if room < min(len(letters), fairName) {
		text, room = a.lineAfterName(m, park, true)
	}
	if len(letters) > room {
		name = string(letters[:max(room-1, 0)]) + "."
	}
	return name + text
}

// lineAfterName is a line without the name that begins it, and how many characters
// are left for that. brief leaves out why there is no state and gives the zone in
// figures.
func (a almanac) lineAfterName(m moment, park int, brief bool) (text string, room int) {
	zone := a.zoneName()
	if brief {
		zone = m.ValidUntil.In(a.zone).Format("UTC-07:00")
	}
	switch {
	case m.reason == hazard.NoReason:
		text = a.texts.say("linea.estado", "estado", a.lineState(m, park, brief), "hasta", a.brief(m.ValidUntil), "zona", zone)
	case m.ValidUntil.IsZero():
		text = a.texts.say("linea.sin_datos", "motivo", a.texts.say("motivo_corto."+string(m.reason)))
	default:
		text = a.texts.say("linea.sin_datos_desde", "motivo", a.texts.say("motivo_corto."+string(m.reason)), "desde", a.brief(m.ValidUntil), "zona", zone)
	}
	if m.Simulated {
		text = a.texts.say("linea.simulado", "linea", text)
	}
	text = ": " + gsmText(text) + "\n"
	return text, lineLimit - len([]rune(text))
}

// lineState says the state of now, and what is worse within 24 hours.
func (a almanac) lineState(m moment, park int, brief bool) string {
	now := m.parkAt(park, 0)
	state := a.texts.say("estado." + levelKey(now.State))
	worst, ahead := m.worstAhead(park)
	later := worst.State > now.State
	switch {
	case now.State == hazard.Unknown && !brief:
		state = a.texts.say("linea.causa", "estado", state, "causa", a.texts.say("motivo_corto."+string(now.Reason)))
	case now.State >= hazard.Amber && !later:
		state = a.texts.say("linea.ahora", "estado", state, "amenaza", a.briefHazard(now.Main), "fin", a.briefEnd(m, park, 0, now.State))
	case now.State >= hazard.Amber && !brief:
		state = a.texts.say("linea.por", "estado", state, "amenaza", a.briefHazard(now.Main))
	case now.State == hazard.Green && !later && now.Models > 0:
		state = a.texts.count("linea.verde", now.Models)
	}
	if later {
		state = a.texts.say("linea.luego", "estado", state, "peor", a.texts.say("estado."+levelKey(worst.State)),
			"amenaza", a.briefHazard(worst.Main), "desde", a.clock(m.at(ahead)), "fin", a.briefEnd(m, park, ahead, worst.State))
	}
	if now.Quality == hazard.Stale {
		state = a.texts.say("linea.desactualizada", "estado", state)
	}
	return state
}

// briefHazard is a hazard without what its name explains in brackets.
func (a almanac) briefHazard(h hazard.Hazard) string {
	if h == hazard.NoHazard {
		return a.texts.say("linea.tiempo")
	}
	name, _, _ := strings.Cut(a.texts.say("amenaza."+h.String()), " (")
	return name
}

// briefEnd says when a park leaves a state that it has some hours from now.
func (a almanac) briefEnd(m moment, park, ahead int, state hazard.State) string {
	end := ahead + 1
	for end < m.reach(park) && m.parkAt(park, end).State == state {
		end++
	}
	last := a.endDay(m.at(end)).In(a.zone)
	return a.texts.say("linea.fin", "hasta", a.clockAtEnd(m.at(end)), "dia", a.briefDay(last))
}

// brief is an instant in the shortest words that name its day.
func (a almanac) brief(t time.Time) string {
	local := t.In(a.zone)
	return a.briefDay(local) + " " + local.Format("15:04")
}

func (a almanac) briefDay(local time.Time) string {
	return a.weekday(local) + " " + local.Format("2")
}

// shortName is a park's name without its kind.
func shortName(name string) string {
	_, proper := splitName(name)
	return proper
}

// noGSM stands for a character that the GSM alphabet has nothing like.
const noGSM = '?'

// gsmBasic are the letters and signs of the GSM alphabet (3GPP TS 23.038) that
// take one place each.
const gsmBasic = "@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"

// likeGSM are other characters with what is read in their place.
var likeGSM = strings.NewReplacer("á", "a", "í", "i", "ó", "o", "ú", "u", "Á", "A", "Í", "I", "Ó", "O", "Ú", "U", "â", "a", "ê", "e", "î", "i",
	"ô", "o", "û", "u", "ã", "a", "õ", "o", "ë", "e", "ï", "i", "ç", "c", "ý", "y", "À", "A", "È", "E", "Ì", "I", "Ò", "O", "Ù", "U", "Ê", "E", "Ë", "E",
	"–", "-", "—", "-", "−", "-", "‘", "'", "’", "'", "ʼ", "'", "“", `"`, "”", `"`, "«", `"`, "»", `"`, "…", "...", "·", "-", "º", "o", "ª", "a", "°", " ",
	"[", "(", "]", ")", "{", "(", "}", ")", "|", "/", "\\", "/", "~", "-", "^", "'", "`", "'", "€", "EUR")

// gsmText writes a text in the GSM alphabet, on one line.
func gsmText(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(gsmBasic, r):
			return r
		case unicode.Is(unicode.Mn, r):
			return -1 // the mark of an accent that stands alone
		default:
			return noGSM
		}
	}, likeGSM.Replace(strings.Join(strings.FieldsFunc(text, isGap), " ")))
}

func isGap(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}
