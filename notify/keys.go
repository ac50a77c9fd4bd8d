package notify

import (
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"vigia/store/subscription"
)

// Keys are the secrets of the service: one from which tokens are made, and the
// pair by which push services know us (RFC 8292). They are in a file beside the
// store and never in it, so that a stolen store yields no token that works.
type Keys struct {
	Fresh        bool   // they were made just now: nothing that older keys made is known any more
	Tightened    bool   // the file was open to other users, and is not any more
	VAPIDPublic  string // base64url without padding of the uncompressed point, 65 bytes
	VAPIDPrivate string // base64url without padding, 32 bytes

	secret [32]byte
}

// keyFile is the file's form.
type keyFile struct {
	Version int    `json:"version"`
	Secret  string `json:"clave"`
	Public  string `json:"vapid_publica"`
	Private string `json:"vapid_privada"`
	Sum     string `json:"suma"` // of the above, against damage
}

const keyFileVersion = 1

// base64url is strict, so that a token has one spelling.
var base64url = base64.RawURLEncoding.Strict()

// OpenKeys reads the keys from their file, and makes both when there is none. A
// file that cannot be read or is damaged is an error and stays as it is: other
// keys would make every link in every mail useless, and every push subscription.
// A file that other users may read is closed to them; when that fails it is refused.
func OpenKeys(path string) (*Keys, error) {
	k, err := openKeys(path)
	if err != nil {
		return nil, fmt.Errorf("keys in %s: %w", path, err)
	}
	return k, nil
}

func openKeys(path string) (*Keys, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKeys(path)
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	k, err := readKeys(path)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(path, 0o600); err != nil {
			return nil, fmt.Errorf("open to other users, and cannot be closed to them: %w", err)
		}
		k.Tightened = true
	}
	return k, nil
}

func readKeys(path string) (*Keys, error) {
	text, err := os.ReadFile(path) // #nosec G304 -- a file of the folder of data
	if err != nil {
		return nil, err
	}
	k, err := parseKeys(text)
	if err != nil {
		return nil, fmt.Errorf("%w; restore the file from a copy: new keys would make the links in all mails useless, and all push subscriptions", err)
	}
	return k, nil
}

func parseKeys(text []byte) (*Keys, error) {
	var f keyFile
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, errors.New("damaged: not in the form of a key file")
	}
	if f.Version > keyFileVersion {
		return nil, fmt.Errorf("version %d, and this program knows %d; update it", f.Version, keyFileVersion)
	}
	if !hmac.Equal([]byte(f.Sum), []byte(f.sum())) {
		return nil, errors.New("damaged: its checksum is wrong")
	}
	k := &Keys{VAPIDPublic: f.Public, VAPIDPrivate: f.Private}
	secret, err := base64url.DecodeString(f.Secret)
	if err != nil || len(secret) != len(k.secret) {
		return nil, errors.New("damaged: the secret is not of 32 bytes")
	}
	copy(k.secret[:], secret)
	if public, err := publicOf(f.Private); err != nil || public != f.Public {
		return nil, errors.New("damaged: the pair for Web Push does not belong together")
	}
	return k, nil
}

func (f *keyFile) sum() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s\n%s", f.Version, f.Secret, f.Public, f.Private))
	return base64url.EncodeToString(sum[:12])
}

func publicOf(private string) (string, error) {
	raw, err := base64url.DecodeString(private)
	if err != nil {
		return "", err
	}
	key, err := ecdh.P256().NewPrivateKey(raw)
	if err != nil {
		return "", err
	}
	return base64url.EncodeToString(key.PublicKey().Bytes()), nil
}

// makeKeys makes new keys and brings them to stable storage before anything is
// made with them. When another process was first, its keys count.
func makeKeys(path string) (*Keys, error) {
	pair, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	var secret [32]byte
	rand.Read(secret[:]) // never fails
	f := keyFile{
		Version: keyFileVersion, Secret: base64url.EncodeToString(secret[:]),
		Public: base64url.EncodeToString(pair.PublicKey().Bytes()), Private: base64url.EncodeToString(pair.Bytes()),
	}
	f.Sum = f.sum()
	text, err := json.MarshalIndent(&f, "", "\t")
	if err != nil {
		return nil, err
	}
	made, err := placeKeys(path, append(text, '\n'))
	if err != nil {
		return nil, fmt.Errorf("make them: %w", err)
	}
	k, err := readKeys(path)
	if err != nil {
		return nil, err
	}
	k.Fresh = made
	return k, nil
}

