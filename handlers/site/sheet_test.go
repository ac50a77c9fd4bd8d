package site

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rsc.io/qr"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/handlers/site/sitetest"
	"vigia/store"
	"vigia/store/notices"
)

// fullSheet is a snapshot in which one park has more of everything than a sheet has
// room for, its weather changing all the time, and its slug.
func fullSheet(t testing.TB) (*store.Snapshot, string) {
	t.Helper()
	e := *showcaseSnapshots(t)["larga"]
	i, ok := e.Catalogue.ParkBySlug("torres-del-paine")
	if !ok {
		t.Fatal("the catalogue has no torres-del-paine")
	}
	park := e.Catalogue.Parks[i]
	var trails []string
	for trail := park.FirstTrail; trail < park.FirstTrail+park.NumTrails; trail++ {
		trails = append(trails, e.Catalogue.Trails[trail].Slug)
		hours := make([]hazard.Estimate, shownHours)
		for h := range hours {
			at := noonHour.Add(time.Duration(h) * time.Hour)
			switch h / 2 % 4 {
			case 0:
				hours[h] = signalled(at, hazard.Blizzard, hazard.Red, gust)
			case 1:
				hours[h] = signalled(at, hazard.Fire, hazard.Amber, chill)
			case 2:
				hours[h] = unknown(at, hazard.PartialData)
			default:
				hours[h] = green(at)
			}
		}
		e.Trails[trail].Hours = hours
	}
	e.Alerts = nil
	for n := range 12 {
		a := madeAlert("llena-"+strconv.Itoa(n), park, trails[0], hazard.Hazard(n), alert.Danger, n, n+30)
		a.Trails = trails
		e.Alerts = append(e.Alerts, a)
	}
	for n := range 5 {
		e.Notices[notices.Closures].Kind, e.Notices[notices.Closures].ObtainedAt = notices.Closures, now
		e.Notices[notices.Closures].Closures = append(e.Notices[notices.Closures].Closures, notices.Closure{
			Park: park.Slug, Trail: trails[n], Situation: "restringido", Detail: strings.Repeat("Solo con guía y crampones. ", 12),
			Source: "CONAF", SourceURL: "https://www.example.cl/c", ObtainedAt: now,
		})
	}
	return &e, park.Slug
}

func TestSheetCountsWhatItLeavesOut(t *testing.T) {
	e, slug := fullSheet(t)
	text := readable(pageOf(t, e, now, "/parques/"+slug+"/hoja"))
	for _, want := range []string{"Y 7 alertas más", "Y 3 más, en la página", "Y 10 senderos más", "rojo viento blanco", "14–16 h rojo, viento blanco; 16–18 h amarillo, riesgo de incendio; 18–20 h sin datos",
		"rojo por viento blanco", "; sin datos en 18 h", "Válida hasta el", "Después de esa hora esta hoja no vale", "Estimado sáb 21 nov, 14:00", "131 Ambulancia (SAMU)", "restringido",
		"https://vigia.example/parques/torres-del-paine", "No es un aviso oficial"} {
		if !strings.Contains(text, want) {
			t.Errorf("does not read %q: %s", want, text)
		}
	}
	i, _ := e.Catalogue.ParkBySlug(slug)
	for n := range 4 { // more trails than it has room for: the worst stay
		e.Trails[e.Catalogue.Parks[i].FirstTrail+n].Hours = []hazard.Estimate{green(noonHour)}
	}
	catalogue := *e.Catalogue
	catalogue.Parks = slices.Clone(catalogue.Parks)
	catalogue.Parks[i].NumTrails += 3 // those of the next park
	e.Catalogue = &catalogue
	sheet := readable(pageOf(t, e, now, "/parques/"+slug+"/hoja"))
	if !strings.Contains(sheet, "Y 13 senderos más, en la página del parque.") || strings.Count(sheet, "rojo por viento blanco") < 8 {
		t.Errorf("the worst trails are not on it: %s", sheet)
	}
}

func TestSheetWithoutEstimates(t *testing.T) {
	for name, e := range sitetest.Timed(t) {
		pages := newSite(t).Pages(short(e.Snapshot), e.At)
		for path := range pages.Paths() {
			if !strings.HasSuffix(path, "/hoja") || strings.HasPrefix(path, "/en/") || e.Current {
				continue
			}
			file := content(t, pages.Page(path).Body())
			text := readable(file)
			if !strings.Contains(text, "Esta hoja no tiene ninguna estimación que valga.") || !strings.Contains(text, "No se sabe si hay alertas") ||
				strings.Contains(text, "Válida hasta") || strings.Contains(text, "por viento") && !strings.Contains(text, "sin confirmar") {
				t.Errorf("%s%s: %s", name, path, text)
			}
			for _, shown := range []string{`class="verde"`, `class="amarillo"`, `class="rojo"`, `href="#f-verde"`} {
				if strings.Contains(file[strings.Index(file, `<article class="hoja">`):], shown) {
					t.Errorf("%s%s shows %s", name, path, shown)
				}
			}
		}
	}
}

// The outline has the modules that the library has, no more and no fewer.
func TestQRCode(t *testing.T) {
	const address = "https://vigia.example/parques/torres-del-paine"
	want, err := qr.Encode(address, qr.M)
	if err != nil {
		t.Fatal(err)
	}
	got := drawQR(address)
	if got.Size != want.Size+8 {
		t.Errorf("%d modules wide, want %d and a quiet zone of 4", got.Size, want.Size)
	}
	dark := make(map[[2]int]bool)
	for _, m := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`).FindAllStringSubmatch(got.Path, -1) {
		x, _ := strconv.Atoi(m[1])
		y, _ := strconv.Atoi(m[2])
		run, _ := strconv.Atoi(m[3])
		for i := range run {
			dark[[2]int{x + i - 4, y - 4}] = true
		}
	}
	for y := range want.Size {
		for x := range want.Size {
			if want.Black(x, y) != dark[[2]int{x, y}] {
				t.Fatalf("the module at %d, %d is %v", x, y, dark[[2]int{x, y}])
			}
		}
	}
	if drawQR(strings.Repeat("x", 5000)) != nil {
		t.Error("an address that no code holds has one")
	}
}
