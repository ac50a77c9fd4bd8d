package cli

import (
	"context"
	"fmt"
	"io"
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
	data, err := readDocument(name)
	if err != nil {
		return err
	}
	request := noticesRequest
	if kind == "observaciones" {
		request = observationsRequest
	}
	alone := env.alone()
	alone.ImportObservations = observations
	return env.ask(ctx, alone, request, url.Values{paramKind: {kind}, paramName: {name}}, data)
}

// readDocument reads as much of a file as the control socket takes.
func readDocument(name string) ([]byte, error) {
	file, err := os.Open(name) // #nosec G304 -- the operator names it on the command line
	if err != nil {
		return nil, fmt.Errorf("open the document: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, control.MaxDocument))
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	return data, nil
}
