package simulate

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	saltSize   = 16
	pointSize  = 65
	headerSize = saltSize + 4 + 1 + pointSize
	tagSize    = 16
	minRecord  = tagSize + 2 // RFC 8188: a record has at least one byte beside tag and delimiter
)

// sealed is a message taken apart.
type sealed struct {
	salt       []byte
	recordSize uint32
	sender     *ecdh.PublicKey
	record     []byte
}

// parseSealed reads the header of RFC 8188 as RFC 8291 narrows it: the key id is
// the sender's key, and there is a single record.
func parseSealed(body []byte) (*sealed, error) {
	if len(body) < headerSize {
		return nil, errors.New("the header is cut off")
	}
	s := &sealed{salt: body[:saltSize], recordSize: binary.BigEndian.Uint32(body[saltSize:]), record: body[headerSize:]}
	if n := body[saltSize+4]; n != pointSize {
		return nil, fmt.Errorf("the key id has %d bytes, not %d", n, pointSize)
	}
	var err error
	if s.sender, err = ecdh.P256().NewPublicKey(body[headerSize-pointSize : headerSize]); err != nil {
		return nil, errors.New("the key id is not a point of P-256")
	}
	switch n := len(s.record); {
	case s.recordSize < minRecord:
		return nil, fmt.Errorf("a record size of %d is too small", s.recordSize)
	case n < tagSize+1:
		return nil, errors.New("the record is cut off")
	case uint64(n) > uint64(s.recordSize):
		return nil, errors.New("there is more than one record")
	}
	return s, nil
}

// open decrypts a message (RFC 8291, section 3.4) and takes its padding off.
func (b *browser) open(body []byte) ([]byte, error) {
	s, err := parseSealed(body)
	if err != nil {
		return nil, err
	}
	secret, err := b.key.ECDH(s.sender)
	if err != nil {
		return nil, fmt.Errorf("agree on a key: %w", err)
	}
	gcm, nonce, err := b.cipher(secret, s)
	if err != nil {
		return nil, err
	}
	plain, err := gcm.Open(nil, nonce, s.record, nil)
	if err != nil {
		return nil, errors.New("the message was not made for this browser, or was changed")
	}
	end := len(plain) - 1
	for end >= 0 && plain[end] == 0 {
		end--
	}
	if end < 0 || plain[end] != 2 {
		return nil, errors.New("the padding does not begin with the delimiter of the last record")
	}
	return plain[:end], nil
}

// cipher derives the keys of a message.
func (b *browser) cipher(secret []byte, s *sealed) (gcm cipher.AEAD, nonce []byte, err error) {
	info := "WebPush: info\x00" + string(b.key.PublicKey().Bytes()) + string(s.sender.Bytes())
	ikm, err := hkdf.Key(sha256.New, secret, b.auth[:], info, sha256.Size)
	if err != nil {
		return nil, nil, err
	}
	key, err := hkdf.Key(sha256.New, ikm, s.salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, nil, err
	}
	if nonce, err = hkdf.Key(sha256.New, ikm, s.salt, "Content-Encoding: nonce\x00", 12); err != nil {
		return nil, nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, nil, err
	}
	gcm, err = cipher.NewGCM(block)
	return gcm, nonce, err
}
