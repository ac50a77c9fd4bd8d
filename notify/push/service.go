package push

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"vigia/notify/bulletin"
)

const (
	tokenUse  = time.Hour      // how long a token is used
	tokenLife = 12 * time.Hour // how long it is good for; RFC 8292 allows 24

	// maxServices bounds what is remembered: some push services have a host for each
	// part of the world, and the hosts come from the subscriptions.
	maxServices = 256
)

// service is what is remembered of a push service.
type service struct {
	authorization string // the header of its token, "" before the first
	signedAt      time.Time
	until         time.Time // nothing is posted before; zero when it is not paused
	reason        error     // why it is paused
	ours          bool      // paused because it refused our keys
	accepted      bool      // it took a message under these keys and has not refused many since
	refused       int       // refusals of our keys since it took a message
}

// enter gives the token for an origin, or the result for a message that has to
// wait because the origin is paused.
func (s *Sender) enter(to *address) (authorization string, wait bulletin.Result, ok bool) {
	now := s.clock.Now().Round(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.service(to.origin, now)
	if left := v.until.Sub(now); left > 0 {
		return "", bulletin.Result{Verdict: bulletin.Retry, After: left, Err: v.reason}, false
	}
	if age := now.Sub(v.signedAt); v.authorization == "" || age < 0 || age >= tokenUse {
		header, err := s.sign(to.origin, now)
		if err != nil {
			return "", bulletin.Result{Verdict: bulletin.OurFault, Err: err}, false
		}
		v.authorization, v.signedAt = header, now
	}
	return v.authorization, bulletin.Result{}, true
}

// service gives what is known of an origin and makes room when it is new. The
// caller holds the lock.
func (s *Sender) service(origin string, now time.Time) *service {
	if v, known := s.services[origin]; known {
		return v
	}
	if len(s.services) >= maxServices {
		s.forget(now)
	}
	v := &service{}
	s.services[origin] = v
	return v
}

// forget drops the service of the oldest token, one that is not paused where there
// is one: what is lost is a signature or, at worst, a request too early.
func (s *Sender) forget(now time.Time) {
	var oldest string
	for origin, v := range s.services {
		o := s.services[oldest]
		if o == nil || now.Before(o.until) && !now.Before(v.until) ||
			now.Before(o.until) == now.Before(v.until) && v.signedAt.Before(o.signedAt) {
			oldest = origin
		}
	}
	delete(s.services, oldest)
}

// sign makes the Authorization of RFC 8292 for an origin.
func (s *Sender) sign(origin string, now time.Time) (string, error) {
	claims, err := json.Marshal(struct {
		Audience string `json:"aud"`
		Expires  int64  `json:"exp"`
		Subject  string `json:"sub"`
	}{origin, now.Add(tokenLife).Unix(), s.subject})
	if err != nil {
		return "", fmt.Errorf("write a VAPID token: %w", err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encode(claims)
	digest := sha256.Sum256([]byte(text))
	r, t, err := ecdsa.Sign(rand.Reader, s.key, digest[:])
	if err != nil {
		return "", fmt.Errorf("sign a VAPID token: %w", err)
	}
	var signature [64]byte
	r.FillBytes(signature[:32])
	t.FillBytes(signature[32:])
	return "vapid t=" + text + "." + encode(signature[:]) + ", k=" + s.public, nil
}

// parseKeys reads the VAPID keys and checks that they are a pair. Its errors tell
// nothing of the private one.
func parseKeys(public, private string) (*ecdsa.PrivateKey, error) {
	decode := func(text string) ([]byte, error) {
		return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	}
	scalar, err := decode(private)
	if err != nil {
		return nil, errors.New("the private VAPID key is not base64url")
	}
	point, err := decode(public)
	if err != nil {
		return nil, errors.New("the public VAPID key is not base64url")
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar)
	if err != nil {
		return nil, errors.New("the private VAPID key is not a key of P-256 (32 bytes)")
	}
	own, err := key.PublicKey.Bytes()
	if err != nil {
		return nil, fmt.Errorf("public VAPID key: %w", err)
	}
	if string(own) != string(point) {
		return nil, errors.New("the public VAPID key does not belong to the private one")
	}
	return key, nil
}
