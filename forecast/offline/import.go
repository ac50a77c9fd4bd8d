package offline

import (
	"context"
	"fmt"

	"vigia/forecast"
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
	"vigia/store/notices"
	"vigia/store/settings"
)

// Imports takes in a file whole, or names everything that is wrong with it.
func Imports(_ context.Context, s *settings.Settings, t Terminal) error {
	parks, err := Catalogue(s)
	if err != nil {
		return err
	}
	if s.Args[0] == "observaciones" {
		return observations(s, t, parks)
	}
	kind, _ := notices.KindOf(s.Args[0])
	document, err := notices.Load(s.Args[1])
	if err != nil {
		return err
	}
	batch, err := notices.Read(kind, document, parks, t.Clock.Now())
	if err != nil {
		return err
	}
	file, err := Open(s, t.Clock, t.Log)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.SaveNotices(batch); err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "%s: %d notices of %s, in place of all that were known\n", s.Args[1], batch.Len(), kind)
	return nil
}

// observations takes in what came of the weather, for the verification log.
func observations(s *settings.Settings, t Terminal, parks *catalogue.Catalogue) error {
	data, err := forecast.LoadObservations(s.Args[1])
	if err != nil {
		return err
	}
	file, err := Open(s, t.Clock, t.Log)
	if err != nil {
		return err
	}
	defer file.Close()
	done, err := forecast.Observations{
		Store: file, Catalogue: parks, Rules: hazard.DefaultRules(), Log: t.Log, Now: t.Clock.Now(), Name: s.Args[1], Data: data,
	}.Import()
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "%s: %d observations; %d days of a trail compared, %d without an estimate in the log\n", s.Args[1], done.Rows, done.Compared, done.Without)
	return nil
}
