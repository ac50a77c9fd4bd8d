package mail

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	gomail "github.com/wneessen/go-mail"
)

// signedHeaders are covered by the signature. RFC 8058 requires both of one-click,
// which go-mail's own list leaves out. Those that a mail lacks are signed as
// lacking: nobody can add them.
var signedHeaders = []string{
	"From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type", "Content-Language", "References", "In-Reply-To",
	"List-Id", "List-Unsubscribe", "List-Unsubscribe-Post", "Auto-Submitted", "Reply-To",
}

// oversignedHeaders are signed once more than they occur, so that a second one
// breaks the signature.
var oversignedHeaders = []string{"From", "To", "Subject"}

const leastRSA = 2048 // bits

// newSigner returns the signer of all mails, tried once. The trial also fixes
// what the signer decides at its first signature, so that many goroutines may share
// it from then on.
func newSigner(o *Options, domain string) (*gomail.DKIMSigner, error) {
	key, err := parseKey(o.DKIMKey)
	if err != nil {
		return nil, err
	}
	signer := gomail.NewDKIMSigner(domain, o.DKIMSelector, key)
	signer.SignHeaders(signedHeaders...)
	signer.OversignHeaders(oversignedHeaders...)
	signer.NowFunc = o.Clock.Now
	if _, err := signer.Sign([]byte("From: <a@example.org>\r\n"), []byte("\r\n")); err != nil {
		return nil, fmt.Errorf("trying the key: %w", err)
	}
	return signer, nil
}

// sign signs a mail.
//
// The signer of go-mail 0.8.1 folds a tag that is longer than a line in its middle
// and signs it unfolded: with more than a few headers in the list no signature
// verifies. So its signature is folded anew, and goes into the message as a header.
func (s *Sender) sign(l *Mail) error {
	raw, err := s.Raw(l)
	if err != nil {
		return err
	}
	end := bytes.Index(raw, []byte("\r\n\r\n")) + len("\r\n") // every mail has headers and a body
	signature, err := s.dkim.Sign(raw[:end], raw[end+len("\r\n"):])
	if err != nil {
		return err
	}
	l.signature = folded(signature)
	return nil
}

// folded returns the value of a signature's header, folded where nothing that is
// signed changes: at the space before each tag, and anywhere in the last tag's value.
func folded(signature string) string {
	_, value, _ := strings.Cut(strings.ReplaceAll(strings.TrimSuffix(signature, "\r\n"), "\r\n ", ""), ": ")
	end := strings.Index(value, "; b=") + len("; b=")
	text := strings.ReplaceAll(value[:end], "; ", ";\r\n ")
	for chunk := range slices.Chunk([]byte(value[end:]), 72) {
		text += "\r\n " + string(chunk)
	}
	return text
}

// parseKey reads a private key in PEM, PKCS #8 or PKCS #1. Errors never quote it.
func parseKey(text string) (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("the key is not in PEM (-----BEGIN PRIVATE KEY-----)")
	}
	if block.Type != "PRIVATE KEY" && block.Type != "RSA PRIVATE KEY" {
		return nil, fmt.Errorf("the PEM holds a %q, not a private key without a passphrase", block.Type)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if block.Type == "RSA PRIVATE KEY" {
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("the key cannot be read: %w", err)
	}
	switch key := key.(type) {
	case ed25519.PrivateKey:
		return key, nil
	case *rsa.PrivateKey:
		if key.N.BitLen() < leastRSA {
			return nil, fmt.Errorf("the RSA key has %d bits, at least %d are required", key.N.BitLen(), leastRSA)
		}
		return key, nil
	default:
		return nil, fmt.Errorf("a %T cannot sign mail: RSA or Ed25519 is required", key)
	}
}
