package wording

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
)

// pushWordsOf gives every text that a notification can show, but for the sentence
// that says what it is not.
func pushWordsOf(l *Language) (texts []string) {
	for h := range hazard.NumHazards {
		for _, level := range []alert.Level{alert.NoLevel, alert.Caution, alert.Danger} {
			for what := alert.Opened; what <= alert.Disappeared; what++ {
				a := wind(level, 0, 5)
				a.Hazard, a.Agree, a.Total = hazard.Hazard(h), 3, 4
				texts = append(texts, l.PushTitle(&a, what), l.PushPlace(&a, what, "Parque", now, time.UTC), l.PushSimulated(l.PushTitle(&a, what)))
				for q := hazard.GustQuantity; q <= hazard.TemperatureQuantity; q++ {
					a.Causes = []alert.Cause{{Cause: hazard.Cause{Quantity: q, Value: 1, Min: 0, Max: 2, Threshold: 1}, Place: "Paso"}}
					texts = append(texts, l.PushDetails(&a, what, []string{"Sendero", "Otro", "Tercero", "Cuarto"})...)
				}
				texts = append(texts, l.PushMore(2, []*alert.Alert{&a})...)
				texts = append(texts, l.PushMore(1, []*alert.Alert{&a, &a})...)
			}
		}
	}
	for _, say := range []func(since, now time.Time, zone *time.Location) (string, string){l.PushNoData, l.PushDataBack} {
		for _, since := range []time.Time{now, now.Add(-9 * time.Hour), now.Add(-40 * time.Hour)} {
			title, body := say(since, now, time.UTC)
			texts = append(texts, title, body)
		}
	}
	return append(texts, l.PushWelcome("", 0), l.PushWelcome("Parque", 1), l.PushWelcome("Parque", 7), l.PushWaiting())
}

func TestNotificationsUseNoWordsOfOthers(t *testing.T) {
	// The sentence names what it is not, and nothing else.
	unofficial := map[*Language]string{Spanish: "No es un aviso oficial.", English: "Not an official notice."}
	orders := regexp.MustCompile(`(?i)\bsin riesgo|\bno risk|\btranquil|\ball clear|\bfuera de peligro|out of danger`)
	for l, words := range forbidden {
		for _, text := range pushWordsOf(l) {
			if found := words.FindString(text) + orders.FindString(text); found != "" {
				t.Errorf("%q in %q", found, text)
			}
			if text == "" || strings.ContainsAny(text, "{}\uFFFD") || strings.Contains(text, "  ") || strings.TrimSpace(text) != text {
				t.Errorf("ill-formed: %q", text)
			}
		}
		if got := l.PushUnofficial(); got != unofficial[l] {
			t.Errorf("%q", got)
		}
	}
}

func TestNotificationsDifferByLanguage(t *testing.T) {
	english := pushWordsOf(English)
	for i, text := range pushWordsOf(Spanish) {
		if text == english[i] {
			t.Errorf("the same in both: %q", text)
		}
	}
}

func TestPushTitles(t *testing.T) {
	danger, caution, none := wind(alert.Danger, 0, 5), wind(alert.Caution, 0, 5), wind(alert.NoLevel, 0, 5)
	for _, c := range []struct {
		a    *alert.Alert
		what alert.ChangeKind
		want string
	}{
		{&danger, alert.Opened, "Peligro: viento fuerte"}, {&danger, alert.Raised, "Sube a peligro: viento fuerte"}, {&caution, alert.Moved, "Precaución: viento fuerte"},
		{&danger, alert.Ended, "Ya no rige: viento fuerte"}, {&none, alert.Withdrawn, "Ya no rige: viento fuerte"}, {&none, alert.Opened, "Viento fuerte"},
	} {
		if got := Spanish.PushTitle(c.a, c.what); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestPushDetailsTellWhatThereIs(t *testing.T) {
	a := wind(alert.Danger, 0, 5)
	if got := Spanish.PushDetails(&a, alert.Opened, nil); got != nil {
		t.Errorf("of nothing: %q", got)
	}
	a.Agree, a.Total = 2, 3
	a.Causes = []alert.Cause{
		{Cause: hazard.Cause{Quantity: hazard.WeatherCodeQuantity, Value: 95}},
		{Cause: hazard.Cause{Quantity: hazard.UVQuantity, Value: 11.26, Threshold: 11}},
		{Cause: hazard.Cause{Quantity: hazard.GustQuantity, Value: 94.66, Threshold: 90}},
	}
	for l, want := range map[*Language][]string{
		Spanish: {"Índice UV de 11,3 (umbral 11).", "2 de 3 modelos.", "Senderos: Base Torres."},
		English: {"UV index of 11.3 (threshold 11).", "2 of 3 models.", "Trails: Base Torres."},
	} {
		if got := l.PushDetails(&a, alert.Opened, []string{"Base Torres"}); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
	}
	a.Agree, a.Total = 2, 4
	a.Causes = []alert.Cause{{Cause: hazard.Cause{Quantity: hazard.GustQuantity, Value: 77.5, Min: 15, Max: 140, Threshold: 90}}}
	if got := Spanish.PushDetails(&a, alert.Opened, nil); got[0] != "Rachas de 77,5 km/h (umbral 90; entre 15 y 140 según el modelo)." {
		t.Errorf("half of the models agree: %q", got)
	}
	if got := Spanish.PushDetails(&a, alert.Withdrawn, []string{"Base Torres"}); !slices.Equal(got, []string{"Se retira: las estimaciones nuevas ya no la muestran."}) {
		t.Errorf("%q", got)
	}
}

func TestWhatLooksLikeAPlaceInANameIsText(t *testing.T) {
	a := wind(alert.Danger, 0, 5)
	if got := Spanish.PushPlace(&a, alert.Opened, "{cuando} {parque} {", now, time.UTC); got != "{cuando} {parque} {, hoy de 13 a 18 h." {
		t.Errorf("%q", got)
	}
	if got := Spanish.say("push.lugar", "parque", "cuando"); got != "cuando, {cuando}." {
		t.Errorf("%q", got)
	}
}
