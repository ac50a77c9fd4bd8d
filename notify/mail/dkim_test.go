package mail

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-msgauth/dkim"

	"vigia/notify/mail/mailtest"
	"vigia/notify/message"
)

// ed25519PEM is a key made for these tests, and used nowhere else.
const ed25519PEM = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIPEZCuuDQ2PIH1RDbMl92DIb8Vsqz2j7B26aHomVq1pU\n-----END PRIVATE KEY-----\n"

func pemOf(t testing.TB, kind string, key any) string {
	t.Helper()
	var der []byte
	var err error
	if kind == "RSA PRIVATE KEY" {
		der = x509.MarshalPKCS1PrivateKey(key.(*rsa.PrivateKey))
	} else if der, err = x509.MarshalPKCS8PrivateKey(key); err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func rsaPEM(t testing.TB, bits int) string {
	t.Helper()
	t.Setenv("GODEBUG", "rsa1024min=0") // to make one that must be refused
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return pemOf(t, "RSA PRIVATE KEY", key)
}

func ecdsaPEM(t testing.TB) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return pemOf(t, "PRIVATE KEY", key)
}

// record returns the DNS record that belongs to a key.
func record(t testing.TB, key string) string {
	t.Helper()
	signer, err := parseKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if public, ok := signer.Public().(*rsa.PublicKey); ok {
		der, err := x509.MarshalPKIXPublicKey(public)
		if err != nil {
			t.Fatal(err)
		}
		return "v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(der)
	}
	return "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(signer.Public().(ed25519.PublicKey))
}

// verify checks the signatures of a letter as a receiver would.
func verify(t testing.TB, raw []byte, key string) error {
	t.Helper()
	found, err := dkim.VerifyWithOptions(bytes.NewReader(raw), &dkim.VerifyOptions{LookupTXT: func(domain string) ([]string, error) {
		if domain != "s2026._domainkey.vigia.example.cl" {
			return nil, fmt.Errorf("no such name %s", domain)
		}
		return []string{record(t, key)}, nil
	}})
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return fmt.Errorf("%d signatures", len(found))
	}
	if found[0].Err == nil && found[0].Domain != "vigia.example.cl" {
		return fmt.Errorf("signed by %s", found[0].Domain)
	}
	return found[0].Err
}

func TestSignatures(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, leastRSA)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"Ed25519": ed25519PEM, "RSA PKCS1": pemOf(t, "RSA PRIVATE KEY", key), "RSA PKCS8": pemOf(t, "PRIVATE KEY", key)} {
		t.Run(name, func(t *testing.T) {
			m := openMailbox(t, mailtest.Options{})
			s := senderTo(t, m, func(o *Options) { o.DKIMKey, o.DKIMSelector = text, "s2026" })
			var wg sync.WaitGroup
			for i := range 8 { // one signer for all goroutines
				wg.Go(func() {
					b := looks(t)[slices.Sorted(maps.Keys(looks(t)))[i%5]]
					if r := s.Send(t.Context(), b, ana); r.Verdict != message.Delivered {
						t.Error(r)
					}
				})
			}
			wg.Wait()
			for _, l := range m.Mails() {
				if err := verify(t, l.Raw, text); err != nil {
					t.Errorf("%s: %v", l.Subject, err)
				}
			}
		})
	}
}

// TestSignatureCovers: whoever changes or adds what matters breaks the signature.
func TestSignatureCovers(t *testing.T) {
	m := openMailbox(t, mailtest.Options{})
	s := senderTo(t, m, func(o *Options) { o.DKIMKey, o.DKIMSelector = ed25519PEM, "s2026" })
	if r := s.Send(t.Context(), news(t), ana); r.Verdict != message.Delivered {
		t.Fatal(r)
	}
	raw := string(m.Mails()[0].Raw)
	if err := verify(t, []byte(raw), ed25519PEM); err != nil {
		t.Fatal(err)
	}
	change := func(old, new string) string {
		t.Helper()
		changed := strings.Replace(raw, old, new, 1)
		if changed == raw {
			t.Fatalf("the mail has no %q", old)
		}
		return changed
	}
	broken := map[string]string{
		"the link to cancel": change("/baja/Q", "/baja/R"),
		"one-click":          change("List-Unsubscribe=One-Click", "List-Unsubscribe=Two-Click"),
		"List-Id":            change("<alertas.vigia", "<alertas.otra"),
		"Auto-Submitted":     change("auto-generated", "no"),
		"Message-ID":         change("<"+ref, "<B"+ref[1:]),
		"Date":               change("Date: ", "Date: Mon, 01 Jan 2024 00:00:00 +0000\r\nX-Date: "),
		"References":         change("References: <T", "References: <U"),
		"In-Reply-To":        change("In-Reply-To: <T", "In-Reply-To: <U"),
		"MIME-Version":       change("MIME-Version: 1.0", "MIME-Version: 1.1"),
		"Content-Type":       change("multipart/alternative", "multipart/mixed"),
		"Subject":            change("Viento", "Brisa"),
		"To":                 change("To: <ana", "To: <eva"),
		"From":               change("From: =?utf-8?q?Vig=C3=ADa?=", "From: Otro"),
		"the body":           change("95 km/h", "15 km/h"),
	}
	for _, second := range []string{"From: x@example.org", "Subject: otro", "To: x@example.org", "Reply-To: x@example.org"} {
		broken["a second "+second+" before"] = second + "\r\n" + raw
		broken["a second "+second+" after"] = change("\r\nFrom: ", "\r\n"+second+"\r\nFrom: ")
	}
	for what, mail := range broken {
		if err := verify(t, []byte(mail), ed25519PEM); err == nil {
			t.Errorf("%s can be changed", what)
		}
	}
	// The control: what is not signed may change.
	if err := verify(t, []byte("Received: from somewhere\r\n"+raw), ed25519PEM); err != nil {
		t.Error(err)
	}
}
