package wording

import (
	"strconv"
	"strings"
	"time"

	"vigia/forecast/alert"
)

// Mail gives a sentence of the mails by its key, with its places filled from
// name-value pairs; "" for a key that there is not.
func (l *Language) Mail(key string, pairs ...string) string {
	return l.say("correo."+key, pairs...)
}

// MailSubject says an alert at a glance, in dates: a mail is read on another day
// too. Over says that the alert holds no longer.
func (l *Language) MailSubject(a *alert.Alert, over bool, park string, zone *time.Location) string {
	return l.Mail("asunto", "nivel", l.MailLevel(a, over), "amenaza", l.Mail("amenaza."+a.Hazard.String()),
		"parque", park, "cuando", l.dates(a.Start, a.End, zone))
}

// MailLevel names what an alert is: its level, or that it holds no longer.
func (l *Language) MailLevel(a *alert.Alert, over bool) string {
	if over {
		return l.Mail("termina")
	}
	return capital(l.levels[a.Level])
}

// MailHazard names an alert's hazard in full, as a heading.
func (l *Language) MailHazard(a *alert.Alert) string { return capital(l.hazards[a.Hazard]) }

// MailWindow says an alert's hours in dates, and whose hours they are.
func (l *Language) MailWindow(a *alert.Alert, zone *time.Location) string {
	return l.Mail("cuando", "cuando", l.dates(a.Start, a.End, zone), "zona", offset(a.Start.In(zone)))
}

// MailSummary says what the models have of an alert and how much against which
// threshold, in dates.
func (l *Language) MailSummary(a *alert.Alert, zone *time.Location) string {
	return l.AlertSummary(a, nil, time.Time{}, zone) // seen from so far away, no day is today
}

// MailInstant says an instant in full: "sáb 21-11-2026, 14:05 (UTC−3)".
func (l *Language) MailInstant(t time.Time, zone *time.Location) string {
	return l.MailDay(t, zone) + ", " + l.MailClock(t, zone)
}

// MailDay says a day with its month and year.
func (l *Language) MailDay(t time.Time, zone *time.Location) string {
	t = t.In(zone)
	form := "2 Jan 2006"
	if l.decimalComma {
		form = "2-1-2006"
	}
	return l.days[t.Weekday()] + " " + t.Format(form)
}

// MailHour says an hour and minute as in a sentence, and whose they are: "las 14:05
// (UTC−3)", "la 01:05 (UTC−3)".
func (l *Language) MailHour(t time.Time, zone *time.Location) string {
	return l.theHour(l.MailClock(t, zone))
}

// MailMoment says an instant as in a sentence: "las 14:05 del sáb 21-11-2026 (UTC−3)".
func (l *Language) MailMoment(t time.Time, zone *time.Location) string {
	t = t.In(zone)
	return l.Mail("momento", "las", l.theHour(t.Format("15:04")), "de_dia", l.ofDay(l.MailDay(t, zone), false), "zona", offset(t))
}

// MailChange says what became of an alert since its reader was told of it.
func (l *Language) MailChange(a *alert.Alert, what alert.ChangeKind, zone *time.Location) string {
	if what == alert.Moved { // told of only when it begins sooner
		return l.Mail("antes", "cuando", l.dates(a.Start, a.End, zone))
	}
	return l.ChangeSummary(&alert.Change{What: what, Level: a.Level, Start: a.Start, End: a.End}, zone)
}

// MailClock says an hour and minute, and whose they are: "14:05 (UTC−3)".
func (l *Language) MailClock(t time.Time, zone *time.Location) string {
	t = t.In(zone)
	return t.Format("15:04") + " (" + offset(t) + ")"
}

// offset says how a local time stands to UTC.
func offset(t time.Time) string {
	_, seconds := t.Zone()
	sign, minutes := "+", seconds/60
	if minutes < 0 {
		sign, minutes = "−", -minutes
	}
	text := "UTC" + sign + strconv.Itoa(minutes/60)
	if minutes%60 != 0 {
		text += ":" + strings.TrimPrefix(strconv.Itoa(100+minutes%60), "1")
	}
	return text
}
