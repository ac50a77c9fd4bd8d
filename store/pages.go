package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// How the pages of a bbolt file hang together is verified before bbolt maps it. On a
// page that leads back to one above it, or a list of free pages that claims to be longer
// than it is, bbolt takes all memory or overflows the stack, which ends the process and
// cannot be recovered from. Of a count that turned over it drops records. Its own check
// of the pages runs in a goroutine in which no fault of memory can be caught.
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
	seen []bool // pages that were reached, or are free
	page []byte // the one being looked at, with its overflow
	left []subtree
}

// subtree is a page yet to be visited, with the keys that it may have: from the first up to
// but without the last, nil for no limit.
type subtree struct {
	page     uint64
	from, to []byte
}

// walkPages returns an error unless a file's pages hang together: each that can be reached
// is reached once and is not free, and the keys are in their order. The file has as many
// pages as its meta says.
func walkPages(ctx context.Context, file io.ReaderAt, meta boltMeta) error {
	if meta.pageSize > largestBolt || meta.pageSize < metaLen+pageHeadLen {
		return fmt.Errorf("pages of %d bytes", meta.pageSize)
	}
	w := &pageWalk{file: file, meta: meta, seen: make([]bool, meta.pages), left: []subtree{{page: meta.root}}}
	if err := w.freelist(); err != nil {
		return fmt.Errorf("the list of free pages: %w", err)
	}
	for len(w.left) > 0 && ctx.Err() == nil {
		next := w.left[len(w.left)-1]
		w.left = w.left[:len(w.left)-1]
		err := w.read(next.page)
		if err == nil {
			err = w.tree(w.page, next, false)
		}
		if err != nil {
			return fmt.Errorf("page %d: %w", next.page, err)
		}
	}
	return ctx.Err()
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
			return errors.New("it is reached by two ways, or free")
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
		} else if w.seen[id] {
			return fmt.Errorf("page %d is in use, or free twice", id)
		} else {
			w.seen[id] = true
		}
	}
	return nil
}

// tree looks at a branch or a leaf and notes where it leads. A bucket that is small has its
// only leaf inline, as its value, without buckets of its own.
func (w *pageWalk) tree(page []byte, within subtree, inline bool) error {
	if len(page) < pageHeadLen {
		return errors.New("a small bucket without a page")
	}
	order := binary.NativeEndian
	kind, count := order.Uint16(page[8:]), int(order.Uint16(page[10:]))
	if kind != leafPage && (kind != branchPage || inline) {
		return fmt.Errorf("a page of kind %x", kind)
	}
	next := pageHeadLen + count*elementLen // where what the next element tells of begins
	if next > len(page) {
		return fmt.Errorf("%d elements", count)
	}
	before := []byte(nil)
	for i := range count {
		e, err := elementOf(page, i, kind, next)
		if err != nil {
			return err
		}
		next += len(e.key) + len(e.value)
		if bytes.Compare(e.key, within.from) < 0 || i > 0 && bytes.Compare(e.key, before) <= 0 || within.to != nil && bytes.Compare(e.key, within.to) >= 0 {
			return errors.New("its keys are not in their order")
		}
		before = e.key
		switch {
		case kind == branchPage:
			w.branch(e, i, within)
		case e.flags == 0:
		case e.flags != bucketElement || inline:
			err = fmt.Errorf("an element of kind %x", e.flags)
		default:
			err = w.bucket(e.value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// element is one of a page; of a branch it leads to another page.
type element struct {
	flags      uint32
	page       uint64
	key, value []byte
}

// elementOf reads an element. What the elements tell of lies one after another behind them,
// as bbolt writes it: that of this one at next.
func elementOf(page []byte, i int, kind uint16, next int) (e element, err error) {
	order, at := binary.NativeEndian, pageHeadLen+i*elementLen
	b := page[at:][:elementLen]
	offset, key, value := order.Uint32(b), order.Uint32(b[4:]), uint32(0)
	if kind == branchPage {
		e.page = order.Uint64(b[8:])
	} else {
		e.flags, offset, key, value = order.Uint32(b), order.Uint32(b[4:]), order.Uint32(b[8:]), order.Uint32(b[12:])
	}
	if uint64(at)+uint64(offset) != uint64(next) {
		return e, errors.New("an element does not follow the one before it")
	}
	if uint64(key)+uint64(value) > uint64(len(page)-next) {
		return e, errors.New("an element ends beyond it")
	}
	e.key, e.value = page[next:][:key], page[next:][key:key+value]
	return e, nil
}

// branch notes where an element of a branch leads: its keys end where those of the next
// one begin.
func (w *pageWalk) branch(e element, i int, within subtree) {
	from := bytes.Clone(e.key)
	if i > 0 {
		w.left[len(w.left)-1].to = from
	}
	w.left = append(w.left, subtree{e.page, from, within.to})
}

// bucket looks at the value of a bucket, and notes where it leads.
func (w *pageWalk) bucket(value []byte) error {
	if len(value) < bucketLen {
		return errors.New("a bucket without a root")
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		w.left = append(w.left, subtree{page: root})
		return nil
	}
	return w.tree(value[bucketLen:], subtree{}, true)
}
