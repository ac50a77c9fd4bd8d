package openmeteo

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jonboulle/clockwork"
)

// A provider that falls silent, at once or in the middle of its answer, is given up
// after 30 s; one that is slow and goes on is waited for.
func TestAProviderThatHangsIsGivenUp(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
	for name, c := range map[string]struct {
		pieces []string // of the answer, 20 s between two
		want   time.Duration
		kind   Kind
	}{
		"says nothing":             {nil, 30 * time.Second, Timeout},
		"says where the answer is": {[]string{head}, 30 * time.Second, Timeout},
		"begins":                   {[]string{head, `[{"lat`}, 50 * time.Second, Timeout},
		"is slow":                  {[]string{head, `[{"lat`, `itude":`, `-33.42,`, "x"}, 80 * time.Second, Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial := func(context.Context, string, string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					go func() {
						defer theirs.Close()
						if _, err := http.ReadRequest(bufio.NewReader(theirs)); err != nil {
							return
						}
						for i, piece := range c.pieces {
							if i > 0 {
								<-time.After(20 * time.Second)
							}
							fmt.Fprint(theirs, piece)
						}
						if c.kind == Timeout {
							_, _ = theirs.Read(make([]byte, 1)) // until it is given up
						}
					}()
					return ours, nil
				}
				clock := clockwork.NewRealClock()
				client, err := New(Options{BaseURL: "http://provider.example", Clock: clock, Ledger: NewLedger(clock, Limits{}), Dial: dial})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				_, err = client.Forecast(t.Context(), "ecmwf_ifs", somePlaces(2), everything(2))
				failure(t, err, c.kind)
				if took := time.Since(began); took != c.want {
					t.Errorf("given up after %v, want %v", took, c.want)
				}
				client.http.CloseIdleConnections()
			})
		})
	}
}
