package cli

import (
	"context"
	"fmt"
	"net/url"
	"os"

	"vigia/handlers/cli/control"
	"vigia/store"
	"vigia/store/catalogue"
)

// ImportObservations compares observations of the weather with the verification log of a
// file, and returns what came of it. name is that of the document, for faults.
type ImportObservations func(file *store.Store, parks *catalogue.Catalogue, name string, data []byte) (report string, err error)

// Import takes in a document whole, or names everything that is wrong with it.
func Import(ctx context.Context, env *Env, observations ImportObservations) error {
	kind, name := env.Args[0], env.Args[1]
	data, err := os.ReadFile(name) // #nosec G304 -- the operator names it on the command line
	switch {
	case err != nil:
		return fmt.Errorf("read the document: %w", err)
	case len(data) > control.MaxDocument:
		return fmt.Errorf("%s has %d bytes, and at most %d can be imported at once", name, len(data), control.MaxDocument)
	}
	request := noticesRequest
	if kind == "observaciones" {
		request = observationsRequest
	}
	alone := env.alone()
	alone.ImportObservations = observations
	return env.ask(ctx, alone, request, url.Values{paramKind: {kind}, paramName: {name}}, data)
}
