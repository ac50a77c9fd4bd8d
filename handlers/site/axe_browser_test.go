//go:build browser && trials

package site_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axeFile is fetched by npm, see web/tests.
const axeFile = "../../web/tests/node_modules/axe-core/axe.min.js"

// Where axe is at hand too, it looks at the pages that are open before their size
// changes.
func init() {
	openChecks = slices.Insert(openChecks, 1, check{"axe", differing, accessibility})
}

// axeExceptions are the rules that do not hold on some elements, and why. A
// finding is let pass when its rule and its element's selector are named here.
var axeExceptions = []struct{ rule, element, reason string }{
	{"target-size", ".leaflet-marker-icon", "parks that lie close together are close on the map; the list on the same page has each of them (WCAG 2.5.8, essential, equivalent)"},
}

// finding is an element that breaks a rule.
type finding struct{ Rule, Element, Why string }

// runAxe checks the page that is open. Colours alone need another look when only
// the colour scheme changed.
const runAxe = `(async () => {
	const colours = %t;
	const rules = {"target-size": {enabled: true}};
	const options = colours ? {runOnly: ["color-contrast", "link-in-text-block"]} : {rules};
	options.preload = false; // no rule that runs reads the style sheets
	const found = await axe.run(document, Object.assign({resultTypes: ["violations"]}, options));
	return found.violations.flatMap(v => v.nodes.map(n => ({
		Rule: v.id, Element: n.target.join(" "), Why: n.any.concat(n.all, n.none).map(c => c.message).join("; "),
	})));
})()`

// accessibility wants axe to find nothing on a page that is open, on a phone and on a screen, in light
// and in the dark.
func accessibility(t *testing.T, tab context.Context, s *stop) (faults []string) {
	evaluate[bool](t, tab, string(fromNPM(t, axeFile))+"; true")
	screens := []int64{360, 1280}
	if s.state != "normal" || s.made {
		screens = screens[:1] // what data change is the same on every screen, and forms are narrow
	}
	for _, width := range screens {
		for _, scheme := range []string{"light", "dark"} {
			if err := chromedp.Do(tab, look(width, scheme)); err != nil {
				t.Fatal(err)
			}
			for _, f := range evaluate[[]finding](t, tab, fmt.Sprintf(runAxe, scheme == "dark")) {
				if !excepted(f) {
					faults = append(faults, fmt.Sprintf("%d px, %s: %s: %s: %s", width, scheme, f.Rule, f.Element, f.Why))
				}
			}
		}
	}
	return faults
}

func excepted(f finding) bool {
	for _, e := range axeExceptions {
		if e.rule == f.Rule && strings.Contains(f.Element, e.element) {
			return true
		}
	}
	return false
}
