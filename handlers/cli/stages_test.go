package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Whatever ends first, the notifier ends after the parts that serve and estimate, and the
// errors of all are returned.
func TestShutdownInOrder(t *testing.T) {
	for name, first := range map[string]string{"the signal": "", "a part that serves": "cycle", "the part that sends": "notifier"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var order []string
				var mu sync.Mutex
				one := func(name string, takes time.Duration) Part {
					return func(ctx context.Context) error {
						if name == first {
							<-time.After(time.Minute)
						} else {
							<-ctx.Done()
							<-time.After(takes)
						}
						mu.Lock()
						defer mu.Unlock()
						order = append(order, name)
						return errors.New(name)
					}
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				err := RunStages(ctx, []Part{one("server", 2*time.Second), one("cycle", 5*time.Second)}, []Part{one("notifier", 0)})
				want := "[server cycle notifier]"
				switch first {
				case "cycle":
					want = "[cycle server notifier]"
				case "notifier":
					want = "[notifier server cycle]"
				}
				if fmt.Sprint(order) != want {
					t.Errorf("ended in the order %v, want %v", order, want)
				}
				if got := strings.Count(err.Error(), "\n"); got != 2 {
					t.Errorf("%v", err)
				}
			})
		})
	}
}
