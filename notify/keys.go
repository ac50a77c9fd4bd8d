package notify

import (
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
	"slices"
	"time"

	"github.com/SherClockHolmes/webpush-go"
	"github.com/jonboulle/clockwork"

	"vigia/store"
	"vigia/store/subscription"
)

// Keys are the secrets of the service: one from which tokens are derived, and the
// pair by which push services know it (RFC 8292). They are in a file beside the
// store and never in it, so that a stolen store yields no token that works.
type Keys struct {
	Fresh        bool      // they were made just now
	Tightened    bool      // a file of keys was open to other users, and is not any more
	Made         time.Time // zero where an earlier version made them
	VAPIDPublic  string    // base64url without padding of the uncompressed point, 65 bytes
	VAPIDPrivate string    // base64url without padding, 32 bytes
	Before       []*Keys   // the keys before these whose files are kept, newest first

	secret  [32]byte
	clock   clockwork.Clock
	leaked  bool  // others may have them: no token of theirs is accepted
	unread  error // a file of the keys before them that cannot be read
	unknown bool  // they stand for keys that cannot be read: any token may be one of theirs
}

// An operator rotates the keys by giving their file one of these endings: the next start
// makes others.
const (
	previousKeys = ".previous" // their tokens are accepted for previousLife
	leakedKeys   = ".leaked"   // their tokens are not accepted any more
)

// previousLife is how long the tokens of the keys before are accepted, since the present
// keys were made.
const previousLife = month

// keyFile is the file's form.
type keyFile struct {
	Version int    `json:"version"`
	Secret  string `json:"clave"`
	Public  string `json:"vapid_publica"`
	Private string `json:"vapid_privada"`
	Made    string `json:"creada,omitempty"` // RFC 3339; since version 2
	Sum     string `json:"suma"`             // of the above, against damage
}

const keyFileVersion = 2

// base64url is strict, so that a token has one spelling.
var base64url = base64.RawURLEncoding.Strict()

// OpenKeys reads the keys from their file, and makes both when there is none. A
// file that cannot be read or is damaged is an error and stays as it is: other
// keys would make every link in every mail useless, and every push subscription.
// A file that other users may read is closed to them; when that fails it is refused.
// Files of the keys before them are read where they lie beside it. One that cannot be
// read is left out, which the notifier logs.
func OpenKeys(path string, clock clockwork.Clock) (*Keys, error) {
	k, err := openKeys(path)
	if errors.Is(err, fs.ErrNotExist) {
		var text []byte
		if k, text, err = newKeys(clock.Now()); err == nil {
			k.Fresh, err = true, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), store.WriteFile(path, text)) // before they are used
		}
	}
	if err != nil {
		return nil, fmt.Errorf("keys in %s: %w", path, err)
	}
	k.clock = clock
	k.openBefore(path)
	return k, nil
}

// openBefore reads the keys before these.
func (k *Keys) openBefore(path string) {
	for _, ending := range []string{previousKeys, leakedKeys} {
		old, err := openKeys(path + ending)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			k.unread = errors.Join(k.unread, fmt.Errorf("keys in %s: %w", path+ending, err))
		case old.secret != k.secret: // the same are a copy: nothing was rotated
			old.leaked, k.Tightened = ending == leakedKeys, k.Tightened || old.Tightened
			k.Before = append(k.Before, old)
		}
	}
	slices.SortStableFunc(k.Before, func(a, b *Keys) int { return b.Made.Compare(a.Made) })
}

// accepted returns the keys whose tokens are accepted: these, and those before them in
// their time.
func (k *Keys) accepted() []*Keys {
	list := []*Keys{k}
	for _, old := range k.Before {
		if !old.leaked && k.clock.Now().Before(k.Made.Add(previousLife)) {
			list = append(list, old)
		}
	}
	return list
}

// since returns by which keys a browser is reached that subscribed at an instant: 0 for
// these, 1 and on for those before them. A subscription by Web Push is bound to the keys
// of its time; where their file is no more the nearest are used.
func (k *Keys) since(subscribed time.Time) (at int) {
	for made := k.Made; at < len(k.Before) && subscribed.Before(made); at++ {
		made = k.Before[at].Made
	}
	return at
}

// KeysWithoutStore reads the keys for a service that runs without its store. When they
// cannot be read it returns others that are kept nowhere, since a file of new keys would
// lie beside the store that is restored. Those accept any token: it is answered as the
// missing store has it.
func KeysWithoutStore(path string, clock clockwork.Clock) (*Keys, error) {
	if _, err := openKeys(path); err == nil {
		return OpenKeys(path, clock)
	}
	k, _, err := newKeys(clock.Now())
	if err != nil {
		return nil, fmt.Errorf("make keys: %w", err)
	}
	k.clock, k.unknown = clock, true
	return k, nil
}

