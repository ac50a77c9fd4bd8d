package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"

	"vigia/handlers/cli/control"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/notices"
)

// ImportObservations compares observations of the weather with the verification log of a
// file, and returns what came of it. name is that of the document, for faults.
type ImportObservations func(file *store.Store, parks *catalogue.Catalogue, name string, data []byte) (report string, err error)

// Import takes in a document whole, or names everything that is wrong with it. The
// running service does it or, without one, the command itself.
func Import(ctx context.Context, env *Env, observations ImportObservations) error {
	kind, name := env.Args[0], env.Args[1]
	params := url.Values{paramKind: {kind}, paramName: {name}}
	if kind == "observaciones" {
		data, err := readObservations(name)
		if err != nil {
			return err
		}
		return env.askOr(ctx, observationsRequest, params, bytes.NewReader(data), func() (string, error) {
			parks, err := env.LoadCatalogue()
			if err != nil {
				return "", err
			}
			return env.withFile(func(file *store.Store) (string, error) { return observations(file, parks, name, data) })
		})
	}
	document, err := notices.Load(name)
	if err != nil {
		return err
	}
	return env.askOr(ctx, noticesRequest, params, bytes.NewReader(document.Data), func() (string, error) {
		parks, err := env.LoadCatalogue()
		if err != nil {
			return "", err
		}
		known, _ := notices.KindOf(kind) // settings take no other
		batch, err := notices.Read(known, document, parks, env.Clock.Now())
		if err != nil {
			return "", err
		}
		return env.withFile(func(file *store.Store) (string, error) { return describeBatch(name, batch), file.SaveNotices(batch) })
	})
}

func describeBatch(name string, batch notices.Batch) string {
	return fmt.Sprintf("%s: %d notices of %s, in place of all that were known", name, batch.Len(), batch.Kind)
}

// readObservations reads as much of a file as the control socket takes.
func readObservations(name string) ([]byte, error) {
	file, err := os.Open(name) // #nosec G304 -- the operator names it on the command line
	if err != nil {
		return nil, fmt.Errorf("open the observations: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, control.MaxDocument))
	if err != nil {
		return nil, fmt.Errorf("read the observations: %w", err)
	}
	return data, nil
}
