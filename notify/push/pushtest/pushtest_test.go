package pushtest

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/SherClockHolmes/webpush-go"
	"github.com/golang-jwt/jwt/v5"
	"go.uber.org/goleak"
)

func listenPush(t testing.TB, o Options) *Service {
	t.Helper()
	before := goleak.IgnoreCurrent()
	r, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if err := goleak.Find(before); err != nil {
			t.Error(err)
		}
	})
	return r
}

// vapidKeys are VAPID keys.
type vapidKeys struct{ private, public string }

func newVAPIDKeys(t testing.TB) (k vapidKeys) {
	t.Helper()
	var err error
	if k.private, k.public, err = webpush.GenerateVAPIDKeys(); err != nil {
		t.Fatal(err)
	}
	return k
}

// post sends a message by webpush-go and gives the status of the answer.
func (k vapidKeys) post(t testing.TB, r *Service, message string, change func(*webpush.Options, *webpush.Subscription)) int {
	t.Helper()
	endpoint, p256dh, auth := r.NewBrowser()
	to := &webpush.Subscription{Endpoint: endpoint, Keys: webpush.Keys{P256dh: p256dh, Auth: auth}}
	o := &webpush.Options{Subscriber: "a@example.cl", VAPIDPublicKey: k.public, VAPIDPrivateKey: k.private, TTL: 60, Topic: "tema", Urgency: webpush.UrgencyHigh}
	if change != nil {
		change(o, to)
	}
	answer, err := webpush.SendNotification([]byte(message), to, o)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

func TestTheExampleOfTheRFCIsOpened(t *testing.T) {
	decode := func(text string) []byte {
		b, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	key, err := ecdh.P256().NewPrivateKey(decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"))
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{key: key, auth: [16]byte(decode("BTBZMqHH6r4Tts7J_aSIgg"))}
	got, err := b.open(decode("DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_" +
		"yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"))
	if err != nil || string(got) != "When I grow up, I want to be a watermelon" {
		t.Errorf("%q, %v", got, err)
	}
}

// capture has webpush-go make the request of a message, which is not sent.
type capture struct{ request *http.Request }

// Do implements [webpush.HTTPClient].
func (c *capture) Do(r *http.Request) (*http.Response, error) {
	c.request = r
	return &http.Response{StatusCode: http.StatusCreated, Body: http.NoBody}, nil
}

// request returns the request of a message that would be accepted.
func (k vapidKeys) request(t testing.TB, r *Service) *http.Request {
	t.Helper()
	var c capture
	k.post(t, r, "hola", func(o *webpush.Options, _ *webpush.Subscription) { o.HTTPClient, o.RecordSize = &c, 1024 })
	return c.request
}

func TestAChangedMessageIsNotOpened(t *testing.T) {
	r, k := listenPush(t, Options{}), newVAPIDKeys(t)
	req := k.request(t, r)
	good, err := io.ReadAll(req.Body)
	if err != nil {
		t.Fatal(err)
	}
	b := r.browsers[req.URL.Path]
	if got, err := b.open(good); err != nil || string(got) != "hola" {
		t.Fatalf("%q, %v", got, err)
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 0x80
		if got, err := b.open(bad); err == nil && (i < saltSize || i > saltSize+3) { // a record size that is larger still fits
			t.Errorf("byte %d changed: opened as %q", i, got)
		}
		if got, err := b.open(good[:i]); err == nil {
			t.Errorf("cut at %d: opened as %q", i, got)
		}
	}
}

// sign returns an Authorization with other claims than those of webpush-go.
func (k vapidKeys) sign(t testing.TB, method jwt.SigningMethod, claims jwt.MapClaims) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(k.private)
	if err != nil {
		t.Fatal(err)
	}
	var key any
	if key, err = ecdsa.ParseRawPrivateKey(elliptic.P256(), raw); err != nil {
		t.Fatal(err)
	}
	if method == jwt.SigningMethodNone {
		key = jwt.UnsafeAllowNoneSignatureType
	}
	token, err := jwt.NewWithClaims(method, claims).SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return "vapid t=" + token + ", k=" + k.public
}

func TestSendersAreChecked(t *testing.T) {
	r, k, other := listenPush(t, Options{}), newVAPIDKeys(t), newVAPIDKeys(t)
	claims := func(origin string, life time.Duration, subject string) func(*http.Request) {
		return func(q *http.Request) {
			q.Header.Set("Authorization", k.sign(t, jwt.SigningMethodES256, jwt.MapClaims{"aud": origin, "exp": time.Now().Add(life).Unix(), "sub": subject}))
		}
	}
	set := func(name, value string) func(*http.Request) {
		return func(q *http.Request) { q.Header.Set(name, value) }
	}
	for name, c := range map[string]struct {
		change func(*http.Request)
		status int
	}{
		"of webpush-go":      {func(*http.Request) {}, 201},
		"an hour":            {claims(r.Origin(), time.Hour, "https://example.cl"), 201},
		"more than 24 hours": {claims(r.Origin(), 25*time.Hour, "mailto:a@example.cl"), 403},
		"expired":            {claims(r.Origin(), -time.Minute, "mailto:a@example.cl"), 403},
		"of another service": {claims("https://fcm.googleapis.com", time.Hour, "mailto:a@example.cl"), 403},
		"no subject":         {claims(r.Origin(), time.Hour, ""), 403},
		"mailto twice":       {claims(r.Origin(), time.Hour, "mailto:mailto:a@example.cl"), 403},
		"no authorization":   {func(q *http.Request) { q.Header.Del("Authorization") }, 401},
		"another scheme":     {set("Authorization", "Bearer x"), 401},
		"no token":           {set("Authorization", "vapid k="+k.public), 403},
		"the key of another": {func(q *http.Request) {
			q.Header.Set("Authorization", strings.Replace(q.Header.Get("Authorization"), k.public, other.public, 1))
		}, 403},
		"not signed": {func(q *http.Request) {
			q.Header.Set("Authorization", k.sign(t, jwt.SigningMethodNone, jwt.MapClaims{"aud": r.Origin(), "exp": time.Now().Add(time.Hour).Unix(), "sub": "mailto:a@example.cl"}))
		}, 403},
		"no TTL":           {func(q *http.Request) { q.Header.Del("TTL") }, 400},
		"an old encoding":  {set("Content-Encoding", "aesgcm"), 415},
		"a topic of 33":    {set("Topic", strings.Repeat("a", 33)), 400},
		"a topic of signs": {set("Topic", "a+b"), 400},
		"an odd urgency":   {set("Urgency", "urgent"), 400},
		"another method":   {func(q *http.Request) { q.Method = "PUT" }, 405},
		"unknown":          {func(q *http.Request) { q.URL.Path += "x" }, 404},
		"too long": {func(q *http.Request) {
			q.Body, q.ContentLength = io.NopCloser(bytes.NewReader(make([]byte, maxPush+1))), maxPush+1
		}, 413},
		"not for it": {func(q *http.Request) { q.Body, q.ContentLength = io.NopCloser(bytes.NewReader(make([]byte, 200))), 200 }, 400},
	} {
		req := k.request(t, r)
		c.change(req)
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d", name, answer.StatusCode, c.status)
		}
	}
	named := listenPush(t, Options{Key: k.public})
	if a, b := k.post(t, named, "x", nil), other.post(t, named, "x", nil); a != 201 || b != 403 || len(named.Pushes()) != 1 || named.Requests() != 2 {
		t.Errorf("a service that takes one key: %d, another key %d", a, b)
	}
}
