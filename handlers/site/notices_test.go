package site

import (
	"strings"
	"testing"
	"time"

	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/notices"
)

// officialSnapshot is the default catalogue's snapshot with notices on Villarrica.
func officialSnapshot(age time.Duration) *store.Snapshot {
	c := catalogue.Default()
	e := &store.Snapshot{Catalogue: c}
	at := now.Add(-age)
	e.Notices[notices.Volcanoes] = notices.Batch{ObtainedAt: at, Volcanic: []notices.Volcanic{{
		Volcano: "villarrica", Level: notices.Orange, Source: `SERNAGEOMIN "RNVV"`, SourceURL: "https://rnvv.example.cl/v?a=1&b=2",
		PublishedAt: now.Add(-30 * time.Hour), ObtainedAt: at,
	}}}
	e.Notices[notices.Closures] = notices.Batch{Kind: notices.Closures, ObtainedAt: at, Closures: []notices.Closure{
		{Park: "villarrica", Situation: "restringido", Detail: "Solo con guía & crampones", Until: now.Add(50 * time.Hour),
			Source: "CONAF", SourceURL: "https://www.example.cl/c", ObtainedAt: at},
		{Park: "villarrica", Situation: "cerrado", Until: now, Source: "over", SourceURL: "https://www.example.cl/over", ObtainedAt: at},
	}}
	return e
}

func villarrica(t *testing.T, e *store.Snapshot) string {
	t.Helper()
	return pageOf(t, e, now, "/parques/villarrica")
}

func TestOfficialNoticesStandAboveOurs(t *testing.T) {
	page := villarrica(t, officialSnapshot(time.Hour))
	section, rest, _ := strings.Cut(page[strings.Index(page, `<section class="avisos-oficiales"`):], "</section>")
	for _, want := range []string{
		"Villarrica, en el parque. Alerta técnica volcánica: naranja", `<a href="https://rnvv.example.cl/v?a=1&amp;b=2"`, "SERNAGEOMIN &#34;RNVV&#34;</a>",
		"publicado <time", "obtenido <time", "Todo el parque, restringido", "Solo con guía &amp; crampones", "hasta lun 23 nov, 16:05",
		`<a href="https://www.example.cl/c"`, "no cambia el estado estimado",
	} {
		if !strings.Contains(section, want) {
			t.Errorf("the section lacks %q:\n%s", want, section)
		}
	}
	for _, wrong := range []string{"over", "Desactualizado", "sin información oficial", "está abierto."} {
		if strings.Contains(section, wrong) {
			t.Errorf("the section says %q:\n%s", wrong, section)
		}
	}
	if !strings.Contains(rest, `<section class="ahora`) || strings.Count(page, `class="avisos-oficiales"`) != 1 {
		t.Error("the official section is not above our own estado, or there twice")
	}
	if stale := villarrica(t, officialSnapshot(48*time.Hour)); strings.Count(stale, "Desactualizado: ") != 2 {
		t.Error("notices that are out of date do not say so")
	}
}

// What is not known says so, and never that something is open.
func TestUnknownNoticesSaySo(t *testing.T) {
	e := officialSnapshot(time.Hour)
	e.Notices[notices.Closures].Closures = nil
	if page := villarrica(t, e); strings.Count(page, "sin información oficial") != 1 || !strings.Contains(page, "volcánica: naranja") {
		t.Error("one kind known, the other not")
	}
	page := villarrica(t, &store.Snapshot{Catalogue: catalogue.Default()})
	if strings.Count(page, "sin información oficial") != 2 || !strings.Contains(page, "no quiere decir que el parque esté abierto") {
		t.Error("nothing known")
	}
	if strings.Index(page, `class="avisos-oficiales"`) < strings.Index(page, `<section class="ahora`) {
		t.Error("a section that says nothing stands above the estado")
	}
}

func TestSpansOfClosures(t *testing.T) {
	zone, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	a := viewOf(t, newSnapshot(t), now).In(zone)
	day := func(y int, m time.Month, d, h int) time.Time { return time.Date(y, m, d, h, 0, 0, 0, zone) }
	for _, c := range []struct {
		from, until time.Time
		want        string
	}{
		{time.Time{}, time.Time{}, ""},
		{day(2026, 11, 1, 0), time.Time{}, "desde dom 1 nov"},
		{time.Time{}, day(2027, 1, 1, 0), "hasta jue 31 dic inclusive"},
		{day(2025, 11, 1, 0), day(2027, 3, 2, 0), "desde sáb 1 nov 2025 hasta lun 1 mar 2027 inclusive"},
		{day(2026, 11, 20, 9), day(2026, 11, 21, 18), "desde vie 20 nov, 09:00 hasta sáb 21 nov, 18:00"},
	} {
		if got := a.spanOf(&notices.Holding{Closure: notices.Closure{From: c.from, Until: c.until}}); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
