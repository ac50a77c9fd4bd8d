//go:build browser

package site_test

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/network"
)

// watchShifts notes from the start on what moves without a person's doing.
const watchShifts = `window.shifts = [];
new PerformanceObserver(list => list.getEntries().forEach(e => {
	if (!e.hadRecentInput && e.value >= 0.0001) shifts.push(e.value.toFixed(4) + " " + e.sources.map(s => s.node && (s.node.tagName + "." + (s.node.getAttribute && s.node.getAttribute("class")) + " from " + [s.previousRect.y, s.previousRect.height] + " to " + [s.currentRect.y, s.currentRect.height])).join(", "));
})).observe({type: "layout-shift", buffered: true});`

// slow is a bad connection: two tenths of a second there and back, 50 kB a second.
var slow = []*network.Conditions{{Latency: 200, DownloadThroughput: 50_000, UploadThroughput: 20_000}}

// shifts wants nothing to move while a page arrives over a slow connection.
func shifts(t *testing.T, tab context.Context, s *stop) (faults []string) {
	defer beforeEachPage(t, tab, watchShifts)()
	setNetwork(t, tab, slow, true)
	defer setNetwork(t, tab, []*network.Conditions{}, false)
	for _, width := range []int64{360, 1280} {
		s.visit(t, tab, width, "light")
		faults = append(faults, at(width, evaluate[[]string](t, tab, `shifts.map(s => "moves by " + s)`))...)
	}
	return faults
}

// setNetwork makes the connection slow or fast; fresh says that nothing comes
// from the browser's cache.
func setNetwork(t *testing.T, tab context.Context, conditions []*network.Conditions, fresh bool) {
	t.Helper()
	call(t, tab, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: conditions})
	call(t, tab, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: fresh})
}
