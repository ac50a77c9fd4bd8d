package cli

import (
	"time"

	"vigia/store"
	"vigia/store/catalogue"
)

// Calibrate calls run with the open file, which has the count of the provider's weight,
// the catalogue, and the first and last day that the settings name.
func Calibrate(env *Env, run func(file *store.Store, parks *catalogue.Catalogue, first, last time.Time) error) error {
	parks, err := env.LoadCatalogue()
	if err != nil {
		return err
	}
	first, last, err := env.Span(env.Clock.Now())
	if err != nil {
		return err
	}
	file, err := env.OpenFile()
	if err != nil {
		return err
	}
	defer file.Close()
	return run(file, parks, first, last)
}
