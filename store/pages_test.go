package store

import (
	"encoding/binary"
	"os"
	"testing"
)

// pagesOf lists the pages of a kind in a file's bytes.
func pagesOf(content []byte, kind uint16) (at []int) {
	meta, _ := newestMeta(content)
	for id := firstDataPages; id < int(meta.pages); id++ {
		head := content[id*pageSize:]
		if binary.NativeEndian.Uint64(head) == uint64(id) && binary.NativeEndian.Uint16(head[8:]) == kind {
			at = append(at, id*pageSize)
		}
	}
	return at
}

// bbolt would take all the memory of the machine for these, or end the process.
func TestPagesThatLeadNowhereAreRefused(t *testing.T) {
	path, content := lastingStore(t)
	order := binary.NativeEndian
	meta, _ := newestMeta(content)
	branches, free := pagesOf(content, branchPage), int(meta.freelist)*pageSize
	if len(branches) == 0 {
		t.Fatal("the file has no branch to change")
	}
	each := func(do func(branch int)) { // those that are free do no harm
		for _, branch := range branches {
			do(branch)
		}
	}
	root := int(meta.root) * pageSize
	for name, spoil := range map[string]func(b []byte){
		"pages that lead to themselves": func(b []byte) {
			each(func(branch int) { order.PutUint64(b[branch+pageHeadLen+8:], uint64(branch/pageSize)) })
		},
		"pages that lead to the root": func(b []byte) {
			each(func(branch int) { order.PutUint64(b[branch+pageHeadLen+8:], meta.root) })
		},
		"pages that lead out of the file": func(b []byte) {
			each(func(branch int) { order.PutUint64(b[branch+pageHeadLen+8:], meta.pages) })
		},
		"more elements than there is room": func(b []byte) {
			each(func(branch int) { order.PutUint16(b[branch+10:], 60_000) })
		},
		"an overflow past the end": func(b []byte) { order.PutUint32(b[root+12:], 1<<30) },
		"a value past the end":     func(b []byte) { order.PutUint32(b[root+pageHeadLen+12:], 1<<31) },
		"a page of no kind":        func(b []byte) { order.PutUint16(b[root+8:], 7) },
		"another page's number":    func(b []byte) { order.PutUint64(b[root:], 1) },
		"more free pages than fit": func(b []byte) { order.PutUint16(b[free+10:], 5000) },
		"a list of free pages without end": func(b []byte) {
			order.PutUint16(b[free+10:], longFreelist)
			order.PutUint64(b[free+pageHeadLen:], 1<<40)
		},
		"a free page beyond the file": func(b []byte) {
			order.PutUint16(b[free+10:], 1)
			order.PutUint64(b[free+pageHeadLen:], meta.pages)
		},
	} {
		spoilt := append([]byte(nil), content...)
		spoil(spoilt)
		must(t, os.WriteFile(path, spoilt, 0o600))
		t.Log(name)
		wantDamaged(t, refused(t, path))
	}
	must(t, os.WriteFile(path, content, 0o600))
	openStore(t, path)
}
