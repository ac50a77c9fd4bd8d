package subscription

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/store/catalogue"
)

// formNow is 02:00 UTC: the day before still in Chile.
var formNow = time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)

// A trail's slug that several parks have must be told apart.
func TestAmbiguousTrails(t *testing.T) {
	const slug = "el-mirador"
	var parks, trails, named []string
	for i := range mostCandidates {
		park := fmt.Sprintf("parque-%d", i)
		parks = append(parks, `{"slug":"`+park+`","nombre":"Parque","region":"Maule","tipo":"parque_nacional","latitud":-35,"longitud":-71,"altitud_m":900,"zona_horaria":"America/Santiago"}`)
		trails = append(trails, `{"slug":"`+slug+`","parque":"`+park+`","nombre":"El mirador","tipo":"circuito","puntos":[{"nombre":"Inicio","latitud":-35,"longitud":-71,"altitud_m":900,"exposicion":"bosque"}]}`)
		named = append(named, park+"/"+slug)
	}
	c, err := catalogue.Parse("prueba", []byte(`{"parques":[`+strings.Join(parks, ",")+`],"senderos":[`+strings.Join(trails, ",")+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	form := Form{Channel: "email", Email: "ana@example.cl", Trails: []string{slug}, Consent: true}
	_, faults := form.Check(c, PushHosts{}, formNow)
	if len(faults) != 1 || faults[0].Field != "senderos" {
		t.Fatalf("%v", faults)
	}
	for _, name := range named {
		if !strings.Contains(faults[0].Text, name) {
			t.Errorf("%s is not in %q", name, faults[0].Text)
		}
	}
	form.Trails = named[:1]
	if wish, faults := form.Check(c, PushHosts{}, formNow); len(faults) > 0 || !slices.Equal(wish.Preferences.Trails, named[:1]) {
		t.Errorf("%v", faults)
	}
}

// A page's form does not pass the limits of JSON.
func TestFormOfAPage(t *testing.T) {
	form := Form{Channel: "email", Email: "ana@example.cl", Parks: strings.Fields(strings.Repeat("lauca ", 65)), Consent: true}
	if _, faults := form.Check(catalogue.Default(), PushHosts{}, formNow); len(faults) != 1 || !strings.Contains(faults[0].Text, "64") {
		t.Errorf("%v", faults)
	}
	form.Parks = form.Parks[:64]
	for range 2 { // checking changes nothing in the form
		if wish, faults := form.Check(catalogue.Default(), PushHosts{}, formNow); len(faults) > 0 || len(wish.Preferences.Parks) != 1 {
			t.Errorf("%v", faults)
		}
	}
}
