package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
)

// The first two pages of a bbolt file, as far as they must be known before bbolt
// maps it: a reference beyond the end of a mapped file ends the process.
const (
	pageHeadLen  = 16
	metaLen      = 64 // with its checksum
	boltMagic    = 0xED0CDAED
	noFreelist   = ^uint64(0)
	initialPages = 4 // the pages of a file that bbolt has just made
)

// boltMeta is the part of a meta page that a file's state follows from.
type boltMeta struct {
	pageSize uint32
	root     uint64
	freelist uint64
	pages    uint64 // how many the file must have
	txid     uint64
}

// condition is the state of a file by its first pages.
type condition int

const (
	usable condition = iota
	// oneMeta: one of the two meta pages is lost. bbolt goes on from the other, as
	// after a power cut, and the next commit writes the lost one anew.
	oneMeta
	// uninitialized: never brought into use. It is empty, or has fewer than four pages,
	// all zero or with the meta pages of the first transactions: what a first start on a
	// full disk leaves.
	uninitialized
)

// look returns the condition of a file that nobody writes meanwhile: a DamagedError when it
// is foreign, shorter than it must be, or its pages do not hang together.
func look(ctx context.Context, path string, file *os.File) (condition, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	head := make([]byte, min(info.Size(), initialPages*pageSize))
	if _, err := file.ReadAt(head, 0); err != nil {
		return 0, fmt.Errorf("read the first pages: %w", err)
	}
	found, wrong := classify(head, info.Size())
	if meta, valid := newestMeta(head); wrong == nil && found != uninitialized && valid > 0 {
		wrong = walkPages(ctx, file, meta)
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if wrong != nil {
		return 0, &DamagedError{Path: path, Cause: wrong}
	}
	return found, nil
}

// classify returns a file's condition by its first pages and its size.
func classify(head []byte, size int64) (found condition, wrong error) {
	small := size < initialPages*pageSize
	if small && size%pageSize == 0 && len(bytes.Trim(head, "\x00")) == 0 {
		return uninitialized, nil
	}
	meta, valid := newestMeta(head)
	switch {
	case valid == 0 && small:
		return 0, fmt.Errorf("%d bytes without a valid first page", size)
	case valid == 0:
		return 0, errors.New("neither of the first pages is valid")
	case small && meta.txid <= 1:
		return uninitialized, nil
	case uint64(size)/uint64(meta.pageSize) < meta.pages:
		return 0, fmt.Errorf("cut short: %d bytes of %d pages", size, meta.pages)
	case meta.freelist == noFreelist:
		// bbolt would rewrite such a file at once, and this program makes none.
		return 0, errors.New("a bbolt file of another program")
	case valid == 1 && meta.pageSize == pageSize:
		return oneMeta, nil
	}
	return usable, nil
}

// newestMeta returns the valid meta page of the latest transaction, and how many of
// the two are valid.
func newestMeta(head []byte) (newest boltMeta, valid int) {
	for offset := 0; offset < 2*pageSize && offset+pageHeadLen+metaLen <= len(head); offset += pageSize {
		m, ok := parseMeta(head[offset+pageHeadLen:])
		if !ok {
			continue
		}
		if valid++; valid == 1 || m.txid > newest.txid {
			newest = m
		}
	}
	return newest, valid
}

func parseMeta(b []byte) (boltMeta, bool) {
	order := binary.NativeEndian
	sum := fnv.New64a()
	_, _ = sum.Write(b[:metaLen-8])
	m := boltMeta{
		pageSize: order.Uint32(b[8:]),
		root:     order.Uint64(b[16:]),
		freelist: order.Uint64(b[32:]),
		pages:    order.Uint64(b[40:]),
		txid:     order.Uint64(b[48:]),
	}
	valid := order.Uint32(b) == boltMagic && m.pageSize > 0 && sum.Sum64() == order.Uint64(b[metaLen-8:])
	return m, valid
}
