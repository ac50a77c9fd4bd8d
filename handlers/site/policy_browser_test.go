package site

import (
	"context"
	"strings"
	"testing"
)

// violations has a page tell on its console what its policy forbids. (The
// browser's own line of it is taken too; this one has the place.)
const violations = `document.addEventListener("securitypolicyviolation", e => {
	console.error("policy " + e.effectiveDirective + " forbids " + (e.blockedURI || "inline") + " at " + e.sourceFile + ":" + e.lineNumber);
})`

// testPolicy wants no page to break its policy, to complain on its console or to
// ask for anything of another host.
func testPolicy(t *testing.T, all *tabs, stops []*stop) {
	all.each(t, differing(stops), func(t *testing.T, tab context.Context, s *stop) {
		defer beforeEachPage(t, tab, violations)()
		var said complaints
		said.watch(t, tab, s.origin)
		s.visit(t, tab, 360, "light")
		evaluate[bool](t, tab, unfold)
		settle(t, tab)
		for _, complaint := range said.take() {
			if strings.HasSuffix(complaint, s.url()) && strings.Contains(complaint, "server responded with a status") && s.status >= 400 {
				continue // the browser tells of the page itself
			}
			t.Error(complaint)
		}
	})
}
