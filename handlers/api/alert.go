package api

import (
	"slices"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/handlers/prepared"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

// activeAlerts gives the alerts of a park (-1: of all) that are in force or
// scheduled. There are none while the estimates behind them are unknown.
func (b *build) activeAlerts(park int) []*alert.Alert {
	if park >= 0 && !b.known[park] {
		return nil
	}
	return b.openAlerts(park)
}

// outdatedAlerts gives a park's alerts that nothing has taken back since the data
// became too old or the estimates ran out. They are shown with a validity that is
// past.
func (b *build) outdatedAlerts(park int) []*alert.Alert {
	if b.known[park] || b.e.Reason != hazard.DataTooOld && b.e.Reason != hazard.EstimateOver {
		return nil
	}
	return b.openAlerts(park)
}

// openAlerts gives the alerts of a park (-1: of all) whose time is not over, those
// in force first, then the worse, then the earlier.
func (b *build) openAlerts(park int) []*alert.Alert {
	var active []*alert.Alert
	for i := range b.e.Alerts {
		a := &b.e.Alerts[i]
		if a.Active(b.now) && (park < 0 || a.Park == b.e.Catalogue.Parks[park].Slug) {
			active = append(active, a)
		}
	}
	slices.SortStableFunc(active, func(x, y *alert.Alert) int {
		if px, py := x.PhaseAt(b.now), y.PhaseAt(b.now); px != py {
			return int(py) - int(px) // InForce after Scheduled in number
		}
		if x.Level != y.Level {
			return int(y.Level) - int(x.Level)
		}
		return x.Start.Compare(y.Start)
	})
	return active
}

// alertLists makes the lists of a park (-1: of all), without and by level.
func (b *build) alertLists(park int) *alertBodies {
	active := b.activeAlerts(park)
	if len(active) == 0 {
		return &noAlerts
	}
	var bodies alertBodies
	for level := range bodies {
		chosen := active
		if level != int(alert.NoLevel) {
			chosen = nil
			for _, a := range active {
				if a.Level == alert.Level(level) {
					chosen = append(chosen, a)
				}
			}
		}
		w := writer{}
		b.writeAlerts(&w, chosen)
		bodies[level] = prepared.JSON(w.b)
	}
	return &bodies
}

// noAlerts are the lists where no model sees a reason for an alert.
var noAlerts = func() (bodies alertBodies) {
	empty := prepared.JSON([]byte("[]"))
	for level := range bodies {
		bodies[level] = empty
	}
	return bodies
}()

func (b *build) writeAlerts(w *writer, alerts []*alert.Alert) {
	w.open('[')
	for _, a := range alerts {
		w.item()
		b.writeAlert(w, a)
	}
	w.close(']')
}

func (b *build) writeAlert(w *writer, a *alert.Alert) {
	park := b.parkOf(a)
	zone := zoneOf(park)
	w.open('{')
	w.textAt("id", a.ID)
	w.integerAt("version", a.Version)
	w.textAt("situacion", a.PhaseAt(b.now).String())
	w.textAt("nivel", a.Level.String())
	w.textAt("amenaza", a.Hazard.String())
	w.textAt("parque", a.Park)
	w.textAt("parque_nombre", park.Name)
	w.key("senderos")
	w.open('[')
	for _, slug := range a.Trails {
		w.item()
		w.text(slug)
	}
	w.close(']')
	w.textAt("titulo", wording.Spanish.AlertTitle(a, park.Name, b.now, zone))
	w.textAt("resumen", b.marked(wording.Spanish.AlertSummary(a, b.trailNames(a), b.now, zone)))
	w.textAt("recomendacion", wording.Spanish.AlertAdvice(a))
	w.key("causas")
	w.open('[')
	for i := range a.Causes {
		w.item()
		writeCause(w, &a.Causes[i].Cause, a.Causes[i].Place)
	}
	w.close(']')
	w.textOrNullAt("confianza", a.Confidence.String())
	w.instantAt("emitida_en", a.IssuedAt)
	w.instantAt("actualizada_en", a.UpdatedAt)
	w.instantAt("inicio", a.Start)
	w.instantAt("fin", a.End)
	w.instantAt("vigente_hasta", b.e.ValidUntil)
	w.textAt("zona_horaria", park.ZoneName)
	b.writeChanges(w, a, park)
	w.textAt("fuente", "modelo")
	w.booleanAt("oficial", false)
	w.key("enlaces")
	w.open('{')
	w.textAt("api", b.link("/api/v1/alertas?parque="+a.Park))
	w.textAt("web", b.link("/parques/"+a.Park))
	w.close('}')
	w.close('}')
}

func (b *build) writeChanges(w *writer, a *alert.Alert, park *catalogue.Park) {
	w.key("cambios")
	w.open('[')
	for i := range a.Changes {
		change := &a.Changes[i]
		w.item()
		w.open('{')
		w.integerAt("version", change.Version)
		w.instantAt("en", change.At)
		w.textAt("resumen", wording.Spanish.ChangeSummary(change, zoneOf(park)))
		w.close('}')
	}
	w.close(']')
}

// trailNames gives the names of an alert's trails, as people know them.
func (b *build) trailNames(a *alert.Alert) []string {
	var found []string
	for p := range b.e.Catalogue.Parks {
		if b.e.Catalogue.Parks[p].Slug != a.Park {
			continue
		}
		for t := range b.trailsOf(p) {
			if trail := &b.e.Catalogue.Trails[t]; slices.Contains(a.Trails, trail.Slug) {
				found = append(found, trail.Name)
			}
		}
	}
	return found
}

// parkOf finds an alert's park; one that left the catalogue is shown by what
// the alert itself has.
func (b *build) parkOf(a *alert.Alert) *catalogue.Park {
	for p := range b.e.Catalogue.Parks {
		if b.e.Catalogue.Parks[p].Slug == a.Park {
			return &b.e.Catalogue.Parks[p]
		}
	}
	return &catalogue.Park{Slug: a.Park, Name: a.Park, ZoneName: "UTC"}
}

// notice is the sentence that goes with every park.
func (b *build) notice() string { return b.marked(wording.Spanish.Disclaimer) }

// marked puts before a text that the weather is made up, when it is.
func (b *build) marked(text string) string {
	if b.e.Simulated {
		return wording.Spanish.Simulated + text
	}
	return text
}
