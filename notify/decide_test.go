package notify

import (
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

// expectAfter drives one follower by push through changes of alerts and compares what he
// is told after each.
func (w *world) expectAfter(after time.Duration, want ...string) {
	w.Helper()
	w.pass(after)
	w.cycle()
	w.pass(time.Second)
	w.expect(w.push, want...)
}

func (w *world) follower(name string, change func(p *subscription.Preferences)) (token string) {
	w.Helper()
	token = w.browser(name, preferences(change))
	if w.stop == nil {
		w.start()
	}
	w.pass(time.Second)
	w.push.new() // the welcome
	return token
}

func TestWhoIsToldOfAnAlert(t *testing.T) {
	day := func(after int) subscription.Date {
		return subscription.DateOf(noon.AddDate(0, 0, after), time.UTC)
	}
	for name, c := range map[string]struct {
		preferences func(p *subscription.Preferences)
		alert       func(a *issued)
		delivered   bool
	}{
		"the park":           {nil, nil, true},
		"another park":       {func(p *subscription.Preferences) { p.Parks = []string{"alerce-andino"} }, nil, false},
		"the trail":          {func(p *subscription.Preferences) { p.Parks, p.Trails = nil, []string{paine + "/" + torres} }, nil, true},
		"another trail":      {func(p *subscription.Preferences) { p.Parks, p.Trails = nil, []string{paine + "/mirador-cuernos"} }, nil, false},
		"danger only":        {func(p *subscription.Preferences) { p.MinLevel = alert.Danger }, nil, false},
		"danger only, of it": {func(p *subscription.Preferences) { p.MinLevel = alert.Danger }, raised, true},
		"the hazard":         {func(p *subscription.Preferences) { p.Hazards = p.Hazards.With(hazard.Wind) }, nil, true},
		"another hazard":     {func(p *subscription.Preferences) { p.Hazards = p.Hazards.With(hazard.Rain) }, nil, false},
		"a trip then":        {func(p *subscription.Preferences) { p.Trip = &subscription.Trip{From: day(0), To: day(3)} }, nil, true},
		"a trip after it":    {func(p *subscription.Preferences) { p.Trip = &subscription.Trip{From: day(2), To: day(3)} }, nil, false},
		"a trip before it": {func(p *subscription.Preferences) { p.Trip = &subscription.Trip{From: day(0), To: day(0)} },
			func(a *issued) { a.Start, a.End = noon.AddDate(0, 0, 1), noon.AddDate(0, 0, 2) }, false},
		"a trip that begins within": {func(p *subscription.Preferences) { p.Trip = &subscription.Trip{From: day(1), To: day(1)} },
			func(a *issued) { a.End = noon.Add(12*time.Hour + time.Minute) }, true}, // 0:01 there
		"a trip that begins with the end": {func(p *subscription.Preferences) { p.Trip = &subscription.Trip{From: day(1), To: day(1)} },
			func(a *issued) { a.End = noon.Add(12 * time.Hour) }, false},
		"a place that left the catalogue": {nil, func(a *issued) { a.Park, a.Trails = "no-such", nil }, false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.follower("luz", c.preferences)
				w.issue("viento", c.alert, alert.Opened)
				if c.delivered {
					w.expectAfter(0, "luz: news opened viento")
				} else {
					w.expectAfter(0)
				}
			})
		})
	}
}

func TestOneMessageHoweverManyAlerts(t *testing.T) {
	inWorld(t, func(w *world) {
		w.follower("luz", func(p *subscription.Preferences) { p.Trails = []string{paine + "/" + torres} })
		w.issue("frio", func(a *issued) { a.Hazard, a.Start = hazard.Cold, a.Start.Add(-time.Hour) }, alert.Opened)
		w.issue("viento", func(a *issued) { a.Start, a.End = noon.Add(40*time.Hour), noon.Add(50*time.Hour) }, alert.Opened)
		w.issue("nieve", func(a *issued) { a.Hazard, a.Level = hazard.Snow, alert.Danger }, alert.Opened)
		w.expectAfter(0, "luz: news opened nieve opened frio opened viento")
		w.issue("viento", dropped, alert.Withdrawn)
		w.expectAfter(0)
		w.pass(6*time.Hour - time.Minute)
		w.issue("frio", raised, alert.Raised)
		w.expectAfter(0, "luz: news raised frio") // the other one has not settled yet
		w.expectAfter(time.Minute, "luz: news withdrawn viento")
		w.expectAfter(time.Hour)
	})
}

