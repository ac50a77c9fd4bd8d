package notify

import (
	"vigia/notify/bulletin"
	"vigia/store"
)

// strayInARow refusals of our doing to addresses that nobody confirmed are no longer
// the fault of those addresses.
const strayInARow = 8

// stray tells apart a relay that refuses us from one that refuses an address which
// anybody may have typed in: who asks for a mail to such an address must not be
// able to stop the mails of everybody.
type stray struct {
	accepted bool // the relay has taken a message, and none has stopped the channel since
	refused  int  // confirmation mails in a row that were refused since
}

// is notes what came of a letter, and tells whether it was refused and says nothing
// of us. A probe always does.
func (s *stray) is(o *outcome) bool {
	switch {
	case o.result.Verdict == bulletin.Delivered:
		*s = stray{accepted: true}
		return false
	case o.result.Verdict != bulletin.OurFault:
		return false
	}
	s.refused++
	if o.probe || o.item.Kind != store.ConfirmItem || !s.accepted || s.refused >= strayInARow {
		*s = stray{}
		return false
	}
	return true
}
