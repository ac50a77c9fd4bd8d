package push

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/notify/message"
)

func TestWhatIsRememberedIsBounded(t *testing.T) {
	clock := clockwork.NewFakeClockAt(start)
	s := testSender(t, clock, nil)
	paused := &address{origin: "https://paused.example", url: &url.URL{Host: "paused.example"}}
	s.pause(paused.origin, clock.Now(), time.Hour, fmt.Errorf("429"))
	for i := range 3 * maxServices {
		clock.Advance(time.Millisecond)
		s.took(fmt.Sprintf("https://%d.example", i), clock.Now())
		if len(s.services) > maxServices {
			t.Fatalf("%d services", len(s.services))
		}
	}
	if result, held := s.paused(paused); !held || result.Verdict != message.Retry {
		t.Error("the pause was forgotten before services that are not paused")
	}
	// When all are paused, the number still holds.
	for i := range 2 * maxServices {
		s.pause(fmt.Sprintf("https://p%d.example", i), clock.Now(), time.Hour, fmt.Errorf("429"))
	}
	if len(s.services) != maxServices {
		t.Errorf("%d services", len(s.services))
	}
}

func TestASubjectIsRequired(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("none is taken")
	}
}
