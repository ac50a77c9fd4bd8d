package store

// ledgers is the ledger of the provider client, whose form only the client knows:
// keyLedger → JSON.
var ledgers = table[[]byte]{name: []byte("usage")}

// SaveLedger keeps the ledger.
func (s *Store) SaveLedger(ledger []byte) error {
	return s.update("save the ledger", func(t *Tx) error { return ledgers.put(t, keyLedger, &ledger) })
}

// Ledger returns the ledger as it was saved last, ErrNotFound when it never was.
func (s *Store) Ledger() (ledger []byte, err error) {
	err = s.view("read the ledger", func(t *Tx) error {
		kept, err := ledgers.get(t, keyLedger)
		if err == nil {
			ledger = *kept
		}
		return err
	})
	return ledger, err
}
