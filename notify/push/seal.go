package push

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"vigia/store/subscription"
)

const (
	// recordSize is what we say of our records: Firefox for Android refuses 4,096.
	recordSize = 2048
	// fullRecord and shortRecord are how long the plain text of a record is made, so
	// that the length of a message tells nothing of it.
	fullRecord  = 640
	shortRecord = 448

	saltSize   = 16
	pointSize  = 65
	headerSize = saltSize + 4 + 1 + pointSize // RFC 8188, section 2.1
	tagSize    = 16

	lastRecord = 2 // delimiter between the text and the padding of the last record

	// longestTTL is 28 days: push services refuse more.
	longestTTL = 28 * 24 * time.Hour
)

// request makes the request of a message, but for its Authorization.
func (s *Sender) request(ctx context.Context, to *address, n *notification, payload []byte, record int) (*http.Request, error) {
	padded := make([]byte, max(record, len(payload)+1))
	copy(padded, payload)
	padded[len(payload)] = lastRecord
	body, err := seal(padded, to.target)
	if err != nil {
		return nil, err
	}
	ttl := min(max(n.expires.Sub(s.clock.Now().Round(0)), 0), longestTTL)
	urgency := "normal"
	if n.urgent {
		urgency = "high"
	}
	r := &http.Request{
		Method: http.MethodPost, URL: to.url, Host: to.url.Host, ContentLength: int64(len(body)),
		Body: io.NopCloser(bytes.NewReader(body)),
		Header: http.Header{
			"Content-Encoding": {"aes128gcm"},
			"Content-Type":     {"application/octet-stream"},
			"Topic":            {n.topic},
			"Ttl":              {strconv.Itoa(int(ttl / time.Second))},
			"Urgency":          {urgency},
			"User-Agent":       {"vigia"},
		},
		// The transport asks again on a connection that died before it took anything.
		GetBody: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil },
	}
	return r.WithContext(ctx), nil
}

// seal encrypts a padded record for a browser with a key and a salt of its own.
func seal(padded []byte, t *subscription.Target) ([]byte, error) {
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key for a message: %w", err)
	}
	var salt [saltSize]byte
	rand.Read(salt[:]) // never fails
	return sealWith(own, salt, padded, t, recordSize)
}

// sealWith encrypts by RFC 8291, section 3.4, into the header and the single record
// of RFC 8188.
func sealWith(own *ecdh.PrivateKey, salt [saltSize]byte, padded []byte, t *subscription.Target, size uint32) ([]byte, error) {
	browser, err := ecdh.P256().NewPublicKey(t.Key[:])
	if err != nil {
		return nil, fmt.Errorf("key of the browser: %w", err)
	}
	secret, err := own.ECDH(browser)
	if err != nil {
		return nil, fmt.Errorf("agree on a key with the browser: %w", err)
	}
	point := own.PublicKey().Bytes()
	key, nonce, err := derive(secret, t, point, salt[:])
	if err != nil {
		return nil, fmt.Errorf("derive the key of a message: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("cipher of a message: %w", err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("cipher of a message: %w", err)
	}
	sealed := make([]byte, 0, headerSize+len(padded)+tagSize)
	sealed = append(sealed, salt[:]...)
	sealed = binary.BigEndian.AppendUint32(sealed, size)
	sealed = append(sealed, pointSize)
	sealed = append(sealed, point...)
	return gcm.Seal(sealed, nonce, padded, nil), nil
}

// derive gives the content encryption key and the nonce of a message.
func derive(secret []byte, t *subscription.Target, point, salt []byte) (key, nonce []byte, err error) {
	info := make([]byte, 0, len("WebPush: info\x00")+2*pointSize)
	info = append(info, "WebPush: info\x00"...)
	info = append(info, t.Key[:]...)
	info = append(info, point...)
	ikm, err := hkdf.Key(sha256.New, secret, t.Auth[:], string(info), sha256.Size)
	if err != nil {
		return nil, nil, err
	}
	prk, err := hkdf.Extract(sha256.New, ikm, salt)
	if err != nil {
		return nil, nil, err
	}
	if key, err = hkdf.Expand(sha256.New, prk, "Content-Encoding: aes128gcm\x00", 16); err != nil {
		return nil, nil, err
	}
	if nonce, err = hkdf.Expand(sha256.New, prk, "Content-Encoding: nonce\x00", 12); err != nil {
		return nil, nil, err
	}
	return key, nonce, nil
}
