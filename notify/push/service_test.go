package push

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/notify/bulletin"
)

// claimsOf checks a header's signature under the key it names and gives its claims.
func claimsOf(t *testing.T, header string) (claims struct {
	Aud, Sub string
	Exp      int64
}) {
	t.Helper()
	list, _ := strings.CutPrefix(header, "vapid t=")
	token, key, ok := strings.Cut(list, ", k=")
	parts := strings.Split(token, ".")
	if !ok || len(parts) != 3 {
		t.Fatalf("%q", header)
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), unbase64(t, key))
	if err != nil {
		t.Fatal(err)
	}
	digest, signature := sha256.Sum256([]byte(parts[0]+"."+parts[1])), unbase64(t, parts[2])
	if len(signature) != 64 || !ecdsa.Verify(public, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		t.Error("the signature is wrong")
	}
	if head := string(unbase64(t, parts[0])); head != `{"typ":"JWT","alg":"ES256"}` {
		t.Error(head)
	}
	if err := json.Unmarshal(unbase64(t, parts[1]), &claims); err != nil {
		t.Fatal(err)
	}
	return claims
}

func token(t *testing.T, s *Sender, origin string) string {
	t.Helper()
	header, result, ok := s.enter(&address{origin: origin})
	if !ok {
		t.Fatalf("%+v", result)
	}
	return header
}

func TestOneTokenForAServiceAndHour(t *testing.T) {
	clock := clockwork.NewFakeClockAt(start)
	s := testSender(t, clock, nil)
	first := token(t, s, "https://a.example")
	claims := claimsOf(t, first)
	if claims.Aud != "https://a.example" || claims.Sub != "mailto:guardia@example.cl" || claims.Exp != start.Add(12*time.Hour).Unix() {
		t.Errorf("%+v", claims)
	}
	if other := claimsOf(t, token(t, s, "https://b.example")); other.Aud != "https://b.example" {
		t.Errorf("%+v", other)
	}
	for _, c := range []struct {
		turn time.Duration
		same bool
	}{{59 * time.Minute, true}, {59 * time.Second, true}, {time.Second, false}, {time.Hour, false}, {-2 * time.Hour, false}, {40 * 24 * time.Hour, false}} {
		clock.Advance(c.turn)
		next := token(t, s, "https://a.example")
		if (next == first) != c.same {
			t.Errorf("after %v the token is the same: %v", c.turn, next == first)
		}
		if exp := time.Unix(claimsOf(t, next).Exp, 0); exp.Before(clock.Now().Add(time.Hour)) || exp.After(clock.Now().Add(24*time.Hour)) {
			t.Errorf("after %v it ends in %v", c.turn, exp.Sub(clock.Now()))
		}
		first = next
	}
}

func TestTokensAreMadeOnceByManyAtATime(t *testing.T) {
	s := testSender(t, clockwork.NewFakeClockAt(start), nil)
	var mu sync.Mutex
	seen := map[string]int{}
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			header, _, ok := s.enter(&address{origin: fmt.Sprintf("https://%d.example", i%4)})
			if !ok {
				t.Error("no token")
			}
			mu.Lock()
			defer mu.Unlock()
			seen[header]++
		})
	}
	all.Wait()
	if len(seen) != 4 {
		t.Errorf("%d tokens for 4 services", len(seen))
	}
}

func TestSubjects(t *testing.T) {
	for contact, want := range map[string]string{
		"a@example.cl": "mailto:a@example.cl", "mailto:a@example.cl": "mailto:a@example.cl", "https://example.cl/contacto": "https://example.cl/contacto",
	} {
		s := testSender(t, clockwork.NewFakeClockAt(start), func(o *Options) { o.Subject = contact })
		if got := claimsOf(t, token(t, s, "https://a.example")).Sub; got != want {
			t.Errorf("%q becomes %q", contact, got)
		}
	}
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	clock := clockwork.NewFakeClockAt(start)
	s := testSender(t, clock, nil)
	paused := &address{origin: "https://paused.example", url: &url.URL{Host: "paused.example"}}
	s.pause(paused.origin, clock.Now(), time.Hour, fmt.Errorf("429"))
	for i := range 3 * maxServices {
		clock.Advance(time.Millisecond)
		token(t, s, fmt.Sprintf("https://%d.example", i))
		if len(s.services) > maxServices {
			t.Fatalf("%d services", len(s.services))
		}
	}
	if _, result, ok := s.enter(paused); ok || result.Verdict != bulletin.Retry {
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

func TestWrongKeysAreFoundAtTheStart(t *testing.T) {
	private, public, err := NewKeys()
	if err != nil {
		t.Fatal(err)
	}
	otherPrivate, otherPublic, err := NewKeys()
	if err != nil {
		t.Fatal(err)
	}
	good := Options{Public: public, Private: private, Subject: "a@example.cl"}
	if _, err := New(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Options){
		"swapped":            func(o *Options) { o.Public, o.Private = o.Private, o.Public },
		"of two pairs":       func(o *Options) { o.Public = otherPublic },
		"none":               func(o *Options) { o.Public, o.Private = "", "" },
		"no private":         func(o *Options) { o.Private = "" },
		"no public":          func(o *Options) { o.Public = "" },
		"cut":                func(o *Options) { o.Private = o.Private[:40] },
		"not base64":         func(o *Options) { o.Private = "*" + o.Private[1:] },
		"public, not base64": func(o *Options) { o.Public = "ñ" },
		"zero":               func(o *Options) { o.Private = strings.Repeat("A", 43) },
		"no subject":         func(o *Options) { o.Subject = "" },
	} {
		o := good
		change(&o)
		_, err := New(o)
		if err == nil {
			t.Errorf("%s: taken", name)
		} else if strings.Contains(err.Error(), private) || strings.Contains(err.Error(), otherPrivate) {
			t.Errorf("%s: the error tells the key", name)
		}
	}
	good.Public, good.Private = public+"=", private+"="
	if _, err := New(good); err != nil {
		t.Errorf("with padding: %v", err)
	}
}
