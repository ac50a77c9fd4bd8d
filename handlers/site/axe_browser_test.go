package site

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axeFile is fetched by npm, see web/tests.
const axeFile = "../../web/tests/node_modules/axe-core/axe.min.js"

// fromNPM reads a file that npm fetches for the tests. Without it the test is
// skipped, except on CI.
func fromNPM(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if os.IsNotExist(err) && os.Getenv("CI") != "true" {
		t.Skipf("%s is missing: run npm ci in web/tests", file)
	}
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// axeExceptions are the rules that do not hold on some elements, and why. A
// finding is let pass when its rule and its element's selector are named here.
var axeExceptions = []struct{ rule, element, reason string }{}

// finding is an element that breaks a rule.
type finding struct{ Rule, Element, Why string }

// runAxe checks the page that is open. Colours alone need another look when only
// the colour scheme changed.
const runAxe = `(async () => {
	const colours = %t;
	const rules = {"target-size": {enabled: true}};
	const options = colours ? {runOnly: ["color-contrast", "link-in-text-block"]} : {rules};
	const found = await axe.run(document, Object.assign({resultTypes: ["violations"]}, options));
	return found.violations.flatMap(v => v.nodes.map(n => ({
		Rule: v.id, Element: n.target.join(" "), Why: n.any.concat(n.all, n.none).map(c => c.message).join("; "),
	})));
})()`

// unfold opens what is folded, so that it is looked at too.
const unfold = `document.querySelectorAll("details").forEach(d => { d.open = true; }); true`

func testAxe(t *testing.T, all *tabs, stops []*stop) {
	source := string(fromNPM(t, axeFile)) + "; true"
	all.each(t, differing(stops), func(t *testing.T, tab context.Context, s *stop) {
		s.visit(t, tab, 360, "light")
		evaluate[bool](t, tab, source)
		evaluate[bool](t, tab, unfold)
		for _, width := range []int64{360, 1280} {
			for _, scheme := range []string{"light", "dark"} {
				if err := chromedp.Do(tab, look(width, scheme)); err != nil {
					t.Fatal(err)
				}
				reportAxe(t, tab, fmt.Sprintf("%d px, %s", width, scheme), scheme == "dark")
			}
		}
	})
}

func reportAxe(t *testing.T, tab context.Context, where string, coloursOnly bool) {
	t.Helper()
	for _, f := range evaluate[[]finding](t, tab, fmt.Sprintf(runAxe, coloursOnly)) {
		if !excepted(f) {
			t.Errorf("%s: %s: %s: %s", where, f.Rule, f.Element, f.Why)
		}
	}
}

func excepted(f finding) bool {
	for _, e := range axeExceptions {
		if e.rule == f.Rule && strings.Contains(f.Element, e.element) {
			return true
		}
	}
	return false
}
