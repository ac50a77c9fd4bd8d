package wording

import (
	"vigia/forecast/alert"
	"vigia/store/notices"
)

// WholePark is the row of a park, which is no trail's, in [Language.Official].
const WholePark = "*"

// OfficialSentences returns what official bodies say of a place in a sentence each.
func (l *Language) OfficialSentences(closures []notices.Holding, volcanic []notices.Nearby) (sentences []string) {
	for _, line := range l.Official(closures, volcanic, WholePark) {
		sentences = append(sentences, l.Text("oficial.dicho", "que", line)+".")
	}
	return sentences
}

// MessageTitle returns in a few words what became of an alert: what is the kind of
// change that a message is about.
func (l *Language) MessageTitle(a *alert.Alert, what alert.ChangeKind) string {
	switch {
	case what == alert.Ended || what == alert.Withdrawn:
		return l.Text("alerta.ya_no_rige.cual", "amenaza", l.AlertHazards(a))
	case a.Level == alert.NoLevel:
		return Capital(l.AlertHazards(a))
	case what == alert.Raised:
		return l.Text("alerta.sube", "nivel", l.Level(a.Level), "amenaza", l.AlertHazards(a))
	default:
		return l.AlertName(a)
	}
}
