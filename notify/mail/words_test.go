package mail

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify/message"
	"vigia/store/subscription"
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
