//go:build browser

package site_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// TestEveryPageInABrowser asks of every kind of page in every state what none may
// break.
func TestEveryPageInABrowser(t *testing.T) {
	ctx := browserFor(t, 14*time.Minute)
	worlds := openWorlds(t)
	stops := stopsOf(t, worlds)
	kinds := make(map[string]bool)
	for _, s := range stops {
		kinds[s.kind] = true
	}
	t.Logf("%d pages of %d kinds in %d states, %d of them of different markup", len(stops), len(kinds), len(worlds), len(differing(stops)))
	all := openTabs(t, ctx, worlds)
	var asked sync.WaitGroup // beside each other, for some wait where others compute
	for _, c := range append(checks, check{"as they open", inWords, opened(stops)}) {
		pages := c.of(stops)
		asked.Go(func() {
			t.Run(c.name, func(t *testing.T) { all.each(t, pages, c.look) })
		})
	}
	asked.Wait()
}

// check is something asked of pages.
type check struct {
	name string
	of   func(stops []*stop) []*stop // of which pages
	look func(t *testing.T, tab context.Context, s *stop) (faults []string)
}

// openChecks look one after the other at a page that the first of them opens and
// unfolds, so that each page is fetched once for all of them.
var openChecks = []check{
	{"policy", inWords, obedience},
	{"widths", inWords, widths},
	{"large text", differing, largeText},
	{"without script", differing, withoutScript}, // the last, for it opens the page anew
}

// checks open a page in their own way.
var checks = []check{
	{"keyboard", ofEachKind, (&keyboard{}).look},
	{"shifts", ofEachKind, shifts},
}

// opened looks at a page with those of openChecks that are for it.
func opened(stops []*stop) func(t *testing.T, tab context.Context, s *stop) []string {
	asked := make(map[string][]*stop)
	for _, c := range openChecks {
		asked[c.name] = c.of(stops)
	}
	return func(t *testing.T, tab context.Context, s *stop) (faults []string) {
		for _, c := range openChecks {
			if slices.Contains(asked[c.name], s) {
				for _, fault := range c.look(t, tab, s) {
					faults = append(faults, c.name+": "+fault)
				}
			}
		}
		return faults
	}
}

// unfold opens what is folded, so that it is looked at too.
const unfold = `document.querySelectorAll("details").forEach(d => { d.open = true; }); true`

// tabs are the browser's, each used by one test at a time.
type tabs struct {
	free chan context.Context
}

// besides is how many tabs are open at once.
const besides = 4

// pageTime is how long the tests of one page may take, on a machine with much else to do.
const pageTime = 3 * time.Minute

// openTabs opens the tabs, in which a page sees the time of its world, and every
// request goes to the server.
func openTabs(t *testing.T, ctx context.Context, worlds map[string]*world) *tabs {
	t.Helper()
	times := ""
	for _, w := range worlds {
		times += fmt.Sprintf("%q: %d,", w.origin, w.at.UnixMilli())
	}
	all := &tabs{free: make(chan context.Context, besides)}
	for range besides {
		tab, cancel := chromedp.NewContext(ctx)
		t.Cleanup(cancel)
		call(t, tab, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true})
		call(t, tab, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}) // of the tabs, the browser takes one alone to be used
		beforeEachPage(t, tab, fmt.Sprintf(turnClock, times))
		all.free <- tab
	}
	return all
}

// turnClock makes a page's clock go from the time of its world on.
const turnClock = `(() => {
	const at = {%s}[location.origin], Real = Date;
	if (!at) return;
	const shift = at - Real.now();
	window.Date = class extends Real {
		constructor(...parts) { parts.length ? super(...parts) : super(Real.now() + shift); }
		static now() { return Real.now() + shift; }
	};
})()`

// each looks at every page, in as many tabs at once as there are: they wait for
// the browser more than they compute, so that t.Parallel would let too few go.
func (all *tabs) each(t *testing.T, stops []*stop, look func(t *testing.T, tab context.Context, s *stop) []string) {
	next := make(chan *stop)
	var visitors sync.WaitGroup
	for range besides {
		visitors.Go(func() {
			for s := range next {
				t.Run(s.name(), func(t *testing.T) {
					for _, fault := range all.use(t, s, look) {
						t.Error(fault)
					}
				})
			}
		})
	}
	for _, s := range stops {
		next <- s
	}
	close(next)
	visitors.Wait()
}

// use looks at a page in the next tab that is free.
func (all *tabs) use(t *testing.T, s *stop, look func(t *testing.T, tab context.Context, s *stop) []string) []string {
	tab := <-all.free
	defer func() {
		setScripts(t, tab, true) // whatever a check left, and when its time was over too
		all.free <- tab
	}()
	limited, cancel := context.WithTimeout(tab, pageTime)
	defer cancel()
	return look(t, limited, s)
}

// visit opens a page on a screen of some width.
func (s *stop) visit(t *testing.T, tab context.Context, width int64, scheme string) {
	t.Helper()
	if err := chromedp.Do(tab, look(width, scheme), chromedp.Navigate(s.url())); err != nil {
		t.Fatalf("opening it: %v", err)
	}
	settle(t, tab)
}

// settle waits until the page's scripts have done what they do at the start: two
// frames are drawn and nothing is being fetched any more.
func settle(t *testing.T, tab context.Context) {
	t.Helper()
	evaluate[bool](t, tab, `new Promise(done => {
		let calm = 0, known = -1;
		const look = () => {
			const fetched = performance.getEntriesByType("resource").length;
			calm = fetched === known ? calm + 1 : 0;
			known = fetched;
			calm > 3 ? done(true) : setTimeout(look, 40);
		};
		requestAnimationFrame(() => requestAnimationFrame(look));
	})`)
}