// openKeys reads one file of keys.
func openKeys(path string) (*Keys, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	text, err := os.ReadFile(path) // #nosec G304 -- a file of the folder of data
	if err != nil {
		return nil, err
	}
	k, err := parseKeys(text)
	if err != nil {
		return nil, fmt.Errorf("%w; restore the file from a copy: new keys would make the links in all mails useless, and all push subscriptions", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(path, 0o600); err != nil {
			return nil, fmt.Errorf("open to other users, and cannot be closed to them: %w", err)
		}
		k.Tightened = true
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
	k := &Keys{VAPIDPublic: f.Public, VAPIDPrivate: f.Private}
	secret, err := base64url.DecodeString(f.Secret)
	if !hmac.Equal([]byte(f.Sum), []byte(f.sum())) || err != nil || copy(k.secret[:], secret) != len(k.secret) {
		return nil, errors.New("damaged: its checksum or its secret is wrong")
	}
	if f.Made != "" {
		if k.Made, err = time.Parse(time.RFC3339Nano, f.Made); err != nil {
			return nil, errors.New("damaged: when it was made is no time")
		}
	}
	return k, nil
}

func (f *keyFile) sum() string {
	text := fmt.Appendf(nil, "%d\n%s\n%s\n%s", f.Version, f.Secret, f.Public, f.Private)
	if f.Version > 1 {
		text = append(text, "\n"+f.Made...)
	}
	sum := sha256.Sum256(text)
	return base64url.EncodeToString(sum[:12])
}

// newKeys returns new keys, and as they are in their file.
func newKeys(now time.Time) (*Keys, []byte, error) {
	private, public, err := webpush.GenerateVAPIDKeys()
	if err != nil {
		return nil, nil, err
	}
	var secret [32]byte
	rand.Read(secret[:]) // never fails
	f := keyFile{
		Version: keyFileVersion, Secret: base64url.EncodeToString(secret[:]), Public: public, Private: private,
		Made: now.UTC().Format(time.RFC3339Nano),
	}
	f.Sum = f.sum()
	text, err := json.MarshalIndent(&f, "", "\t")
	if err != nil {
		return nil, nil, err
	}
	k, err := parseKeys(text)
	return k, append(text, '\n'), err
}

// mac returns HMAC-SHA256 of a purpose and of parts, each with its length before it
// when there are several, so that no two lists of parts have the same.
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

// Token returns the token by which a subscription is managed and cancelled, 43
// characters. It is derived anew for every mail, and kept nowhere.
func (k *Keys) Token(id subscription.ID) string {
	return base64url.EncodeToString(append(id[:], k.mac("baja", id[:])[:16]...))
}

// ID returns the subscription of a management token; ok is false for any other text.
func (k *Keys) ID(token string) (id subscription.ID, ok bool) {
	raw, ok := decodeToken(token)
	copy(id[:], raw[:])
	ours := func(k *Keys) bool { return k.unknown || hmac.Equal(raw[16:], k.mac("baja", id[:])[:16]) }
	if !ok || !slices.ContainsFunc(k.accepted(), ours) {
		return subscription.ID{}, false
	}
	return id, true
}

// decodeToken returns the bytes of a token; ok is false for a text that is not a token's
// only spelling (the decoder would skip ends of lines).
func decodeToken(token string) (raw [32]byte, ok bool) {
	if len(token) != base64url.EncodedLen(len(raw)) {
		return raw, false
	}
	n, err := base64url.Decode(raw[:], []byte(token))
	return raw, err == nil && n == len(raw)
}

// Confirmation returns the confirmation token that belongs to a nonce, 43 characters,
// and its hash, which is kept. A mail that goes out twice carries the same token.
func (k *Keys) Confirmation(nonce [16]byte) (token string, h subscription.Hash) {
	raw := k.mac("confirmar", nonce[:])
	return base64url.EncodeToString(raw), sha256.Sum256(raw)
}

// ConfirmationHash returns the hash under which a confirmation token would be found;
// false for a text that cannot be one.
func (k *Keys) ConfirmationHash(token string) (subscription.Hash, bool) {
	raw, ok := decodeToken(token)
	if !ok {
		return subscription.Hash{}, false
	}
	return sha256.Sum256(raw[:]), true
}

// Confirmed returns the confirmation token that belongs to a nonce and has a hash; ok is
// false where no accepted keys made it.
func (k *Keys) Confirmed(nonce [16]byte, h subscription.Hash) (token string, ok bool) {
	for _, by := range k.accepted() {
		if token, made := by.Confirmation(nonce); made == h {
			return token, true
		}
	}
	return "", false
}

// AddressKey returns what stands for a mailbox ([subscription.Mailbox]) where the
// address must not be kept.
func (k *Keys) AddressKey(mailbox string) (key subscription.AddressKey) {
	copy(key[:], k.mac("direccion", []byte(mailbox)))
	return key
}

// AddressKeys returns all keys under which a mailbox may be found: its AddressKey, and
// those of the keys before, leaked or not.
func (k *Keys) AddressKeys(mailbox string) []subscription.AddressKey {
	list := []subscription.AddressKey{k.AddressKey(mailbox)}
	for _, old := range k.Before {
		list = append(list, old.AddressKey(mailbox))
	}
	return list
}

// mark returns a name by which these keys differ from others.
func (k *Keys) mark() string { return base64url.EncodeToString(k.mac("marca")[:16]) }

// Ref returns a stable name of 22 characters of base64url for parts that must not be
// seen in it.
func (k *Keys) Ref(parts ...[]byte) string {
	return base64url.EncodeToString(k.mac("nombre", parts...)[:16])
}
