package store

import (
	"bytes"
	"crypto/rand"
	"errors"

	"go.etcd.io/bbolt"

	"vigia/store/subscription"
)

// Browsers that have yet to prove that they are reached: SHA-256 of a push endpoint →
// JSON.
var proofs = table[subscription.Proof]{name: []byte("proofs"), check: checkProof, counted: countProof, personal: true}

// maxProofs limits them. Beyond it the next one takes the place of one at random. Whoever
// asks for thousands mostly loses their own; a browser needs its own for seconds only.
const maxProofs = 10_000

// ProofKey is the key under which the proof of a push endpoint is found.
func ProofKey(endpoint string) subscription.Hash { return subscription.Hash(endpointKey(endpoint)) }

// Proof returns the proof that an endpoint still owes, ErrNotFound when it owes none.
func (t *Tx) Proof(key subscription.Hash) (*subscription.Proof, error) { return proofs.get(t, key[:]) }

func checkProof(key []byte, p *subscription.Proof) error {
	if !bytes.Equal(key, endpointKey(p.Target.Endpoint)) {
		return errors.New("the proof of another endpoint")
	}
	return checkPreferences(&p.Preferences)
}

// PutProof keeps the proof that an endpoint owes, new or changed.
func (t *Tx) PutProof(p *subscription.Proof) error {
	key := endpointKey(p.Target.Endpoint)
	if bucket := t.bucket(proofs.name); bucket.Get(key) == nil {
		if err := t.makeRoom(bucket); err != nil {
			return err
		}
	}
	return proofs.put(t, key, p)
}

// makeRoom drops a proof at random when there are too many.
func (t *Tx) makeRoom(bucket *bbolt.Bucket) error {
	if t.store.memory.counted(counter{kind: countProofs}) < maxProofs {
		return nil
	}
	var at subscription.Hash
	rand.Read(at[:]) // never fails
	cursor := bucket.Cursor()
	key, _ := cursor.Seek(at[:])
	if key == nil {
		key, _ = cursor.First()
	}
	if len(key) != len(at) {
		return nil
	}
	return t.DropProof(subscription.Hash(key))
}

// DropProof erases the proof that an endpoint owes, if it owes one.
func (t *Tx) DropProof(key subscription.Hash) error {
	_, err := proofs.drop(t, key[:])
	return err
}
