// Package storetest opens stores for tests in which durability is not what is tested.
package storetest

import "vigia/store"

// Open is [store.Open] for a file of which nothing is brought to stable storage: a commit
// takes no time on any disk.
func Open(path string, o store.Options) (*store.Store, error) {
	o.NoSync = true
	return store.Open(path, o)
}