func TestWhatIsNewsToOneIsNotToAnother(t *testing.T) {
	inWorld(t, func(w *world) {
		w.follower("park", nil)
		w.follower("trail", func(p *subscription.Preferences) { p.Parks, p.Trails = nil, []string{paine + "/otro"} })
		w.follower("danger", func(p *subscription.Preferences) { p.MinLevel = alert.Danger })
		w.follower("trip", func(p *subscription.Preferences) {
			p.Trip = &subscription.Trip{From: subscription.DateOf(noon.AddDate(0, 0, 2), time.UTC), To: subscription.DateOf(noon.AddDate(0, 0, 5), time.UTC)}
		})
		w.issue("viento", nil, alert.Opened)
		w.expectAfter(0, "park: news opened viento")
		w.issue("viento", func(a *issued) { a.Trails = append(a.Trails, "otro") })
		w.expectAfter(time.Hour, "trail: news opened viento") // his trail joined
		w.issue("viento", func(a *issued) { a.End = noon.AddDate(0, 0, 2) })
		w.expectAfter(time.Hour, "trip: news opened viento") // it lasts into his trip
		w.issue("viento", raised, alert.Raised)
		w.expectAfter(time.Hour, "danger: news opened viento", "park: news raised viento", "trail: news raised viento", "trip: news raised viento")
		w.issue("viento", func(a *issued) { a.Level = alert.Caution })
		w.expectAfter(time.Hour)
		w.issue("viento", raised) // as they were told
		w.expectAfter(time.Hour)
		w.issue("viento", dropped, alert.Withdrawn)
		w.expectAfter(time.Hour)
		w.expectAfter(5*time.Hour, "danger: news withdrawn viento", "park: news withdrawn viento", "trail: news withdrawn viento", "trip: news withdrawn viento")
	})
}

// That it begins earlier is told once in two days.
func TestAnEarlierBeginning(t *testing.T) {
	inWorld(t, func(w *world) {
		w.follower("trail", func(p *subscription.Preferences) { p.Parks, p.Trails = nil, []string{paine + "/" + torres} })
		w.follower("park", nil)
		at := func(hours int) func(a *issued) {
			return func(a *issued) { a.Start, a.End = noon.Add(time.Duration(hours)*time.Hour), noon.AddDate(0, 0, 5) }
		}
		w.issue("otro", func(a *issued) { a.Trails = []string{"otro"} }, alert.Opened)
		w.issue("aqui", at(40))
		w.expectAfter(0, "park: news opened otro opened aqui", "trail: news opened aqui")
		w.issue("aqui", at(38))
		w.expectAfter(time.Hour)
		w.issue("aqui", at(37))
		w.expectAfter(time.Hour, "park: news moved aqui", "trail: news moved aqui")
		w.issue("aqui", at(33)) // a third message within two days would be noise
		w.expectAfter(time.Hour)
		w.issue("aqui", func(a *issued) { raised(a); at(20)(a) })
		w.expectAfter(time.Hour, "park: news raised aqui", "trail: news raised aqui")
	})
}

// Who follows one trail is told of danger there, and who follows the park knows of danger.
func TestDangerOnOnesOwnTrailIsNotHeldBack(t *testing.T) {
	inWorld(t, func(w *world) {
		w.follower("trail", func(p *subscription.Preferences) { p.Parks, p.Trails = nil, []string{paine + "/" + torres} })
		w.follower("park", nil)
		w.issue("aqui", func(a *issued) { a.Others = []alert.Track{track("otro", hazard.Snow, alert.Danger, a.Start, a.End)} }, alert.Opened)
		w.expectAfter(0, "park: news opened aqui", "trail: news opened aqui")
		w.issue("aqui", raised)
		w.expectAfter(time.Hour, "trail: news raised aqui")
	})
}

func TestAStartThatComesNearer(t *testing.T) {
	inWorld(t, func(w *world) {
		w.follower("luz", nil)
		earlier := func(h int) func(a *issued) {
			return func(a *issued) { a.Start = a.Start.Add(time.Duration(-h) * time.Hour) }
		}
		w.issue("viento", func(a *issued) { a.Start, a.End = a.Start.Add(24*time.Hour), a.End.Add(24*time.Hour) }, alert.Opened)
		w.expectAfter(0, "luz: news opened viento")
		w.issue("viento", earlier(2))
		w.expectAfter(time.Hour)
		w.issue("viento", earlier(1), alert.Moved)
		w.expectAfter(time.Hour, "luz: news moved viento")
		w.follower("sol", nil)
		w.push.new()
		w.issue("viento", earlier(2), alert.Moved) // to whom it is three hours, and nobody is
		w.expectAfter(time.Hour)
	})
}

