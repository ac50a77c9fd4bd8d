package systemd

import (
	"fmt"
	"strings"

	"vigia/forecast/hazard"
	"vigia/store"
)

// Publisher publishes snapshots.
type Publisher interface {
	Publish(*store.Snapshot)
}

// Reporting returns a publisher that publishes by p and reports what it published to the
// manager.
func (m *Manager) Reporting(p Publisher) Publisher { return reporting{m, p} }

type reporting struct {
	manager *Manager
	Publisher
}

// Publish publishes a snapshot.
func (r reporting) Publish(e *store.Snapshot) {
	r.Publisher.Publish(e)
	r.manager.Status(describe(e))
}

// describe returns one line for the operator on what was published and from what.
func describe(e *store.Snapshot) string {
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
