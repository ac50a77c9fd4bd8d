package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// How the pages of a bbolt file hang together is looked at before bbolt sees it: of a
// page that leads back to one above it, or of a list of free pages that says to be
// longer than it is, bbolt makes memory until the machine has none.
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
	page []byte // the one being looked at, without its overflow
	left []uint64
}

// boltPage is the head of a page.
type boltPage struct {
	id    uint64
	flags uint16
	count uint16
	bytes uint64 // with its overflow
}

// walkPages tells what is wrong with how a file's pages hang together. The file has
// all the pages that its meta tells of.
func walkPages(file io.ReaderAt, meta boltMeta) error {
	if meta.pageSize > largestBolt || meta.pageSize < metaLen+pageHeadLen {
		return fmt.Errorf("pages of %d bytes", meta.pageSize)
	}
	w := &pageWalk{file: file, meta: meta, seen: make([]bool, meta.pages), page: make([]byte, meta.pageSize), left: []uint64{meta.root}}
	if err := w.freelist(); err != nil {
		return fmt.Errorf("the list of free pages: %w", err)
	}
	for len(w.left) > 0 {
		id := w.left[len(w.left)-1]
		w.left = w.left[:len(w.left)-1]
		if err := w.visit(id); err != nil {
			return fmt.Errorf("page %d: %w", id, err)
		}
	}
	return nil
}

// enter reads a page's head and notes that it was reached.
func (w *pageWalk) enter(id uint64) (p boltPage, err error) {
	if id < firstDataPages || id >= w.meta.pages {
		return p, errors.New("the file has no such page")
	}
	if _, err := w.file.ReadAt(w.page, int64(id)*int64(w.meta.pageSize)); err != nil {
		return p, fmt.Errorf("read: %w", err)
	}
	order := binary.NativeEndian
	p = boltPage{id: order.Uint64(w.page), flags: order.Uint16(w.page[8:]), count: order.Uint16(w.page[10:])}
	pages := 1 + uint64(order.Uint32(w.page[12:]))
	if p.id != id || id+pages > w.meta.pages {
		return p, fmt.Errorf("it says to be page %d, of %d pages", p.id, pages)
	}
	p.bytes = pages * uint64(w.meta.pageSize)
	for i := id; i < id+pages; i++ {
		if w.seen[i] {
			return p, errors.New("it is reached by two ways")
		}
		w.seen[i] = true
	}
	return p, nil
}

// part gives some bytes of a page, also where they are in its overflow.
func (w *pageWalk) part(p boltPage, from, length uint64) ([]byte, error) {
	if from+length > p.bytes {
		return nil, fmt.Errorf("it ends before byte %d", from+length)
	}
	if from+length <= uint64(len(w.page)) {
		return w.page[from:][:length], nil
	}
	b := make([]byte, length)
	if _, err := w.file.ReadAt(b, int64(p.id*uint64(w.meta.pageSize)+from)); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	return b, nil
}

// freelist looks at the list of free pages: that it is no longer than its pages, and
// names pages that there are.
func (w *pageWalk) freelist() error {
	p, err := w.enter(w.meta.freelist)
	if err != nil {
		return err
	}
	if p.flags != freelistPage {
		return fmt.Errorf("a page of kind %x", p.flags)
	}
	count, at := uint64(p.count), uint64(pageHeadLen)
	if p.count == longFreelist {
		head, err := w.part(p, at, 8)
		if err != nil {
			return err
		}
		count, at = binary.NativeEndian.Uint64(head), at+8
	}
	if count > p.bytes/8 {
		return fmt.Errorf("%d entries", count)
	}
	ids, err := w.part(p, at, count*8)
	if err != nil {
		return err
	}
	for ; len(ids) > 0; ids = ids[8:] {
		if id := binary.NativeEndian.Uint64(ids); id < firstDataPages || id >= w.meta.pages {
			return fmt.Errorf("page %d is not one of the file's", id)
		}
	}
	return nil
}

// visit looks at a page of a tree and notes where it leads.
func (w *pageWalk) visit(id uint64) error {
	p, err := w.enter(id)
	if err != nil {
		return err
	}
	if p.flags != branchPage && p.flags != leafPage {
		return fmt.Errorf("a page of kind %x", p.flags)
	}
	elements, err := w.part(p, pageHeadLen, uint64(p.count)*elementLen)
	if err != nil {
		return err
	}
	for i := range uint64(p.count) {
		e := elements[i*elementLen:][:elementLen]
		if p.flags == branchPage {
			w.left = append(w.left, binary.NativeEndian.Uint64(e[8:]))
		} else if err := w.leaf(p, pageHeadLen+i*elementLen, e); err != nil {
			return err
		}
	}
	return nil
}

// leaf looks at an element of a leaf, which is within its page and may be a bucket.
func (w *pageWalk) leaf(p boltPage, at uint64, element []byte) error {
	order := binary.NativeEndian
	flags, offset := order.Uint32(element), uint64(order.Uint32(element[4:]))
	value := at + offset + uint64(order.Uint32(element[8:]))
	length := uint64(order.Uint32(element[12:]))
	if value+length > p.bytes {
		return errors.New("a value ends beyond it")
	}
	if flags&bucketElement == 0 {
		return nil
	}
	if length < bucketLen {
		return errors.New("a bucket without a root")
	}
	bucket, err := w.part(p, value, length)
	if err != nil {
		return err
	}
	if root := order.Uint64(bucket); root != 0 {
		w.left = append(w.left, root)
		return nil
	}
	return checkInline(bucket[bucketLen:])
}

// checkInline looks at a bucket so small that its page is its value: a leaf without
// buckets of its own.
func checkInline(page []byte) error {
	order := binary.NativeEndian
	if len(page) < pageHeadLen || order.Uint16(page[8:]) != leafPage {
		return errors.New("a bucket of its own that is no leaf")
	}
	elements := page[pageHeadLen:]
	count := int(order.Uint16(page[10:]))
	if count*elementLen > len(elements) {
		return errors.New("a bucket that is larger than its value")
	}
	for i := range count {
		e := elements[i*elementLen:]
		end := uint64(i*elementLen) + uint64(order.Uint32(e[4:])) + uint64(order.Uint32(e[8:])) + uint64(order.Uint32(e[12:]))
		if order.Uint32(e)&bucketElement != 0 || end > uint64(len(elements)) {
			return errors.New("a small bucket whose values are not its own")
		}
	}
	return nil
}