func TestTheEndIsToldToThoseWhoHeard(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.reader("ana@x.cl", preferences(nil))
		w.reader("eva@x.cl", preferences(nil))
		w.mail.script(func(s *sending) message.Result {
			if s.to == "eva@x.cl" {
				return message.Result{Verdict: message.Retry}
			}
			return message.Result{}
		})
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		w.pass(time.Hour)
		w.expect(w.mail, "ana@x.cl: news opened viento")
		w.issue("viento", dropped, alert.Withdrawn)
		w.cycle()
		w.mail.script(nil)
		w.pass(12 * time.Hour)
		w.expect(w.mail, "ana@x.cl: news withdrawn viento")
		if got := w.outcomes(); got[store.DeliveredOutcome] != 2 || got[store.ObsoleteOutcome] != 2 {
			w.Error(got)
		}
	})
}

func TestAnEndThatIsNoneAnyMore(t *testing.T) {
	inWorld(t, func(w *world) {
		w.follower("luz", nil)
		w.issue("uno", nil, alert.Opened)
		w.expectAfter(0, "luz: news opened uno")
		w.push.script(always(message.Retry))
		w.issue("uno", dropped, alert.Withdrawn)
		w.expectAfter(time.Hour)
		w.push.script(nil)
		w.issue("dos", func(a *issued) { a.Start = w.alerts["uno"].Start })
		w.expectAfter(0) // no notice, and the end is not told: the wind is back as he knows it
		w.pass(6 * time.Hour)
		w.expect(w.push)
		w.issue("dos", dropped, alert.Withdrawn)
		w.expectAfter(5 * time.Hour)
		w.pass(time.Hour)
		w.expect(w.push, "luz: news withdrawn uno") // as it was told
	})
}

// Who was told nothing in his quiet hours is told what holds when they are over,
// whatever others were told.
func TestNothingToldIsNothingKnown(t *testing.T) {
	inWorld(t, func(w *world) {
		w.follower("luz", func(p *subscription.Preferences) { p.Quiet = &subscription.Quiet{From: 11 * 60, To: 14 * 60} }) // it is 12
		w.issue("uno", nil, alert.Opened)
		w.expectAfter(0)
		w.issue("uno", dropped, alert.Withdrawn)
		w.expectAfter(time.Hour)
		w.pass(90 * time.Minute)
		w.expect(w.push)
		w.issue("dos", nil) // the park has had its messages
		w.expectAfter(0, "luz: news opened dos")
	})
}

func TestQuietHoursHoldAllButDanger(t *testing.T) {
	inWorld(t, func(w *world) {
		quiet := func(p *subscription.Preferences) { p.Quiet = &subscription.Quiet{From: 11 * 60, To: 14 * 60} } // it is 12
		w.follower("luz", quiet)
		w.issue("viento", nil, alert.Opened)
		w.expectAfter(0)
		w.pass(118 * time.Minute)
		w.expect(w.push)
		w.pass(2 * time.Minute)
		w.expect(w.push, "luz: news opened viento")

		w.pass(22 * time.Hour) // noon again
		w.issue("nieve", func(a *issued) { a.Hazard = hazard.Snow }, alert.Opened)
		w.expectAfter(0)
		w.issue("nieve", raised, alert.Raised)
		w.expectAfter(time.Minute, "luz: news opened nieve ended viento") // the danger goes at once, with all that was held
		w.pass(20 * time.Hour)
		w.issue("nieve", func(a *issued) { a.End = a.End.Add(20 * time.Hour) })
		w.expectAfter(0)
		w.issue("nieve", dropped, alert.Withdrawn)
		w.expectAfter(time.Minute)
		w.pass(5*time.Hour + 50*time.Minute) // at noon again
		w.expect(w.push)
		w.pass(15 * time.Minute)
		w.expect(w.push, "luz: news withdrawn nieve") // its end waits
		if left := w.store.Queued(subscription.WebPush); left != 0 {
			w.Errorf("%d are left", left)
		}
	})
}

func TestHeldNewsIsToldAsItIsThen(t *testing.T) {
	inWorld(t, func(w *world) {
		token := w.follower("luz", func(p *subscription.Preferences) { p.Quiet = &subscription.Quiet{From: 11 * 60, To: 14 * 60} })
		w.issue("viento", nil, alert.Opened)
		w.issue("nieve", func(a *issued) { a.Hazard = hazard.Snow }, alert.Opened)
		w.expectAfter(0)
		w.issue("nieve", dropped)
		w.issue("viento", func(a *issued) { a.End = a.End.Add(time.Hour) })
		w.expectAfter(time.Hour)
		w.pass(time.Hour)
		w.expect(w.push, "luz: news opened viento")
		if got := w.push.sent[len(w.push.sent)-1].Entries[0].Alert; !got.End.Equal(w.alerts["viento"].End) {
			w.Errorf("told until %v", got.End)
		}
		// Nothing left: he no longer follows the park when his quiet hours end.
		w.pass(22 * time.Hour)
		w.issue("lluvia", func(a *issued) { a.Hazard = hazard.Rain }, alert.Opened)
		w.expectAfter(0)
		w.browser("luz", subscription.Preferences{Parks: []string{"alerce-andino"}, Conditions: subscription.Conditions{MinLevel: alert.Caution}})
		w.pass(3 * time.Hour)
		w.expect(w.push, "luz: news ended viento", "luz: welcome")
		if err := w.n.Cancel(token); err != nil {
			w.Error(err)
		}
	})
}

func TestALongAlertIsToldOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	inWorld(t, func(w *world) {
		w.follower("luz", nil)
		w.issue("calor", func(a *issued) { a.Hazard = hazard.Heat }, alert.Opened)
		w.expectAfter(0, "luz: news opened calor")
		for range 200 {
			w.issue("calor", func(a *issued) { a.End = a.End.Add(time.Hour) })
			w.expectAfter(time.Hour)
		}
		w.issue("calor", dropped, alert.Withdrawn)
		w.expectAfter(time.Hour)
		w.expectAfter(5*time.Hour, "luz: news withdrawn calor")
	})
}

func TestOutage(t *testing.T) {
	inWorld(t, func(w *world) {
		on := func(from, to int) func(p *subscription.Preferences) {
			date := func(days int) subscription.Date {
				return subscription.DateOf(noon.AddDate(0, 0, days), time.UTC)
			}
			return func(p *subscription.Preferences) {
				p.Trip = &subscription.Trip{From: date(from), To: date(to)}
				p.Parks = []string{"alerce-andino"}
			}
		}
		w.follower("told", nil)
		w.follower("home", func(p *subscription.Preferences) { p.Parks = []string{"alerce-andino"} })
		w.follower("walking", on(-1, 1))
		w.follower("soon", on(2, 5))
		w.follower("quiet", func(p *subscription.Preferences) {
			on(0, 3)(p)
			p.Quiet = &subscription.Quiet{From: 17 * 60, To: 20 * 60}
		})
		w.follower("someday", on(9, 12))
		w.issue("viento", func(a *issued) { a.End = noon.AddDate(0, 0, 3) }, alert.Opened)
		w.expectAfter(0, "told: news opened viento")
		w.dark = true
		for range 6 {
			w.expectAfter(time.Hour)
		}
		w.expectAfter(time.Hour, "soon: no-data", "told: no-data", "walking: no-data")
		for i, s := range w.push.sent[len(w.push.sent)-3:] {
			if want := noon.Add(time.Hour); s.Since.Sub(want).Abs() > time.Minute {
				w.Errorf("message %d: since %v, want %v", i, s.Since, want)
			}
		}
		w.expectAfter(58 * time.Minute)
		w.expectAfter(2*time.Minute, "quiet: no-data") // 20 there
		w.expectAfter(24 * time.Hour)
		w.dark = false
		w.expectAfter(time.Hour, "quiet: data-back", "soon: data-back", "told: data-back", "walking: data-back")
		w.expectAfter(time.Hour)
		w.dark = true
		w.expectAfter(time.Hour)
		w.dark = false
		w.expectAfter(5 * time.Hour) // too short to be told, and so is its end
	})
}

func TestAnOutageThatIsOverBeforeItIsTold(t *testing.T) {
	inWorld(t, func(w *world) {
		w.follower("luz", func(p *subscription.Preferences) {
			p.Trip = &subscription.Trip{From: "2026-11-20", To: "2026-11-30"}
			p.Quiet = &subscription.Quiet{From: 18 * 60, To: 6 * 60}
		})
		w.dark = true
		w.expectAfter(0)
		w.expectAfter(7 * time.Hour)
		w.dark = false
		w.expectAfter(time.Hour)
		w.expectAfter(24 * time.Hour)
		if got := w.outcomes(); got[store.ObsoleteOutcome] != 2 {
			w.Errorf("%v: want both obsolete", got)
		}
	})
}

func TestACycleWithoutChangesWritesNothingOfPeople(t *testing.T) {
	inWorld(t, func(w *world) {
		w.follower("luz", nil)
		w.issue("viento", nil, alert.Opened)
		w.expectAfter(0, "luz: news opened viento")
		before := w.outcomes()
		for range 5 {
			w.expectAfter(time.Hour)
		}
		if w.outcomes() != before || w.store.Queued(subscription.WebPush) != 0 {
			w.Errorf("%v and %d queued after idle cycles", w.outcomes(), w.store.Queued(subscription.WebPush))
		}
	})
}
