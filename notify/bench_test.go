package notify

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

const manyPeople = 100_000

// fill makes n readers, one in ten of whom follows the park of the alerts; all do
// when one is 1.
func (w *world) fill(b *testing.B, n, one int) {
	b.Helper()
	for from := 0; from < n; from += 5000 {
		err := w.store.Update("fill", func(tx *store.Tx) error {
			for i := from; i < min(n, from+5000); i++ {
				p := preferences(nil)
				if i%one != 0 {
					p.Parks = []string{"alerce-andino"}
				}
				if i%3 == 0 {
					p.Quiet = &subscription.Quiet{From: 22 * 60, To: 6 * 60}
				}
				s := &subscription.Subscription{ID: subscription.NewID(), Address: fmt.Sprintf("p%06d@example.cl", i), Preferences: p}
				if err := tx.PutSubscription(s); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// commitTime keeps a cycle and tells how long it took.
func (w *world) commitTime(b *testing.B) time.Duration {
	b.Helper()
	clock := w.n.o.Clock
	began := clock.Now()
	if err := w.commit(); err != nil {
		b.Fatal(err)
	}
	return clock.Since(began)
}

// BenchmarkDecide keeps a cycle with one alert that opened, before 100,000
// subscribers of whom all or a tenth follow its park, and one without any change.
func BenchmarkDecide(b *testing.B) {
	for _, one := range []int{1, 10} {
		b.Run(fmt.Sprintf("%d of 100000", manyPeople/one), func(b *testing.B) {
			w := newWorld(b, b.TempDir())
			defer w.store.Close()
			w.fill(b, manyPeople, one)
			w.commitTime(b)
			var idle, busy time.Duration
			for i := 0; b.Loop(); i++ {
				idle += w.commitTime(b)
				w.issue(fmt.Sprint("viento", i), raised, alert.Opened)
				a := w.alerts[fmt.Sprint("viento", i)]
				a.Start, a.End = a.Start.Add(time.Duration(i*40)*time.Hour), a.End.Add(time.Duration(i*40)*time.Hour)
				w.alerts[a.ID] = a
				busy += w.commitTime(b)
			}
			if n := w.store.Queued(subscription.Email); n < b.N*manyPeople/one {
				b.Fatalf("%d messages in the outbox after %d cycles", n, b.N)
			}
			b.ReportMetric(idle.Seconds()*1e3/float64(b.N), "idle-ms/cycle")
			b.ReportMetric(busy.Seconds()*1e3/float64(b.N), "ms/cycle")
			b.ReportMetric(busy.Seconds()*1e6/float64(b.N)/float64(manyPeople/one), "µs/message")
		})
	}
}

// BenchmarkDrain sends what waits to a sender that takes no time: what is left is
// reading, composing and recording.
func BenchmarkDrain(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		w := newWorld(b, b.TempDir())
		w.fill(b, 20000, 1)
		// A danger goes at night too, when the quiet hours of some would last till morning.
		w.issue("viento", func(a *issued) { a.Level = alert.Danger }, alert.Opened)
		w.commitTime(b)
		var sent atomic.Int64
		n := w.notifier(b, func(o *Options) { o.Mail, o.Push, o.Log = sink{&sent}, nil, slog.New(slog.DiscardHandler) })
		ctx, stop := context.WithCancel(b.Context())
		ended := make(chan error)
		b.StartTimer()
		began := n.o.Clock.Now()
		go func() { ended <- n.Run(ctx) }()
		for w.store.Queued(subscription.Email) > 0 {
			<-time.After(time.Millisecond)
		}
		b.ReportMetric(20000/n.o.Clock.Since(began).Seconds(), "messages/s")
		stop()
		<-ended
		w.store.Close()
	}
}

// sink takes every message.
type sink struct{ sent *atomic.Int64 }

// Send implements Mailer.
func (s sink) Send(context.Context, *message.Message, string) message.Result {
	s.sent.Add(1)
	return message.Result{}
}

// BenchmarkMemory reports how much more memory is in use while 100,000 messages wait
// and are sent than before there were any.
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		w := newWorld(b, b.TempDir())
		w.fill(b, manyPeople, 1)
		idle := heap()
		w.issue("viento", nil, alert.Opened)
		w.commitTime(b)
		waiting := heap()
		var sent atomic.Int64
		n := w.notifier(b, func(o *Options) { o.Mail, o.Push, o.Log = sink{&sent}, nil, slog.New(slog.DiscardHandler) })
		ctx, stop := context.WithCancel(b.Context())
		ended := make(chan error)
		go func() { ended <- n.Run(ctx) }()
		most := uint64(0)
		for sent.Load() < manyPeople/2 {
			<-time.After(20 * time.Millisecond)
			most = max(most, heap())
		}
		stop()
		<-ended
		b.ReportMetric(float64(waiting-min(idle, waiting))/1e6, "MB-waiting")
		b.ReportMetric(float64(most-min(idle, most))/1e6, "MB-sending")
		w.store.Close()
	}
}

// heap is what is in use after a collection, without the file's mapped pages.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
