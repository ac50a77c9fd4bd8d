package pushtest

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
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

func TestMessagesOfWebpushGoAreOpened(t *testing.T) {
	r, k := listenPush(t, Options{}), newVAPIDKeys(t)
	for _, size := range []uint32{0, 1024, 2048} {
		message := "mensaje " + strconv.Itoa(int(size))
		if status := k.post(t, r, message, func(o *webpush.Options, _ *webpush.Subscription) { o.RecordSize = size }); status != http.StatusCreated {
			t.Fatalf("status %d", status)
		}
		n := r.Pushes()[0]
		if string(n.Payload) != message || n.Topic != "tema" || n.Urgency != "high" || n.TTL != 60 || !strings.HasPrefix(n.Endpoint, r.Origin()+"/push/") || n.At.IsZero() {
			t.Errorf("%+v", n)
		}
	}
	if status := k.post(t, r, "", nil); status != http.StatusCreated || len(r.Pushes()[0].Payload) != 0 {
		t.Errorf("an empty message: %d", status)
	}
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

func TestTopicsReplace(t *testing.T) {
	r, k := listenPush(t, Options{}), newVAPIDKeys(t)
	endpoint, p256dh, auth := r.NewBrowser()
	same := func(topic string) func(*webpush.Options, *webpush.Subscription) {
		return func(o *webpush.Options, to *webpush.Subscription) {
			o.Topic = topic
			*to = webpush.Subscription{Endpoint: endpoint, Keys: webpush.Keys{P256dh: p256dh, Auth: auth}}
		}
	}
	for i, topic := range []string{"x", "x", "a", "", "a", "", "b"} {
		if status := k.post(t, r, strconv.Itoa(i), same(topic)); status != 201 || len(r.Pushes()) != i+1 {
			t.Fatalf("status %d, %d pushes", status, len(r.Pushes()))
		}
	}
	list := func(pushes []Push) (text string) {
		for _, n := range pushes {
			text += string(n.Payload)
		}
		return text
	}
	if got := list(r.Pushes()); got != "6543210" {
		t.Errorf("pushes %s", got)
	}
	if got := list(r.Shown()); got != "65431" {
		t.Errorf("shown %s", got)
	}
	if k.post(t, r, "7", func(o *webpush.Options, _ *webpush.Subscription) { o.Topic = "a" }); list(r.Shown()) != "765431" {
		t.Errorf("the topic of another browser: %s", list(r.Shown()))
	}
}

func TestFaults(t *testing.T) {
	r, k := listenPush(t, Options{}), newVAPIDKeys(t)
	endpoint, _, _ := r.NewBrowser()
	r.Fail(Fault{Status: 503, RetryAfter: "7", Calls: 2})
	r.Fail(Fault{Status: 410, Endpoint: endpoint})
	for i, want := range []int{503, 503, 201, 201} {
		if status := k.post(t, r, "x", nil); status != want {
			t.Errorf("call %d: %d", i, status)
		}
	}
	for range 3 {
		answer, err := http.Post(endpoint, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != 410 {
			t.Errorf("without end: %d", answer.StatusCode)
		}
	}
	r.Recover()
	r.Fail(Fault{Status: 429, RetryAfter: "7", Location: "/x", Accept: true, Calls: 1})
	before := len(r.Pushes())
	if status := k.post(t, r, "x", nil); status != 429 || len(r.Pushes()) != before+1 {
		t.Errorf("taken before the fault: %d", status)
	}
}

func TestFaultsOfTheConnection(t *testing.T) {
	r := listenPush(t, Options{})
	endpoint, _, _ := r.NewBrowser()
	r.Fail(Fault{Kind: Reset, Calls: 1})
	r.Fail(Fault{Kind: Hang, Calls: 2})
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if answer, err := client.Post(endpoint, "", strings.NewReader("x")); err == nil {
		answer.Body.Close()
		t.Errorf("reset: %d", answer.StatusCode)
	}
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { cancel() }}), "POST", endpoint, strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := client.Do(req); !errors.Is(err, context.Canceled) {
		answer.Body.Close()
		t.Errorf("hang: %v", err)
	}
	// The end of the receiver ends what it holds up.
	held := make(chan error)
	sent := make(chan struct{})
	go func() {
		req, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { close(sent) }}), "POST", endpoint, strings.NewReader("x"))
		if err == nil {
			var answer *http.Response
			if answer, err = client.Do(req); err == nil {
				answer.Body.Close()
			}
		}
		held <- err
	}()
	<-sent
	r.Close()
	if err := <-held; err == nil {
		t.Error("a request that was held up was answered")
	}
	if err := r.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}