// placeKeys writes the file under another name and gives it its name only when it
// is whole, never in place of another. It tells whether it was the first.
func placeKeys(path string, text []byte) (bool, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, err
	}
	file, err := os.CreateTemp(dir, filepath.Base(path)+".new-*") // mode 0600
	if err != nil {
		return false, err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.Write(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return false, err
	}
	made := true
	if err := os.Link(file.Name(), path); err != nil {
		// Some file systems of memory cards have no links.
		if _, there := os.Lstat(path); there == nil {
			made = false
		} else if err := os.Rename(file.Name(), path); err != nil {
			return false, err
		}
	}
	d, err := os.Open(dir) // #nosec G304 -- the folder of data
	if err != nil {
		return false, err
	}
	return made, errors.Join(d.Sync(), d.Close())
}

// mac gives HMAC-SHA256 of a purpose and of parts, each with its length before it
// when there are several, so that no two lists of parts look alike.
func (k *Keys) mac(purpose string, parts ...[]byte) []byte {
	m := hmac.New(sha256.New, k.secret[:])
	m.Write([]byte(purpose))
	for _, p := range parts {
		if len(parts) > 1 {
			m.Write(binary.BigEndian.AppendUint32(nil, uint32(len(p))))
		}
		m.Write(p)
	}
	return m.Sum(nil)
}

// Token gives the token by which a subscription is managed and cancelled, 43
// characters. It can be made again for every mail, and is kept nowhere.
func (k *Keys) Token(id subscription.ID) string {
	return base64url.EncodeToString(append(id[:], k.mac("baja", id[:])[:16]...))
}

// ID gives the subscription of a management token; false for what is none of ours.
func (k *Keys) ID(token string) (id subscription.ID, ok bool) {
	raw, ok := decodeToken(token)
	copy(id[:], raw[:])
	if !hmac.Equal(raw[16:], k.mac("baja", id[:])[:16]) || !ok {
		return subscription.ID{}, false
	}
	return id, true
}

// decodeToken gives the bytes of a token; false for a text that is no token's only
// spelling (the decoder would pass over ends of lines).
func decodeToken(token string) (raw [32]byte, ok bool) {
	if len(token) != base64url.EncodedLen(len(raw)) {
		return raw, false
	}
	n, err := base64url.Decode(raw[:], []byte(token))
	return raw, err == nil && n == len(raw)
}

// Confirmation gives the confirmation token that belongs to a nonce, 43 characters,
// and what of it is kept. A mail that goes out twice carries the same token.
func (k *Keys) Confirmation(nonce [16]byte) (token string, h subscription.Hash) {
	raw := k.mac("confirmar", nonce[:])
	return base64url.EncodeToString(raw), sha256.Sum256(raw)
}

// ConfirmationHash gives the hash under which a confirmation token would be found;
// false for a text that cannot be one.
func (k *Keys) ConfirmationHash(token string) (subscription.Hash, bool) {
	raw, ok := decodeToken(token)
	if !ok {
		return subscription.Hash{}, false
	}
	return sha256.Sum256(raw[:]), true
}

// AddressKey gives what stands for a mailbox ([subscription.Mailbox]) where the
// address must not be kept.
func (k *Keys) AddressKey(mailbox string) (key subscription.AddressKey) {
	copy(key[:], k.mac("direccion", []byte(mailbox)))
	return key
}

// mark tells these keys from others, and nothing of them.
func (k *Keys) mark() string { return base64url.EncodeToString(k.mac("marca")[:16]) }

// Ref gives a stable name of 22 characters of base64url for parts that are not to
// be seen in it.
func (k *Keys) Ref(parts ...[]byte) string {
	return base64url.EncodeToString(k.mac("nombre", parts...)[:16])
}
