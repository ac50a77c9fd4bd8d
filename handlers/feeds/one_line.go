package feeds

import (
	"strings"
	"time"
	"unicode"

	"vigia/forecast/hazard"
	"vigia/handlers/site"
)

// lineLimit is what one message of a satellite messenger or of a telephone holds: 160
// characters of the GSM alphabet, the end of the line among them.
const lineLimit = 160

// lineBrevity is how much of a line is left out to make room for the name.
type lineBrevity int

// Official notices are counted from byCount on; inBrief leaves out why there is no
// state and returns the zone in figures; inTheLeast leaves out the hazards and the
// zone, and is for lines with notices alone.
const (
	inFull lineBrevity = iota
	byCount
	inBrief
	inTheLeast
)

// line returns a park in at most 160 characters of the GSM alphabet: its name,
// the notices of official bodies, its state, the worst to come with its hours, and until
// when that holds. Where that leaves too little for the name, it is put more
// briefly, and then the name is cut.
func (v feed) line(park int) string {
	p := v.Catalogue.Parks[park]
	name := gsmText(site.ShortName(p.Name))
	if name == "" || strings.ContainsRune(name, noGSM) {
		name = p.Slug
	}
	const fairName = 24
	letters, official, last := []rune(name), v.InForce(park), inBrief
	if len(official.Closures)+len(official.Volcanic) > 0 {
		last = inTheLeast
	}
	text, room := "", 0
	for brevity := inFull; brevity <= last; brevity++ {
		if text, room = v.lineAfterName(park, official, brevity); room >= min(len(letters), fairName) {
			break
		}
	}
	if len(letters) > room {
		name = string(letters[:max(room-1, 0)]) + "."
	}
	return name + text
}

// lineAfterName is a line without the name that begins it, and how many characters
// are left for that.
func (v feed) lineAfterName(park int, official site.Notices, brevity lineBrevity) (text string, room int) {
	text = v.lineText(park, brevity)
	if line := noticesLine(v.View, official, brevity); line != "" {
		text = v.Text("linea.con_oficial", "oficial", line, "linea", text)
	}
	if v.Simulated {
		text = v.Text("simulado.breve") + ". " + text
	}
	text = ": " + gsmText(text) + "\n"
	return text, lineLimit - len([]rune(text))
}

// lineText returns the state and until when it holds, or why there is none.
func (v feed) lineText(park int, brevity lineBrevity) string {
	zone := v.ZoneName()
	if brevity >= inBrief {
		zone = v.ValidUntil.In(v.Zone).Format("UTC-07:00")
	}
	switch {
	case v.WhyNone() != hazard.NoReason && brevity == inTheLeast:
		return v.Text("linea.sin_datos_breve")
	case v.WhyNone() == hazard.NoReason && brevity == inTheLeast:
		return v.Text("linea.estado_breve", "estado", v.lineState(park, brevity), "hasta", v.brief(v.ValidUntil))
	case v.WhyNone() == hazard.NoReason:
		return v.Text("linea.estado", "estado", v.lineState(park, brevity), "hasta", v.brief(v.ValidUntil), "zona", zone)
	case v.ValidUntil.IsZero():
		return v.Text("linea.sin_datos", "motivo", v.ShortReason(v.WhyNone()))
	default:
		return v.Text("linea.sin_datos_desde", "motivo", v.ShortReason(v.WhyNone()), "desde", v.brief(v.ValidUntil), "zona", zone)
	}
}

// lineState returns the state of now, and what is worse within 24 and 72 hours: the worst
// alone where there is little room.
func (v feed) lineState(park int, brevity lineBrevity) string {
	now := v.Park(park, 0)
	state := v.State(now.State)
	worse := v.WorseToCome(park)
	later, brief := len(worse) > 0, brevity >= inBrief
	switch {
	case brevity == inTheLeast:
	case now.State == hazard.Unknown && !brief:
		state = v.Text("linea.causa", "estado", state, "causa", v.ShortReason(now.Reason))
	case now.State >= hazard.Amber && !later:
		state = v.Text("linea.ahora", "que", v.StateBy(now.State, now.Main), "fin", v.briefEnd(v.stateEnd(park, now.State)))
	case now.State >= hazard.Amber && !brief:
		state = v.StateBy(now.State, now.Main)
	case now.State == hazard.Green && !later && now.Models > 0:
		state = v.Count("linea.verde", now.Models)
	}
	if later && brief {
		worse = worse[len(worse)-1:]
	}
	for _, w := range worse {
		if brevity == inTheLeast {
			state = v.Text("linea.luego_breve", "estado", state, "peor", v.State(w.State))
		} else {
			state = v.Text("linea.luego", "estado", state, "peor", v.StateBy(w.State, w.Main), "desde", v.briefStart(w), "fin", v.briefEnd(w.End))
		}
	}
	if now.Quality == hazard.Stale {
		state = v.Text("linea.desactualizada", "estado", state)
	}
	return state
}

// stateEnd returns when a park leaves the state that it has now.
func (v feed) stateEnd(park int, now hazard.State) time.Time {
	ahead := 1
	for ahead < v.Reach(park) && v.Park(park, ahead).State == now {
		ahead++
	}
	return v.HourAhead(ahead)
}

// briefEnd is the end of hours in the shortest words that name its day.
func (v feed) briefEnd(end time.Time) string {
	return v.Text("linea.fin", "hasta", v.LastHour(end), "dia", v.Date(v.LastDay(end)))
}

// briefStart is when a worse state begins: its hour, with the day where the end's does not
// say it.
func (v feed) briefStart(w site.Worse) string {
	if day := v.Date(w.Start); day != v.Date(v.LastDay(w.End)) {
		return v.Text("linea.dia", "dia", day, "hora", v.Localizer.Hour(w.Start))
	}
	return v.Localizer.Hour(w.Start)
}

// brief is an instant in the shortest words that name its day.
func (v feed) brief(t time.Time) string {
	return v.Date(t) + " " + v.Clock(t)
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
