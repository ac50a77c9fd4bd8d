package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// How the pages of a bbolt file hang together is verified before bbolt maps it. On a
// page that leads back to one above it, or a list of free pages that claims to be longer
// than it is, bbolt takes all memory or overflows the stack, which ends the process and
// cannot be recovered from. Of a count that turned over it drops records.
const (
	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10

	elementLen     = 16 // of a branch or a leaf
	bucketElement  = 0x01
	bucketLen      = 16 // root and sequence
	longFreelist   = 0xFFFF
	largestBolt    = 1 << 16 // pages of bbolt are no larger
	firstDataPages = 2       // before them are the metas
)

// pageWalk visits every page that can be reached, once.
type pageWalk struct {
	file io.ReaderAt
	meta boltMeta
	seen []bool
	page []byte // the one being looked at, with its overflow
	left []uint64
}

// walkPages returns an error unless a file's pages hang together. The file has
// as many pages as its meta says.
func walkPages(file io.ReaderAt, meta boltMeta) error {
	if meta.pageSize > largestBolt || meta.pageSize < metaLen+pageHeadLen {
		return fmt.Errorf("pages of %d bytes", meta.pageSize)
	}
	w := &pageWalk{file: file, meta: meta, seen: make([]bool, meta.pages), left: []uint64{meta.root}}
	if err := w.freelist(); err != nil {
		return fmt.Errorf("the list of free pages: %w", err)
	}
	for len(w.left) > 0 {
		id := w.left[len(w.left)-1]
		w.left = w.left[:len(w.left)-1]
		err := w.read(id)
		if err == nil {
			err = w.tree(w.page, false)
		}
		if err != nil {
			return fmt.Errorf("page %d: %w", id, err)
		}
	}
	return nil
}

// read reads a page with its overflow and notes that it was reached.
func (w *pageWalk) read(id uint64) error {
	if id < firstDataPages || id >= w.meta.pages {
		return errors.New("the file has no such page")
	}
	order, at := binary.NativeEndian, int64(id)*int64(w.meta.pageSize)
	head := make([]byte, pageHeadLen)
	if _, err := w.file.ReadAt(head, at); err != nil {
		return fmt.Errorf("read: %w", err)
	}
	said, pages := order.Uint64(head), 1+uint64(order.Uint32(head[12:]))
	if said != id || pages > w.meta.pages-id {
		return fmt.Errorf("it says to be page %d, of %d pages", said, pages)
	}
	for i := id; i < id+pages; i++ {
		if w.seen[i] {
			return errors.New("it is reached by two ways")
		}
		w.seen[i] = true
	}
	length := int(pages) * int(w.meta.pageSize)
	w.page = slices.Grow(w.page[:0], length)[:length]
	if _, err := w.file.ReadAt(w.page, at); err != nil {
		return fmt.Errorf("read: %w", err)
	}
	return nil
}

// freelist looks at the list of free pages: that it is no longer than its pages, and
// names pages that there are.
func (w *pageWalk) freelist() error {
	if err := w.read(w.meta.freelist); err != nil {
		return err
	}
	order, ids := binary.NativeEndian, w.page[pageHeadLen:]
	if kind := order.Uint16(w.page[8:]); kind != freelistPage {
		return fmt.Errorf("a page of kind %x", kind)
	}
	count := uint64(order.Uint16(w.page[10:]))
	if count == longFreelist {
		count, ids = order.Uint64(ids), ids[8:]
	}
	if count > uint64(len(ids)/8) {
		return fmt.Errorf("%d entries", count)
	}
	for ids = ids[:8*count]; len(ids) > 0; ids = ids[8:] {
		if id := order.Uint64(ids); id < firstDataPages || id >= w.meta.pages {
			return fmt.Errorf("page %d is not one of the file's", id)
		}
	}
	return nil
}

// tree looks at a branch or a leaf and notes where it leads. What its elements tell of
// lies one after another behind them, as bbolt writes it. A bucket that is small has
// its only leaf inline, as its value, without buckets of its own.
func (w *pageWalk) tree(page []byte, inline bool) error {
	if len(page) < pageHeadLen {
		return errors.New("a small bucket without a page")
	}
	order := binary.NativeEndian
	kind, count := order.Uint16(page[8:]), uint64(order.Uint16(page[10:]))
	if kind != leafPage && (kind != branchPage || inline) {
		return fmt.Errorf("a page of kind %x", kind)
	}
	next := pageHeadLen + count*elementLen // where what the next element tells of begins
	if next > uint64(len(page)) {
		return fmt.Errorf("%d elements", count)
	}
	for at := uint64(pageHeadLen); at < pageHeadLen+count*elementLen; at += elementLen {
		e := page[at:][:elementLen]
		flags, offset, key, value := uint32(0), order.Uint32(e), order.Uint32(e[4:]), uint32(0)
		if kind == branchPage {
			w.left = append(w.left, order.Uint64(e[8:]))
		} else {
			flags, offset, key, value = order.Uint32(e), order.Uint32(e[4:]), order.Uint32(e[8:]), order.Uint32(e[12:])
		}
		if at+uint64(offset) != next {
			return errors.New("an element does not follow the one before it")
		}
		if next += uint64(key) + uint64(value); next > uint64(len(page)) {
			return errors.New("an element ends beyond it")
		}
		switch {
		case flags == 0:
		case flags != bucketElement || inline:
			return fmt.Errorf("an element of kind %x", flags)
		default:
			if err := w.bucket(page[next-uint64(value) : next]); err != nil {
				return err
			}
		}
	}
	return nil
}

// bucket looks at the value of a bucket, and notes where it leads.
func (w *pageWalk) bucket(value []byte) error {
	if len(value) < bucketLen {
		return errors.New("a bucket without a root")
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		w.left = append(w.left, root)
		return nil
	}
	return w.tree(value[bucketLen:], true)
}
