package store

import (
	"bytes"

	"go.etcd.io/bbolt"
)

// SaveLedger keeps the ledger of the provider client, whose form only the client knows.
func (s *Store) SaveLedger(ledger []byte) error {
	value := seal(append(unsealed(len(ledger)), ledger...))
	return s.update("save the ledger", func(tx *bbolt.Tx) error { return tx.Bucket(bucketUsage).Put(keyLedger, value) })
}

// Ledger returns the ledger as it was saved last, ErrNotFound when it never was.
func (s *Store) Ledger() (ledger []byte, err error) {
	err = s.view("read the ledger", func(tx *bbolt.Tx) error {
		value := tx.Bucket(bucketUsage).Get(keyLedger)
		if value == nil {
			return ErrNotFound
		}
		payload, err := unseal(value)
		if err != nil {
			return damagedValue(s.path, "ledger", err)
		}
		ledger = bytes.Clone(payload)
		return nil
	})
	return ledger, err
}
