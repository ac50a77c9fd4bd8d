//go:build browser

package site_test

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

// obedience opens a page on a phone, unfolds it and wants it not to break its policy, not to complain on its console
// and not to ask for anything of another host.
func obedience(t *testing.T, tab context.Context, s *stop) (faults []string) {
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
		if strings.HasPrefix(complaint, "info: Autofocus processing was blocked") {
			continue // of two tabs, a person uses one alone
		}
		faults = append(faults, complaint)
	}
	return faults
}
