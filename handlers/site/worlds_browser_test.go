//go:build browser || trials

package site_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
)

// worldStates are the states that the site is looked at in, with the time in
// each of them.
func worldStates(t testing.TB) map[string]world {
	states := make(map[string]world)
	for state, e := range allStates(t) {
		if e.Reason == hazard.NoReason && !e.IssuedAt.IsZero() {
			e.ValidUntil = noonHour.Add(80 * time.Minute)
		}
		states[state] = world{at: now, snap: e}
	}
	old := states["pasada"] // made while it held, looked at afterwards
	old.at = old.snap.ValidUntil.Add(time.Hour)
	states["pasada"] = old
	states["antigua"] = world{at: now, snap: tooOld(newSnapshot(t))}
	states["doce"] = world{at: now, snap: twelveAlerts(newSnapshot(t))}
	return states
}

// twelveAlerts is a snapshot with a park that has everything to say: twelve
// alerts, and each of its hours another state than the one before.
func twelveAlerts(e *store.Snapshot) *store.Snapshot {
	park := e.Catalogue.Parks[e.Catalogue.Trails[3].Park]
	e.Alerts = nil
	for i := range 12 {
		level := alert.Caution
		if i%2 == 0 {
			level = alert.Danger
		}
		trail := e.Catalogue.Trails[park.FirstTrail+i%park.NumTrails]
		e.Alerts = append(e.Alerts, madeAlert(fmt.Sprintf("a-%02d", i), park, trail.Slug, hazard.Hazard(i%int(hazard.NumHazards)), level, i-6, i+3))
	}
	for trail := park.FirstTrail; trail < park.FirstTrail+park.NumTrails; trail++ {
		for i := range e.Trails[trail].Hours {
			e.Trails[trail].Hours[i] = anyState(noonHour.Add(time.Duration(i)*time.Hour), i+trail)
		}
	}
	return e
}

// anyState returns an estimate of one state or another, for one hazard or another.
func anyState(hour time.Time, n int) hazard.Estimate {
	h := hazard.Hazard(n % int(hazard.NumHazards))
	switch n % 4 {
	case 0:
		return signalled(hour, h, hazard.Red, gust)
	case 1:
		return green(hour)
	case 2:
		return signalled(hour, h, hazard.Amber, chill)
	default:
		return unknown(hour, hazard.PartialData)
	}
}

// outcomes are answers to what is sent by a form, by the path under which the
// walk finds them.
var outcomes = map[string]struct {
	path   string
	fields url.Values
}{
	"/-/suscribirse/faltas": {"/suscribirse", url.Values{"email": {"nadie"}, "viaje_desde": {"2026-12-01"}}},
	"/-/suscribirse":        {"/suscribirse", url.Values{"parques": {"torres-del-paine"}, "email": {"ana@correo.cl"}, "nivel_minimo": {"precaucion"}, "idioma": {"es"}, "consentimiento": {"si"}}},
	"/-/confirmar":          {"/confirmar/" + pendingToken, url.Values{}},
	"/-/baja":               {"/baja/" + activeToken, url.Values{}},
	"/-/baja/desconocida":   {"/baja/" + unknownToken, url.Values{}},
}

// requested are the pages that are made for one request.
var requested = []string{
	"/?dia=2026-11-22", "/?dia=2020-01-01", "/buscar?q=torres+del+pain", "/buscar?q=qwxz",
	"/suscribirse", "/suscribirse?parque=torres-del-paine", "/suscribirse?sendero=torres-del-paine/base-torres", "/confirmar/" + pendingToken, "/confirmar/" + usedToken,
	"/confirmar/" + unknownToken, "/baja/" + activeToken, "/baja/" + unknownToken,
	"/comparar?sendero=dos-lagunas/mirador-laguna-el-toro&sendero=cueva-del-milodon/cueva-del-milodon&sendero=el-morado/x&sendero=cerro-nielol/los-copihues",
	"/comparar?sendero=a&sendero=b&sendero=c&sendero=d&sendero=dos-lagunas/mirador-laguna-el-toro",
	"/gestionar/" + managedToken, "/gestionar/" + unknownToken, "/demo/correo", "/demo/push", "/nada-de-esto",
}
