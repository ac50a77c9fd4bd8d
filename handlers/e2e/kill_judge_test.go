//go:build trials

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	// underWay is how many messages may be between being sent and being recorded when
	// the program is killed. A channel takes more from the outbox while it holds less
	// than twice its workers (8 for mail, 32 for push) and two commits of 64, and then
	// twice its workers at the most.
	underWay = 4*(8+32) + 2*2*64
	// unrecorded is how long before a kill a message may have gone out that is sent
	// once more after it: the time to gather outcomes and to commit them, on a machine
	// that has other things to do.
	unrecorded = 3 * time.Second
	// warned is how long before its start a storm that people must be told of can be
	// seen at the latest.
	warned = 24 * time.Hour
)

// lifeAt gives the number of the life in which an instant is.
func (n *notes) lifeAt(at time.Time) int {
	i, _ := slices.BinarySearchFunc(n.kills, at, func(k killed, at time.Time) int { return k.ended.Compare(at) })
	return i
}

// judge finds what the promises rule out.
func (n *notes) judge() (findings []string) {
	told := map[string][]parcel{}
	n.mu.Lock()
	defer n.mu.Unlock()
	slices.SortFunc(n.parcels, func(a, b parcel) int { return a.at.Compare(b.at) })
	for _, p := range n.parcels {
		told[p.who] = append(told[p.who], p)
	}
	known := map[string]bool{}
	for _, crowd := range n.people {
		for _, w := range crowd {
			known[w.who()] = true
			mine := told[w.who()]
			for _, f := range slices.Concat(n.lost(w), n.toldAfter(w, mine), n.decidedTwice(w, mine), n.inTheDark(w, mine)) {
				findings = append(findings, fmt.Sprintf("%s: %s", w.who(), f))
			}
		}
	}
	for who := range told {
		if !known[who] {
			findings = append(findings, who+": nobody's address was told something")
		}
	}
	_, _, wrong := n.repeats()
	return append(findings, wrong...)
}

// lost finds what was acknowledged to somebody and is not so.
func (n *notes) lost(w *person) (findings []string) {
	switch {
	case w.mail != "" && !w.asked.known.IsZero() && n.links[w.mail] == "":
		findings = append(findings, fmt.Sprintf("asked at %v, which was acknowledged, and was never written to", w.asked.known))
	case !w.left.known.IsZero() && w.seen != "":
		findings = append(findings, fmt.Sprintf("left at %v, which was acknowledged, and is still there", w.left.known))
	case !w.active.known.IsZero() && w.left.tried.IsZero() && w.seen == "":
		findings = append(findings, fmt.Sprintf("subscribed at %v, which was acknowledged, and is lost", w.active.known))
	case w.seen != "" && !slices.Contains(w.wishes, w.seen):
		findings = append(findings, fmt.Sprintf("wishes %v, and %s is kept", w.wishes, w.seen))
	}
	return findings
}

// toldAfter finds what was told to somebody who had left. What was under way just then
// may still arrive.
func (n *notes) toldAfter(w *person, mine []parcel) (findings []string) {
	for _, p := range mine {
		if !w.left.known.IsZero() && (p.at.After(w.left.known.Add(10*time.Second)) || n.lifeAt(p.at) > n.lifeAt(w.left.known)) {
			findings = append(findings, fmt.Sprintf("left at %v, and is told %s at %v", w.left.known, p.name, p.at))
		}
	}
	return findings
}

// decidedTwice finds messages of the same that have different names. Of whom a kill left
// unknown that the first was delivered, and who then changed his wishes so that it was
// dropped, may be told again after another change.
func (n *notes) decidedTwice(w *person, mine []parcel) (findings []string) {
	type matter struct{ thread, what string }
	told := map[matter]parcel{}
	for _, p := range mine {
		m := matter{p.thread, p.what}
		switch p.what {
		case "other", "welcome", "proof":
			continue
		case "confirmation": // another request after a day has another one
			m.thread = fmt.Sprint(int(p.at.Sub(w.asked.tried) / (24 * time.Hour)))
		}
		unknown := func(changed time.Time) bool {
			return changed.Before(p.at) && n.lifeAt(changed) > n.lifeAt(told[m].at)
		}
		if before, known := told[m]; known && before.name != p.name && !slices.ContainsFunc(w.changed, unknown) {
			findings = append(findings, fmt.Sprintf("told of %s of %s at %v as %s, and at %v as %s", p.what, m.thread, before.at, before.name, p.at, p.name))
		}
		told[m] = p
	}
	return findings
}

// inTheDark finds storms that somebody was never told of though he should have been.
func (n *notes) inTheDark(w *person, mine []parcel) (findings []string) {
	for _, s := range n.owed(w) {
		if !slices.ContainsFunc(mine, func(p parcel) bool { return tells(p, s) }) {
			findings = append(findings, fmt.Sprintf("subscribed at %v, is never told of the storm %v of %v", w.active.known, s, s.start()))
		}
	}
	return findings
}

func tells(p parcel, s stormOf) bool {
	return (p.what == "caution" || p.what == "danger" || p.what == "welcome") && p.park == s.park && nearest(p.park, p.at) == s
}

// owed lists the storms that somebody must be told of: he was there a day before they
// began, until they were over, and meanwhile there was a life in which a cycle was
// carried to its end and everybody told.
func (n *notes) owed(w *person) (list []stormOf) {
	if w.active.known.IsZero() || len(n.kills) == 0 {
		return nil
	}
	until := n.kills[len(n.kills)-1].at
	if !w.left.tried.IsZero() {
		until = w.left.tried
	}
	for s := nearest(w.park, w.active.known); s.end().Before(until); s.n++ {
		settled := slices.ContainsFunc(n.kills, func(k killed) bool {
			return k.settled && k.at.After(s.start().Add(-warned)) && k.at.Before(s.end().Add(-time.Hour))
		})
		if !w.active.known.After(s.start().Add(-warned)) && (!w.picky || s.n%2 == 0) && settled {
			list = append(list, s)
		}
	}
	return list
}

