package mail

import (
	"html"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify/message"
	"vigia/store/subscription"
	"vigia/web/wording"
)

// forbidden returns the words that are not ours to use, as the tests of the words of
// alerts have them, so that there is one list.
func forbidden(t *testing.T) map[subscription.Language]*regexp.Regexp {
	t.Helper()
	source, err := os.ReadFile("../../web/wording/wording_test.go")
	if err != nil {
		t.Fatal(err)
	}
	lists := map[subscription.Language]*regexp.Regexp{}
	found := regexp.MustCompile("(Spanish|English): regexp.MustCompile\\(`([^`]*)` ?\\+\\s*`([^`]*)`(?: ?\\+\\s*`([^`]*)`)?\\)").FindAllStringSubmatch(string(source), -1)
	for _, f := range found {
		language := map[string]subscription.Language{"Spanish": subscription.Spanish, "English": subscription.English}[f[1]]
		lists[language] = regexp.MustCompile(f[2] + f[3] + f[4])
	}
	if len(lists) != 2 || !lists[subscription.Spanish].MatchString("alerta roja") || !lists[subscription.Spanish].MatchString("sendero cerrado") ||
		!lists[subscription.English].MatchString("red alert") || !lists[subscription.English].MatchString("do not go") {
		t.Fatal("the list of words is no longer where it was")
	}
	return lists
}

// TestWordsOfOthersAreNotUsed: no mail of any kind takes the words of the official
// bodies, orders, or calls anything safe.
func TestWordsOfOthersAreNotUsed(t *testing.T) {
	lists := forbidden(t)
	place := regexp.MustCompile(`[{}]|%!|<nil>|NaN|  `)
	for language, words := range lists {
		for _, b := range everyKind(t) {
			b.Language = language
			doc, err := write(b)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := rendered(t, doc)
			text = doc.Subject + "\n" + text
			// The notice names what it is not.
			notice := strings.NewReplacer("No es un aviso oficial", "", "It is not an official notice", "").Replace(text)
			if found := words.FindString(notice); found != "" {
				t.Errorf("%q in %s", found, text)
			}
			if found := place.FindString(text); found != "" {
				t.Errorf("%q in %s", found, text)
			}
		}
	}
}

// everyKind returns a message of every kind, and news of every hazard, level and change.
func everyKind(t *testing.T) (all []*message.Message) {
	t.Helper()
	for _, b := range looks(t) {
		all = append(all, b)
	}
	for h := range hazard.NumHazards {
		for _, level := range []alert.Level{alert.Caution, alert.Danger} {
			for _, what := range []alert.ChangeKind{alert.Opened, alert.Raised, alert.Moved, alert.Ended, alert.Withdrawn} {
				b := news(t)
				b.Simulated = h%2 == 0
				b.Entries[0].Alert, b.Entries[0].What = gale(level), what
				b.Entries[0].Alert.Tracks[0].Hazard = hazard.Hazard(h)
				all = append(all, b)
			}
		}
	}
	for _, kind := range []message.Kind{message.NoData, message.DataBack, message.Test} {
		b := news(t)
		b.Kind, b.Since = kind, now
		all = append(all, b)
	}
	return all
}

// TestMailsSayTheWordsOfTheCatalogue: what a mail says of every hazard and level is
// what package wording says of it.
func TestMailsSayTheWordsOfTheCatalogue(t *testing.T) {
	for language, l := range map[subscription.Language]*wording.Language{subscription.Spanish: wording.Spanish, subscription.English: wording.English} {
		for h := range hazard.Hazard(hazard.NumHazards) {
			for level := alert.Caution; level <= alert.Danger; level++ {
				b := news(t)
				b.Language, b.Entries[0].Alert.Tracks[0].Hazard, b.Entries[0].Alert.Level = language, h, level
				doc, err := write(b)
				if err != nil {
					t.Fatal(err)
				}
				name, of := wording.Capital(l.Hazard(h)), wording.Capital(l.Level(level))
				text, page := rendered(t, doc)
				page = html.UnescapeString(page)
				if !strings.HasPrefix(doc.Subject, "["+of+"] "+name+" · ") || !strings.Contains(text, strings.ToUpper(of)) || !strings.Contains(page, of) {
					t.Errorf("%q does not say %q, %q", doc.Subject, of, name)
				}
				for _, words := range []string{"\n" + name + "\n", l.Advice(h), l.Disclaimer()} {
					if !strings.Contains(text, words) || !strings.Contains(page, strings.TrimSpace(words)) {
						t.Errorf("%q does not say %q", doc.Subject, words)
					}
				}
			}
		}
	}
}

// TestHoursOfThePark: an hour is said in the park's zone, on the days on which its
// clock changes too, and without a zone in UTC.
func TestHoursOfThePark(t *testing.T) {
	b := news(t)
	for hour, want := range map[int]string{0: "UTC", 3: "UTC−3"} {
		if b.Zone = nil; hour > 0 {
			b.Zone = punta(t)
		}
		b.Kind, b.Since = message.NoData, now
		doc, err := write(b)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := rendered(t, doc)
		if clock := strconv.Itoa(13-hour) + ":05 (" + want; !strings.Contains(text, clock) {
			t.Errorf("no %q in %s", clock, text)
		}
	}
}
