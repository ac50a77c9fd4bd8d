package notify

import (
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

func TestFromAlertToMessage(t *testing.T) {
	inWorld(t, func(w *world) {
		w.start()
		w.reader("ana@x.cl", wishes(nil))
		w.browser("luz", wishes(nil))
		w.pass(time.Second)
		w.expect(w.push, "luz: welcome")
		w.issue("viento", nil, alert.Opened)
		w.cycle()
		w.pass(time.Second)
		w.expect(w.mail, "ana@x.cl: news opened viento")
		w.expect(w.push, "luz: news opened viento")
		w.issue("viento", raised, alert.Raised)
		w.cycle()
		w.pass(time.Second)
		w.expect(w.mail, "ana@x.cl: news raised viento")
		w.issue("viento", dropped, alert.Withdrawn)
		w.cycle()
		w.pass(time.Second)
		w.expect(w.mail, "ana@x.cl: news withdrawn viento")
		w.cycle()
		w.pass(time.Hour)
		w.expect(w.mail)
		_ = subscription.Email
	})
}