// repeats counts copies of the same message, those that a kill must answer for and the
// most of one kill. What no kill explains is a finding.
func (n *notes) repeats() (all, worst int, findings []string) {
	last := map[string]time.Time{}
	byKill := map[int]int{}
	for _, p := range n.parcels {
		key := p.who + "\n" + p.name + "\n" + p.what
		before, known := last[key]
		last[key] = p.at
		if !known {
			continue
		}
		life := n.lifeAt(before)
		all++
		byKill[life]++
		worst = max(worst, byKill[life])
		switch {
		case p.what == "welcome", p.what == "proof": // a browser that asks twice, for want of an answer, gets both twice
		case life >= len(n.kills) || life == n.lifeAt(p.at):
			findings = append(findings, fmt.Sprintf("%s: %s at %v and, without a kill between them, at %v", p.who, p.name, before, p.at))
		case n.kills[life].at.Sub(before) > unrecorded:
			findings = append(findings, fmt.Sprintf("%s: %s at %v, %v before the next kill, and again at %v", p.who, p.name, before, n.kills[life].at.Sub(before), p.at))
		}
	}
	if worst > underWay {
		findings = append(findings, fmt.Sprintf("%d messages were repeated for one kill, and at most %d can be under way", worst, underWay))
	}
	return all, worst, findings
}

// summary tells how much was tried.
func (n *notes) summary() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var people, asked, active, left, lapsed, owed int
	for _, crowd := range n.people {
		for _, w := range crowd {
			people++
			asked += one(!w.asked.known.IsZero())
			active += one(!w.active.known.IsZero())
			left += one(!w.left.known.IsZero())
			lapsed += one(w.lapsed)
			owed += len(n.owed(w))
		}
	}
	var cycle, subscription, sending, none int
	for _, k := range n.kills {
		cycle, subscription, sending = cycle+one(k.cycle), subscription+one(k.subscription), sending+one(k.sending)
		none += one(!k.cycle && !k.subscription && !k.sending)
	}
	repeats, worst, _ := n.repeats()
	return fmt.Sprintf("%d kills, %d during a cycle, %d during a request, %d while sending, %d during none of them (several may hold); "+
		"%d people, %d acknowledged, %d active, %d left, %d confirmed too late, %d requests refused; %d messages owed; "+
		"%d messages came, %d of them repeats, at most %d for one kill; the parks were read %d times, %d estimates were missing",
		len(n.kills), cycle, subscription, sending, none, people, asked, active, left, lapsed, n.refused.Load(), owed,
		len(n.parcels), repeats, worst, n.looked.Load(), n.unknown.Load())
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// expectFoundWhenDoctored is the control of the judge: notes that somebody changed must
// be found out.
func (n *notes) expectFoundWhenDoctored(t *testing.T) {
	t.Helper()
	var told parcel // of a storm, to somebody who stays
	var owing, staying, gone *person
	var owedStorm stormOf
	for _, crowd := range n.people {
		for _, w := range crowd {
			if storms := n.owed(w); len(storms) > 0 {
				owing, owedStorm = w, storms[0]
			}
			if w.seen != "" {
				staying = w
			}
			if !w.left.known.IsZero() {
				gone = w
			}
		}
	}
	for _, p := range n.parcels {
		if (p.what == "caution" || p.what == "danger") && n.lifeAt(p.at) < len(n.kills) {
			told = p
		}
	}
	if owing == nil || staying == nil || gone == nil || told.who == "" {
		t.Fatalf("too little happened to show anything: %s", n.summary())
	}
	find := func(what, words string, doctor, undo func()) {
		t.Helper()
		doctor()
		if !strings.Contains(strings.Join(n.judge(), "\n"), words) {
			t.Errorf("control: %s is not found", what)
		}
		undo()
	}
	parcels, seen := slices.Clone(n.parcels), staying.seen
	restore := func() { n.parcels = slices.Clone(parcels) }
	find("a subscription that is lost", "and is lost", func() { staying.seen = "" }, func() { staying.seen = seen })
	find("somebody who is still there", "still there", func() { gone.seen = "precaucion" }, func() { gone.seen = "" })
	find("what is told to somebody who left", "and is told", func() {
		n.parcels = append(n.parcels, parcel{at: gone.left.known.Add(time.Minute), who: gone.who(), name: "x", what: "other"})
	}, restore)
	find("a message that never came", "is never told", func() {
		n.parcels = slices.DeleteFunc(n.parcels, func(p parcel) bool { return p.who == owing.who() && tells(p, owedStorm) })
	}, restore)
	find("a second decision", "told of", func() {
		again := told
		again.name += "x"
		n.parcels = append(n.parcels, again)
	}, restore)
	find("a message that is sent again without a kill", "again at", func() {
		again := told
		again.at = n.kills[len(n.kills)-1].ended.Add(time.Hour)
		n.parcels = append(n.parcels, again)
		for i := range n.parcels { // the first one long before the kill that follows
			if n.parcels[i] == told {
				n.parcels[i].at = n.kills[n.lifeAt(told.at)].at.Add(-time.Minute)
			}
		}
	}, restore)
	find("a message to nobody", "nobody's address", func() {
		n.parcels = append(n.parcels, parcel{who: "eve@x.cl"})
	}, restore)
}
