package pushtest

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

// The header of RFC 8188 as RFC 8291 narrows it: salt, record size, length of the key id,
// and the sender's key as the key id.
const (
	saltSize   = 16
	pointSize  = 65
	headerSize = saltSize + 4 + 1 + pointSize
	tagSize    = 16
)

// open decrypts a message of a single record (RFC 8291, section 3.4) and takes its
// padding off.
func (b *browser) open(body []byte) ([]byte, error) {
	if len(body) <= headerSize+tagSize || body[saltSize+4] != pointSize {
		return nil, errors.New("the message is cut off, or its key id is not a point")
	}
	salt, record := body[:saltSize], body[headerSize:]
	if uint64(len(record)) > uint64(binary.BigEndian.Uint32(body[saltSize:])) {
		return nil, errors.New("there is more than one record")
	}
	sender, err := ecdh.P256().NewPublicKey(body[headerSize-pointSize : headerSize])
	if err != nil {
		return nil, errors.New("the key id is not a point of P-256")
	}
	secret, err := b.key.ECDH(sender)
	if err != nil {
		return nil, fmt.Errorf("agree on a key: %w", err)
	}
	info := "WebPush: info\x00" + string(b.key.PublicKey().Bytes()) + string(sender.Bytes())
	ikm, err1 := hkdf.Key(sha256.New, secret, b.auth[:], info, sha256.Size)
	key, err2 := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: aes128gcm\x00", 16)
	nonce, err3 := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: nonce\x00", 12)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	plain, err := gcm.Open(nil, nonce, record, nil)
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
