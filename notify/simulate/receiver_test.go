package simulate

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/SherClockHolmes/webpush-go"
	"github.com/jonboulle/clockwork"
	"go.uber.org/goleak"
)

func listenPush(t testing.TB, o ReceiverOptions) *Receiver {
	t.Helper()
	before := goleak.IgnoreCurrent()
	r, err := ListenPush(o)
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
func (k vapidKeys) post(t testing.TB, r *Receiver, message string, change func(*webpush.Options, *webpush.Subscription)) int {
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
	r, k := listenPush(t, ReceiverOptions{}), newVAPIDKeys(t)
	for _, size := range []uint32{0, 1024, 2048} {
		message := "mensaje " + strconv.Itoa(int(size))
		if status := k.post(t, r, message, func(o *webpush.Options, _ *webpush.Subscription) { o.RecordSize = size }); status != http.StatusCreated {
			t.Fatalf("status %d", status)
		}
		n := r.Notes()[0]
		if string(n.Payload) != message || n.Topic != "tema" || n.Urgency != "high" || n.TTL != 60 || !strings.HasPrefix(n.Endpoint, r.Origin()+"/push/") || n.At.IsZero() {
			t.Errorf("%+v", n)
		}
	}
	if status := k.post(t, r, "", nil); status != http.StatusCreated || len(r.Notes()[0].Payload) != 0 {
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

// sealFor encrypts a plain text with its padding for a browser, faults and all.
func sealFor(t testing.TB, b *browser, plain string, recordSize uint32) []byte {
	t.Helper()
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := own.ECDH(b.key.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	head := make([]byte, saltSize, headerSize)
	rand.Read(head)
	head = binary.BigEndian.AppendUint32(head, recordSize)
	head = append(append(head, pointSize), own.PublicKey().Bytes()...)
	ikm, err := hkdf.Key(sha256.New, secret, b.auth[:], "WebPush: info\x00"+string(b.key.PublicKey().Bytes())+string(own.PublicKey().Bytes()), 32)
	if err != nil {
		t.Fatal(err)
	}
	key, err := hkdf.Key(sha256.New, ikm, head[:saltSize], "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		t.Fatal(err)
	}
	nonce, err := hkdf.Key(sha256.New, ikm, head[:saltSize], "Content-Encoding: nonce\x00", 12)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return gcm.Seal(head, nonce, []byte(plain), nil)
}

func newTestBrowser(t testing.TB) *browser {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{key: key, auth: [16]byte{1, 2, 3}}
}

func TestOpeningIsStrict(t *testing.T) {
	b := newTestBrowser(t)
	if got, err := b.open(sealFor(t, b, "hola\x02\x00\x00", 2048)); err != nil || string(got) != "hola" {
		t.Fatalf("%q, %v", got, err)
	}
	if got, err := b.open(sealFor(t, b, "hola\x02", 4+1+tagSize)); err != nil || string(got) != "hola" {
		t.Errorf("a record that is just as long as its size: %q, %v", got, err)
	}
	if got, err := b.open(sealFor(t, b, "hola\x02\x02\x00", 2048)); err != nil || string(got) != "hola\x02" {
		t.Errorf("a text that ends in the delimiter: %q, %v", got, err)
	}
	for name, body := range map[string][]byte{
		"the delimiter of a record that is not the last": sealFor(t, b, "hola\x01\x00", 2048),
		"no delimiter":           sealFor(t, b, "hola", 2048),
		"padding alone":          sealFor(t, b, "\x00\x00", 2048),
		"no text at all":         sealFor(t, b, "", 2048),
		"too small a record":     sealFor(t, b, "\x02", 17),
		"longer than its record": sealFor(t, b, "hola\x02", 20),
		"for somebody else":      sealFor(t, newTestBrowser(t), "hola\x02", 2048),
	} {
		if got, err := b.open(body); err == nil {
			t.Errorf("%s: opened as %q", name, got)
		}
	}
	good := sealFor(t, b, "hola\x02", 2048)
	for i := range good {
		if i >= saltSize && i < saltSize+3 {
			continue // a record size that is larger still fits
		}
		bad := bytes.Clone(good)
		bad[i] ^= 0x80
		if got, err := b.open(bad); err == nil && i != saltSize+3 {
			t.Errorf("byte %d changed: opened as %q", i, got)
		}
		if got, err := b.open(good[:i]); err == nil {
			t.Errorf("cut at %d: opened as %q", i, got)
		}
	}
}

// pushRequest makes a request that would be taken.
func pushRequest(t testing.TB, r *Receiver, k vapidKeys, claims string) *http.Request {
	t.Helper()
	endpoint, _, _ := r.NewBrowser()
	r.mu.Lock()
	b := r.browsers[strings.TrimPrefix(endpoint, r.origin)]
	r.mu.Unlock()
	req, err := http.NewRequest("POST", endpoint, bytes.NewReader(sealFor(t, b, "hola\x02", 2048)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("TTL", "10")
	req.Header.Set("Content-Encoding", "aes128gcm")
	req.Header.Set("Authorization", "vapid t="+k.sign(t, `{"typ":"JWT","alg":"ES256"}`, claims)+", k="+k.public)
	return req
}

func (k vapidKeys) sign(t testing.TB, header, claims string) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(k.private)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(header)) + "." + encode([]byte(claims))
	digest := sha256.Sum256([]byte(text))
	a, b, err := ecdsa.Sign(rand.Reader, key, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	var signature [64]byte
	a.FillBytes(signature[:32])
	b.FillBytes(signature[32:])
	return text + "." + encode(signature[:])
}

// pushStart is when the tests of tokens take place.
var pushStart = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func claimsFor(origin string, life time.Duration, subject string) string {
	return `{"aud":"` + origin + `","exp":` + strconv.FormatInt(pushStart.Add(life).Unix(), 10) + `,"sub":"` + subject + `"}`
}

func TestSendersAreChecked(t *testing.T) {
	r, k, other := listenPush(t, ReceiverOptions{Clock: clockwork.NewFakeClockAt(pushStart)}), newVAPIDKeys(t), newVAPIDKeys(t)
	fine := claimsFor(r.Origin(), time.Hour, "mailto:a@example.cl")
	for name, c := range map[string]struct {
		claims string
		change func(http.Header)
		status int
	}{
		"fine":               {fine, nil, 201},
		"24 hours":           {claimsFor(r.Origin(), 24*time.Hour, "https://example.cl"), nil, 201},
		"more than 24 hours": {claimsFor(r.Origin(), 24*time.Hour+time.Second, "mailto:a@example.cl"), nil, 403},
		"expired":            {claimsFor(r.Origin(), 0, "mailto:a@example.cl"), nil, 403},
		"of another service": {claimsFor("https://fcm.googleapis.com", time.Hour, "mailto:a@example.cl"), nil, 403},
		"no subject":         {claimsFor(r.Origin(), time.Hour, ""), nil, 403},
		"a bare subject":     {claimsFor(r.Origin(), time.Hour, "a@example.cl"), nil, 403},
		"mailto twice":       {claimsFor(r.Origin(), time.Hour, "mailto:mailto:a@example.cl"), nil, 403},
		"plain http":         {claimsFor(r.Origin(), time.Hour, "http://example.cl"), nil, 403},
		"no expiry":          {`{"aud":"` + r.Origin() + `","sub":"mailto:a@example.cl"}`, nil, 403},
		"no JSON":            {"aud", nil, 403},
		"no authorization":   {fine, func(h http.Header) { h.Del("Authorization") }, 401},
		"another scheme":     {fine, func(h http.Header) { h.Set("Authorization", "Bearer x") }, 401},
		"two authorizations": {fine, func(h http.Header) { h.Add("Authorization", "vapid t=a, k=b") }, 401},
		"two tokens":         {fine, func(h http.Header) { h.Set("Authorization", h.Get("Authorization")+", t=a") }, 401},
		"the key of another": {fine, func(h http.Header) {
			h.Set("Authorization", strings.Replace(h.Get("Authorization"), k.public, other.public, 1))
		}, 403},
		"no key": {fine, func(h http.Header) { h.Set("Authorization", strings.Replace(h.Get("Authorization"), k.public, "", 1)) }, 403},
		"a key that is none": {fine, func(h http.Header) {
			h.Set("Authorization", strings.Replace(h.Get("Authorization"), k.public, "AAAA", 1))
		}, 403},
		"not signed": {fine, func(h http.Header) {
			h.Set("Authorization", "vapid t="+k.sign(t, `{"alg":"none"}`, fine)+", k="+k.public)
		}, 403},
		"a signature cut off": {fine, func(h http.Header) {
			h.Set("Authorization", strings.Replace(h.Get("Authorization"), ", k=", "AA, k=", 1))
		}, 403},
		"two parts":             {fine, func(h http.Header) { h.Set("Authorization", "vapid t=a.b, k="+k.public) }, 403},
		"not base64":            {fine, func(h http.Header) { h.Set("Authorization", "vapid t=a.*.b, k="+k.public) }, 403},
		"no TTL":                {fine, func(h http.Header) { h.Del("TTL") }, 400},
		"a negative TTL":        {fine, func(h http.Header) { h.Set("TTL", "-1") }, 400},
		"two TTL":               {fine, func(h http.Header) { h.Add("TTL", "1") }, 400},
		"no encoding":           {fine, func(h http.Header) { h.Del("Content-Encoding") }, 415},
		"an old encoding":       {fine, func(h http.Header) { h.Set("Content-Encoding", "aesgcm") }, 415},
		"a topic of 32":         {fine, func(h http.Header) { h.Set("Topic", strings.Repeat("a", 32)) }, 201},
		"a topic of 33":         {fine, func(h http.Header) { h.Set("Topic", strings.Repeat("a", 33)) }, 400},
		"a topic of no letter":  {fine, func(h http.Header) { h.Set("Topic", "a+b") }, 400},
		"an empty topic":        {fine, func(h http.Header) { h.Set("Topic", "") }, 400},
		"two topics":            {fine, func(h http.Header) { h.Set("Topic", "a"); h.Add("Topic", "b") }, 400},
		"an urgency of its own": {fine, func(h http.Header) { h.Set("Urgency", "urgent") }, 400},
		"little urgency":        {fine, func(h http.Header) { h.Set("Urgency", "very-low") }, 201},
	} {
		req := pushRequest(t, r, k, c.claims)
		if c.change != nil {
			c.change(req.Header)
		}
		if status := answered(t, req); status != c.status {
			t.Errorf("%s: status %d, want %d", name, status, c.status)
		}
	}
}

func answered(t testing.TB, req *http.Request) int {
	t.Helper()
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

func TestOtherRefusals(t *testing.T) {
	k := newVAPIDKeys(t)
	r := listenPush(t, ReceiverOptions{Clock: clockwork.NewFakeClockAt(pushStart), Key: k.public})
	fine := claimsFor(r.Origin(), time.Hour, "mailto:a@example.cl")
	for name, c := range map[string]struct {
		change func(*http.Request)
		status int
	}{
		"fine":           {func(*http.Request) {}, 201},
		"another method": {func(q *http.Request) { q.Method = "PUT" }, 405},
		"unknown":        {func(q *http.Request) { q.URL.Path += "x" }, 404},
		"unsubscribed":   {func(q *http.Request) { r.Unsubscribe(q.URL.String()) }, 410},
		"too long": {func(q *http.Request) {
			q.Body, q.ContentLength = io.NopCloser(bytes.NewReader(make([]byte, maxPush+1))), maxPush+1
		}, 413},
		"not for it": {func(q *http.Request) { q.Body, q.ContentLength = io.NopCloser(bytes.NewReader(make([]byte, 200))), 200 }, 400},
		"nothing":    {func(q *http.Request) { q.Body, q.ContentLength = http.NoBody, 0 }, 400},
		"of another server": {func(q *http.Request) {
			other := newVAPIDKeys(t)
			q.Header.Set("Authorization", "vapid t="+other.sign(t, `{"alg":"ES256"}`, fine)+", k="+other.public)
		}, 403},
	} {
		req := pushRequest(t, r, k, fine)
		c.change(req)
		if status := answered(t, req); status != c.status {
			t.Errorf("%s: status %d, want %d", name, status, c.status)
		}
	}
	if len(r.Notes()) != 1 || r.Requests() != 8 {
		t.Errorf("%d notes of %d requests", len(r.Notes()), r.Requests())
	}
}

func TestNotesAreBoundedAndTopicsReplace(t *testing.T) {
	r, k := listenPush(t, ReceiverOptions{Keep: 5}), newVAPIDKeys(t)
	endpoint, p256dh, auth := r.NewBrowser()
	same := func(topic string) func(*webpush.Options, *webpush.Subscription) {
		return func(o *webpush.Options, to *webpush.Subscription) {
			o.Topic = topic
			*to = webpush.Subscription{Endpoint: endpoint, Keys: webpush.Keys{P256dh: p256dh, Auth: auth}}
		}
	}
	for i, topic := range []string{"x", "x", "a", "", "a", "", "b"} {
		if status := k.post(t, r, strconv.Itoa(i), same(topic)); status != 201 || len(r.Notes()) != min(i+1, 5) {
			t.Fatalf("status %d, %d notes", status, len(r.Notes()))
		}
	}
	list := func(notes []Note) (text string) {
		for _, n := range notes {
			text += string(n.Payload)
		}
		return text
	}
	if got := list(r.Notes()); got != "65432" {
		t.Errorf("notes %s", got)
	}
	if got := list(r.Shown()); got != "6543" {
		t.Errorf("shown %s", got)
	}
	if k.post(t, r, "7", func(o *webpush.Options, _ *webpush.Subscription) { o.Topic = "a" }); list(r.Shown()) != "76543" {
		t.Errorf("the topic of another browser: %s", list(r.Shown()))
	}
}

func TestPushFaults(t *testing.T) {
	r, k := listenPush(t, ReceiverOptions{}), newVAPIDKeys(t)
	endpoint, _, _ := r.NewBrowser()
	r.Fail(PushFault{Status: 503, RetryAfter: "7", Calls: 2})
	r.Fail(PushFault{Status: 410, Endpoint: endpoint})
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
	r.Fail(PushFault{Status: 429, RetryAfter: "7", Location: "/x", Accept: true, Calls: 1})
	before := len(r.Notes())
	if status := k.post(t, r, "x", nil); status != 429 || len(r.Notes()) != before+1 {
		t.Errorf("taken before the fault: %d", status)
	}
	defer func() {
		if recover() == nil {
			t.Error("a fault without a status was taken")
		}
	}()
	r.Fail(PushFault{Kind: PushStatus})
}

func TestFaultsOfTheConnection(t *testing.T) {
	r := listenPush(t, ReceiverOptions{})
	endpoint, _, _ := r.NewBrowser()
	r.Fail(PushFault{Kind: PushReset, Calls: 1})
	r.Fail(PushFault{Kind: PushHang, Calls: 2})
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

func TestListenPushSaysWhatFails(t *testing.T) {
	if _, err := ListenPush(ReceiverOptions{Address: "192.0.2.1:1"}); err == nil {
		t.Error("it listens at an address of nobody")
	}
}

func FuzzOpen(f *testing.F) {
	key, err := ecdh.P256().NewPrivateKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		f.Fatal(err)
	}
	b := &browser{key: key}
	f.Add(sealFor(f, b, "hola\x02\x00", 2048))
	f.Add(sealFor(f, b, "\x00\x00", 2048))
	f.Add(make([]byte, headerSize+tagSize+1))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		text, err := b.open(body)
		if err == nil && len(text)+headerSize+tagSize+1 > len(body) {
			t.Errorf("%d bytes out of %d", len(text), len(body))
		}
		if s, err := parseSealed(body); err == nil && (len(s.record) > int(s.recordSize) || len(s.salt) != saltSize) {
			t.Errorf("%+v", s)
		}
	})
}

func FuzzSender(f *testing.F) {
	k := newVAPIDKeys(f)
	r := &Receiver{origin: "http://127.0.0.1:9", clock: clockwork.NewFakeClockAt(pushStart)}
	fine := claimsFor(r.origin, time.Hour, "mailto:a@example.cl")
	good := "vapid t=" + k.sign(f, `{"alg":"ES256"}`, fine) + ", k=" + k.public
	f.Add(good, fine)
	f.Add("vapid t=a.b.c, k="+k.public, `{"aud":null,"exp":1e400}`)
	f.Add("vapid k=,t", `{"aud":"http://127.0.0.1:9","exp":1e300,"sub":"mailto:"}`)
	f.Fuzz(func(t *testing.T, header, claims string) {
		if refused := r.checkSender(http.Header{"Authorization": {header}}); refused == nil && !strings.Contains(header, "vapid ") {
			t.Errorf("%q is taken", header)
		}
		checkClaims([]byte(claims), r.origin, pushStart)
	})
}
