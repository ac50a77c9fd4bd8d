package push

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/notify/bulletin"
	"vigia/store/subscription"
)

func unbase64(t testing.TB, text string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// example are the values of RFC 8291, section 5 and appendix A.
var example = struct{ plain, sender, public, private, salt, auth, key, nonce, body string }{
	plain:   "When I grow up, I want to be a watermelon",
	sender:  "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
	public:  "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
	private: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
	salt:    "DGv6ra1nlYgDCS1FRnbzlw",
	auth:    "BTBZMqHH6r4Tts7J_aSIgg",
	key:     "oIhVW04MRdy2XN9CiKLxTg",
	nonce:   "4h_95klXJ5E_qnoN",
	body: "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_" +
		"yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
}

func exampleTarget(t *testing.T) *subscription.Target {
	t.Helper()
	to := &subscription.Target{}
	copy(to.Key[:], unbase64(t, example.public))
	copy(to.Auth[:], unbase64(t, example.auth))
	return to
}

func TestSealGivesTheExampleOfTheRFC(t *testing.T) {
	own, err := ecdh.P256().NewPrivateKey(unbase64(t, example.sender))
	if err != nil {
		t.Fatal(err)
	}
	to := exampleTarget(t)
	got, err := sealWith(own, [saltSize]byte(unbase64(t, example.salt)), []byte(example.plain+"\x02"), to, 4096)
	if err != nil || !bytes.Equal(got, unbase64(t, example.body)) {
		t.Errorf("%v\n%s\n%s", err, base64.RawURLEncoding.EncodeToString(got), example.body)
	}
	browser, err := ecdh.P256().NewPublicKey(to.Key[:])
	if err != nil {
		t.Fatal(err)
	}
	secret, err := own.ECDH(browser)
	if err != nil {
		t.Fatal(err)
	}
	key, nonce, err := derive(secret, to, own.PublicKey().Bytes(), unbase64(t, example.salt))
	if err != nil || !bytes.Equal(key, unbase64(t, example.key)) || !bytes.Equal(nonce, unbase64(t, example.nonce)) {
		t.Errorf("key %x, nonce %x, %v", key, nonce, err)
	}
}

// openByTheRFC opens a message by the steps of RFC 8291, section 3.4, written out
// with nothing but HMAC.
func openByTheRFC(t testing.TB, browser *ecdh.PrivateKey, auth, body []byte) (text []byte, record uint32) {
	t.Helper()
	mac := func(key []byte, parts ...[]byte) []byte {
		h := hmac.New(sha256.New, key)
		h.Write(bytes.Join(parts, nil))
		return h.Sum(nil)
	}
	salt, size, length := body[:16], binary.BigEndian.Uint32(body[16:20]), body[20]
	senderPublic, sealed := body[21:21+int(length)], body[21+int(length):]
	sender, err := ecdh.P256().NewPublicKey(senderPublic)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := browser.ECDH(sender)
	if err != nil {
		t.Fatal(err)
	}
	ikm := mac(mac(auth, secret), []byte("WebPush: info\x00"), browser.PublicKey().Bytes(), senderPublic, []byte{1})
	prk := mac(salt, ikm)
	key := mac(prk, []byte("Content-Encoding: aes128gcm\x00\x01"))[:16]
	nonce := mac(prk, []byte("Content-Encoding: nonce\x00\x01"))[:12]
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := gcm.Open(nil, nonce, sealed, nil)
	if err != nil {
		t.Fatal(err)
	}
	plain = bytes.TrimRight(plain, "\x00")
	if len(plain) == 0 || plain[len(plain)-1] != 2 {
		t.Fatalf("padding of %q", plain)
	}
	return plain[:len(plain)-1], size
}

func TestOpenByTheRFC(t *testing.T) {
	browser, err := ecdh.P256().NewPrivateKey(unbase64(t, example.private))
	if err != nil {
		t.Fatal(err)
	}
	if got, size := openByTheRFC(t, browser, unbase64(t, example.auth), unbase64(t, example.body)); string(got) != example.plain || size != 4096 {
		t.Errorf("%q in records of %d", got, size)
	}
}

// browserOf makes a browser's keys and the target that it gives to the site.
func browserOf(t testing.TB, endpoint string) (*ecdh.PrivateKey, *subscription.Target) {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	to := &subscription.Target{Endpoint: endpoint, Key: [65]byte(key.PublicKey().Bytes())}
	rand.Read(to.Auth[:])
	return key, to
}

func TestRequestsOpenAndTellNothingByTheirLength(t *testing.T) {
	s := testSender(t, clockwork.NewFakeClockAt(start), nil)
	key, target := browserOf(t, "http://127.0.0.1:1/x")
	to, err := s.address(target)
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]bool{}
	for _, size := range []int{0, 1, 100, maxPayload - 1, fullRecord - 1, fullRecord, 1200} {
		payload := bytes.Repeat([]byte("a"), size)
		shared := append(payload[:size:size], "what follows in memory"...)
		r, err := s.request(t.Context(), to, &notification{topic: "t", expires: start}, shared[:size], fullRecord)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(string(shared), "what follows in memory") {
			t.Fatal("the caller's slice was written to")
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		if want := headerSize + max(fullRecord, size+1) + tagSize; len(body) != want || int(r.ContentLength) != want {
			t.Errorf("%d bytes become %d, said to be %d, want %d", size, len(body), r.ContentLength, want)
		}
		text, record := openByTheRFC(t, key, target.Auth[:], body)
		if !bytes.Equal(text, payload) || record != 2048 {
			t.Errorf("%d bytes come out as %d, in records of %d", size, len(text), record)
		}
		bodies[string(body[:headerSize])] = true
		again, err := r.GetBody()
		if err != nil {
			t.Fatal(err)
		}
		if second, err := io.ReadAll(again); err != nil || !bytes.Equal(body, second) {
			t.Errorf("a second reading differs: %v", err)
		}
	}
	if len(bodies) != 7 {
		t.Errorf("%d salts and keys for 7 messages", len(bodies))
	}
}

func TestHeaders(t *testing.T) {
	s := testSender(t, clockwork.NewFakeClockAt(start), nil)
	_, target := browserOf(t, "http://127.0.0.1:1/x")
	to, err := s.address(target)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		life    time.Duration
		urgent  bool
		ttl     string
		urgency string
	}{
		{90 * time.Second, true, "90", "high"},
		{1999 * time.Millisecond, false, "1", "normal"},
		{0, false, "0", "normal"},
		{-time.Hour, false, "0", "normal"},
		{365 * 24 * time.Hour, false, strconv.Itoa(28 * 24 * 3600), "normal"},
	} {
		r, err := s.request(t.Context(), to, &notification{topic: "abc", urgent: c.urgent, expires: start.Add(c.life)}, nil, fullRecord)
		if err != nil {
			t.Fatal(err)
		}
		want := http.Header{}
		for name, value := range map[string]string{"TTL": c.ttl, "Urgency": c.urgency, "Topic": "abc", "Content-Encoding": "aes128gcm",
			"Content-Type": "application/octet-stream", "User-Agent": "vigia"} {
			want.Set(name, value)
		}
		for name := range want {
			if r.Header.Get(name) != want.Get(name) {
				t.Errorf("%v: %s is %q, want %q", c.life, name, r.Header.Get(name), want.Get(name))
			}
		}
		if len(r.Header) != len(want) {
			t.Errorf("%v", r.Header)
		}
	}
}

func TestKeysThatAreNone(t *testing.T) {
	s := testSender(t, clockwork.NewFakeClockAt(start), nil)
	for name, key := range map[string][65]byte{"zeros": {}, "not on the curve": {4, 1, 2, 3}, "compressed": {2, 1}} {
		got := s.Send(context.Background(), news(t, alert.Danger), &subscription.Target{Endpoint: "http://127.0.0.1:1/secret", Key: key})
		if got.Verdict != bulletin.Unsendable || got.Err == nil || strings.Contains(got.Err.Error(), "secret") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
