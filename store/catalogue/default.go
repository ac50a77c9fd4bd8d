package catalogue

import (
	"bytes"
	_ "embed"
	"fmt"
	"sync"
	_ "time/tzdata" // so that every machine knows the parks' zones
)

//go:embed default.json
var defaultFile []byte

var embedded struct {
	once      sync.Once
	catalogue *Catalogue
}

// DefaultFile returns the embedded catalogue as it is written, for an operator to begin
// with.
func DefaultFile() []byte { return bytes.Clone(defaultFile) }

// Default returns the embedded catalogue: every national park of Chile, and the
// reserves and monuments that are walked most. It is made once and shared.
func Default() *Catalogue {
	embedded.once.Do(func() {
		c, err := Parse("default.json", defaultFile)
		if err != nil {
			panic(fmt.Sprintf("the embedded catalogue: %v", err))
		}
		embedded.catalogue = c
	})
	return embedded.catalogue
}
