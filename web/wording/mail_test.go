package wording

import (
	"testing"
	"time"

	"vigia/forecast/alert"
)

func TestMailHours(t *testing.T) {
	zone := punta(t)
	chatham := time.FixedZone("", 12*3600+45*60)
	for _, c := range []struct {
		got, want string
	}{
		{Spanish.MailInstant(now, zone), "sáb 21-11-2026, 10:05 (UTC−3)"},
		{English.MailInstant(now, zone), "Sat 21 Nov 2026, 10:05 (UTC−3)"},
		{Spanish.MailInstant(now, time.UTC), "sáb 21-11-2026, 13:05 (UTC+0)"},
		{English.MailInstant(now, chatham), "Sun 22 Nov 2026, 01:50 (UTC+12:45)"},
		{Spanish.MailClock(now, time.FixedZone("", -(3*3600+5*60))), "10:00 (UTC−3:05)"},
		{Spanish.MailHour(now, zone), "las 10:05 (UTC−3)"},
		{Spanish.MailHour(now.Add(-9*time.Hour), zone), "la 01:05 (UTC−3)"},
		{Spanish.MailMoment(now.Add(-9*time.Hour), zone), "la 01:05 del sáb 21-11-2026 (UTC−3)"},
		{English.MailMoment(now, zone), "10:05 on Sat 21 Nov 2026 (UTC−3)"},
		{Spanish.MailDay(time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC), zone), "lun 30-11-2026"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestMailDates: a mail is read on another day, so it names none by its nearness.
func TestMailDates(t *testing.T) {
	zone := punta(t)
	a := wind(alert.Danger, 0, 5)
	for _, c := range []struct {
		got, want string
	}{
		{Spanish.MailSubject(&a, false, "Torres del Paine", zone), "[Peligro] Viento · Torres del Paine · sáb 21, 10–15 h"},
		{English.MailSubject(&a, true, "Torres del Paine", zone), "[No longer in force] Wind · Torres del Paine · Sat 21, 10:00–15:00"},
		{Spanish.MailWindow(&a, zone), "sáb 21, 10–15 h (hora del parque, UTC−3)"},
		{Spanish.MailSummary(&a, zone), "Los modelos estiman viento fuerte el sáb 21 de 10 a 15 h (hora local)."},
		{English.MailSummary(&a, zone), "Models estimate strong wind on Sat 21 from 10:00 to 15:00 (local time)."},
		{Spanish.MailHazard(&a), "Viento fuerte"},
		{Spanish.MailChange(&a, alert.Moved, zone), "Empieza antes: sáb 21, 10–15 h."},
		{English.MailChange(&a, alert.Moved, zone), "Begins earlier: Sat 21, 10:00–15:00."},
		{Spanish.MailChange(&a, alert.Raised, zone), "Sube a nivel peligro: sáb 21, 10–15 h."},
		{Spanish.Mail("no hay"), ""},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
