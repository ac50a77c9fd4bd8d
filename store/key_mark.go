package store

// KeyMark gives the mark of the keys that the tokens of this file were made with,
// "" when there is none or it is damaged.
func (t *Tx) KeyMark() string {
	payload, err := unseal(t.tx.Bucket(bucketMeta).Get(keyKeys))
	if err != nil {
		return ""
	}
	return string(payload)
}

// PutKeyMark keeps it.
func (t *Tx) PutKeyMark(mark string) error {
	return putChanged(t.tx.Bucket(bucketMeta), keyKeys, seal(append(unsealed(len(mark)), mark...)))
}
