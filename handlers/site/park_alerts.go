package site

import "strings"

// parkAlerts are the active alerts of a park, on its page.
type parkAlerts struct {
	Known  bool // else the list is not the answer to "is there any?"
	Active []parkAlert
}

// parkAlert is an alert in few words.
type parkAlert struct {
	alertView
	Where string // its trails
	Folds bool   // its causes, or all alerts, are too many for the causes to stand open
}

// openAlerts is how many alerts may stand with an open cause.
const openAlerts = 3

// shownTrails is how many trails of an alert are named; of more, one less is, with
// how many others there are.
const shownTrails = 4

func (a almanac) parkAlerts(m moment, park int) parkAlerts {
	p := m.Catalogue.Parks[park]
	list := a.alerts(m, p.Slug)
	page := parkAlerts{Known: list.Known}
	for _, view := range list.Active {
		alert := parkAlert{
			alertView: view,
			Where:     a.texts.where(view.Trails, p.NumTrails), Folds: len(view.Causes) > 1 || len(list.Active) > openAlerts,
		}
		page.Active = append(page.Active, alert)
	}
	return page
}

// where names the trails of an alert, or says that they are all of the park's.
func (t texts) where(trails []string, all int) string {
	switch {
	case len(trails) == all && all > 1:
		return t.say("alerta.todos")
	case len(trails) > shownTrails:
		named := shownTrails - 1
		return t.say("alerta.varios", "senderos", strings.Join(trails[:named], "\u00a0· "), "n", len(trails)-named)
	}
	return strings.Join(trails, "\u00a0· ")
}
