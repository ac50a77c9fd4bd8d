package wording

import (
	"strconv"
	"time"

	"vigia/forecast/alert"
)

// PushTitle says in a few words what became of an alert: what is the kind of
// change that is told.
func (l *Language) PushTitle(a *alert.Alert, what alert.ChangeKind) string {
	hazard := l.hazards[a.Hazard]
	switch {
	case what == alert.Ended || what == alert.Withdrawn:
		return l.say("push.ya_no", "amenaza", hazard)
	case a.Level == alert.NoLevel:
		return capital(hazard)
	case what == alert.Raised:
		return l.say("push.sube", "nivel", l.levels[a.Level], "amenaza", hazard)
	default:
		return l.say("push.titulo", "nivel", capital(l.levels[a.Level]), "amenaza", hazard)
	}
}

// PushPlace says where and when the alert is.
func (l *Language) PushPlace(a *alert.Alert, what alert.ChangeKind, park string, now time.Time, zone *time.Location) string {
	key := "push.lugar"
	if what == alert.Moved {
		key = "push.antes"
	}
	return l.say(key, "parque", park, "cuando", l.Window(a.Start, a.End, now, zone))
}

// PushDetails says what else there is to tell of an alert, a sentence each, the
// most useful first: the first cause that has a value and its threshold, how many
// models agree, and the trails; of one that is over, why.
func (l *Language) PushDetails(a *alert.Alert, what alert.ChangeKind, trails []string) (sentences []string) {
	if what == alert.Ended || what == alert.Withdrawn {
		return []string{l.say(changeKeys[what])}
	}
	for i := range a.Causes {
		if text := l.pushCause(&a.Causes[i], 2*a.Agree <= a.Total); text != "" {
			sentences = append(sentences, text)
			break
		}
	}
	if a.Total > 0 {
		sentences = append(sentences, l.say("push.acuerdo", "a", strconv.Itoa(int(a.Agree)), "n", strconv.Itoa(int(a.Total))))
	}
	if len(trails) > 0 {
		sentences = append(sentences, l.say("senderos", "nombres", l.list(trails)))
	}
	return sentences
}

// pushCause says a cause without its place, "" when it has none or no value. The
// models' spread is told where no more than half of them agree: their median may
// then be on the side of the threshold that raises nothing.
func (l *Language) pushCause(c *alert.Cause, split bool) string {
	name, value := l.quantities[c.Quantity], l.number(c.Value, c.Quantity)
	if name == "" || value == "" {
		return ""
	}
	text := capital(l.say("causa", "cantidad", name, "valor", value, "unidad", unitText(c.Quantity)))
	if threshold := l.number(c.Threshold, c.Quantity); threshold != "" {
		facts := l.say("causa.umbral", "umbral", threshold)
		low, high := l.number(c.Min, c.Quantity), l.number(c.Max, c.Quantity)
		if split && low != "" && high != "" && low != high {
			facts += "; " + l.say("causa.rango", "minimo", low, "maximo", high)
		}
		text += " (" + facts + ")"
	}
	return text + "."
}

// PushMore counts the alerts of a message beside its first: those that hold, and
// those that are over, of which a single one is named.
func (l *Language) PushMore(hold int, over []*alert.Alert) (sentences []string) {
	if hold > 0 {
		sentences = append(sentences, l.say("push.mas", "n", strconv.Itoa(hold)))
	}
	switch len(over) {
	case 0:
	case 1:
		sentences = append(sentences, l.say("push.ya_no.una", "amenaza", l.hazards[over[0].Hazard]))
	default:
		sentences = append(sentences, l.say("push.ya_no.mas", "n", strconv.Itoa(len(over))))
	}
	return sentences
}

// PushWelcome says that notifications are on for the first of count places; none
// is named when place is empty.
func (l *Language) PushWelcome(place string, count int) string {
	switch {
	case place == "":
		return l.say("push.activas")
	case count > 1:
		place = l.say("push.lugar.mas", "lugar", place, "n", strconv.Itoa(count-1))
	}
	return l.say("push.activas.en", "lugar", place)
}

// PushWaiting says what will come to somebody for whose places there is nothing
// to tell yet.
func (l *Language) PushWaiting() string { return l.say("push.esperar") }

// PushNoData says since when no estimate has been possible, and what that means.
func (l *Language) PushNoData(since, now time.Time, zone *time.Location) (title, body string) {
	return l.say("push.sin_datos", "desde", l.instant(since, now, zone)), l.say("push.a_ciegas")
}

// PushDataBack says since when estimates are possible again.
func (l *Language) PushDataBack(since, now time.Time, zone *time.Location) (title, body string) {
	return l.say("push.con_datos", "desde", l.instant(since, now, zone)), l.say("push.ponerse")
}

// instant says an hour and minute with its day: "las 09:05 de hoy".
func (l *Language) instant(t, now time.Time, zone *time.Location) string {
	t = t.In(zone)
	day, near := l.day(t, now.In(zone))
	return l.say("push.instante", "las", l.theHour(t.Format("15:04")), "de_dia", l.ofDay(day, near))
}

// PushUnofficial is the sentence that every notification ends with.
func (l *Language) PushUnofficial() string { return l.say("push.no_oficial") }

// PushSimulated marks the title of a notification about made-up weather.
func (l *Language) PushSimulated(title string) string { return l.say("push.simulado", "texto", title) }
