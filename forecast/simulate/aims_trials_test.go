//go:build trials

package simulate

import (
	"fmt"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// The rules over every day of a simulated year, on every trail of the catalogue: what is
// red too often does not stand out on the day that kills. At most five trails may be red
// in more than 8 % of their day hours. How many pass the other aims is told.
func TestTheRulesStandOutOverAYear(t *testing.T) {
	t.Parallel()
	cat, rules := catalogue.Default(), hazard.DefaultRules()
	type tally struct{ hours, amber, red, days, notGreen, redDays int }
	trails := make([]tally, len(cat.Trails))
	sites := cat.Sites()
	for d := range 365 {
		day := time.Date(2026, 1, 3, 3, 0, 0, 0, time.UTC).AddDate(0, 0, d)
		var runs []hazard.Run
		for _, m := range models {
			run := m.newestRun(day)
			runs = append(runs, hazard.Run{Model: m.id, Init: run, Columns: columnsOf(7, m, run, day.Add(-72*time.Hour), 97, cat.Locations)})
		}
		assessor := rules.NewAssessor(runs, len(runs), day, 24)
		for i, site := range sites {
			worst, of := hazard.Unknown, &trails[i]
			for _, e := range assessor.Assess(site) {
				if h := e.Hour.In(site.TimeZone).Hour(); h < 6 || h > 21 {
					continue
				}
				of.hours++
				worst = max(worst, e.State)
				switch e.State {
				case hazard.Amber:
					of.amber++
				case hazard.Red:
					of.red++
				}
			}
			of.days++
			if worst != hazard.Green {
				of.notGreen++
			}
			if worst == hazard.Red {
				of.redDays++
			}
		}
	}
	beyond := func(n, of, hundredths int) bool { return 100*n > hundredths*of }
	var redHours, amberHours, redDays, notGreen []string
	for i, x := range trails {
		name := fmt.Sprintf("%s/%s", cat.Parks[cat.Trails[i].Park].Slug, cat.Trails[i].Slug)
		if beyond(x.red, x.hours, 8) {
			redHours = append(redHours, fmt.Sprintf("%s %d %%", name, 100*x.red/x.hours))
		}
		if beyond(x.amber, x.hours, 25) {
			amberHours = append(amberHours, name)
		}
		if beyond(x.redDays, x.days, 10) {
			redDays = append(redDays, name)
		}
		if beyond(x.notGreen, x.days, 50) {
			notGreen = append(notGreen, name)
		}
	}
	t.Logf("of %d trails: red in more than 8 %% of the hours %v; amber in more than 25 %% %d; red on more than 10 %% of the days %d; not green on more than 50 %% %d",
		len(trails), redHours, len(amberHours), len(redDays), len(notGreen))
	if len(redHours) > 5 {
		t.Errorf("%d trails are red too often: %v", len(redHours), redHours)
	}
	if len(redHours) == 0 && len(amberHours) == 0 {
		t.Error("nothing ever happens")
	}
}
