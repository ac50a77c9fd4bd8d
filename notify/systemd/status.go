package systemd

import (
	"fmt"
	"strings"

	"vigia/forecast/hazard"
	"vigia/store"
)

// Publisher shows an edition to the public.
type Publisher interface {
	Publish(*store.Edition)
}

// Announcing gives a publisher that does as p, and tells the manager what it shows.
func (m *Manager) Announcing(p Publisher) Publisher { return announcing{m, p} }

type announcing struct {
	manager *Manager
	Publisher
}

// Publish shows an edition.
func (a announcing) Publish(e *store.Edition) {
	a.Publisher.Publish(e)
	a.manager.Status(describe(e))
}

// describe says in one line what was published last and from what, for who looks
// after the service.
func describe(e *store.Edition) string {
	var b strings.Builder
	known := 0
	for i := range e.Trails {
		if hours := e.Trails[i].Hours; len(hours) > 0 && hours[0].State != hazard.Unknown {
			known++
		}
	}
	if e.IssuedAt.IsZero() {
		fmt.Fprintf(&b, "no estimates (%s)", e.Reason)
	} else {
		fmt.Fprintf(&b, "%s UTC: estimates for %d of %d trails, valid until %s", e.IssuedAt.UTC().Format("15:04"),
			known, len(e.Catalogue.Trails), e.ValidUntil.UTC().Format("15:04"))
	}
	var away []string
	for _, m := range e.Models {
		if m.State != "ok" {
			away = append(away, m.Model)
		}
	}
	fmt.Fprintf(&b, "; %d of %d models", len(e.Models)-len(away), len(e.Models))
	if len(away) > 0 {
		fmt.Fprintf(&b, ", not %s", strings.Join(away, ", "))
	}
	alerts := 0
	for i := range e.Alerts {
		if a := &e.Alerts[i]; !a.Cancelled && a.End.After(e.IssuedAt) {
			alerts++
		}
	}
	fmt.Fprintf(&b, "; %d alerts", alerts)
	if e.StoreError != "" {
		b.WriteString("; THE FILE CANNOT BE READ OR WRITTEN, see the log")
	}
	return b.String()
}
