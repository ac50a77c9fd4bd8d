package mail

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
)

// The mail of a storm names the worst in its subject and lists each hazard with its own
// hours, cause and trails.
func TestAStormInAMail(t *testing.T) {
	b := news(t)
	e := &b.Entries[0]
	snow := e.Alert.Tracks[0]
	snow.Trail, snow.Hazard, snow.Level, snow.From = "base-torres", hazard.Snow, alert.Caution, snow.To.Add(-2*time.Hour)
	snow.Reason = alert.Reason{On: alert.Caution, Level: alert.Caution, Agree: 2, Total: 3, Causes: []alert.Cause{
		{Cause: hazard.Cause{Quantity: hazard.Snow24hQuantity, Value: 8, Min: 8, Max: 8, Threshold: 5, Over: 2, Total: 3}, Place: "Mirador"}}}
	e.Alert.SetTracks(append(e.Alert.Tracks, snow))
	doc, err := write(b)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.Subject, "[Peligro] Viento fuerte y nieve · Torres del Paine · sáb 21") {
		t.Errorf("subject %q", doc.Subject)
	}
	text, page := rendered(t, doc)
	page = html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, ""))
	for _, want := range []string{
		"Viento fuerte (peligro): el sáb 21 de 9 a 23 h.", "3 de 4 modelos sobre 90 km/h", "Senderos: Circuito O.",
		"Nieve (precaución): el sáb 21 de 19 a 23 h.", "en Mirador: 2 de 3 modelos", "Senderos: Base Torres.",
		"las rachas pueden botar", "puede tapar la huella",
	} {
		if flat := strings.Join(strings.Fields(text), " "); !strings.Contains(flat, want) {
			t.Errorf("the text does not say %q:\n%s", want, text)
		}
		if !strings.Contains(strings.Join(strings.Fields(page), " "), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
