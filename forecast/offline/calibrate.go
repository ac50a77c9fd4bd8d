package offline

import (
	"context"
	"fmt"

	"vigia/forecast"
	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/store/settings"
)

// Calibrate tells how often the rules would have given which state.
func Calibrate(ctx context.Context, s *settings.Settings, t Terminal) error {
	parks, err := Catalogue(s)
	if err != nil {
		return err
	}
	clock := t.Clock
	first, last, err := s.Span(clock.Now())
	if err != nil {
		return err
	}
	file, err := Open(s, clock, t.Log)
	if err != nil {
		return err
	}
	defer file.Close()
	archive, err := openmeteo.New(openmeteo.Options{
		BaseURL: s.HistoryURL, Key: s.ProviderKey, UserAgent: t.UserAgent, Clock: clock,
		Ledger: Ledger(clock, Limits(s), file, t.Log), Log: t.Log,
	})
	if err != nil {
		return err
	}
	question := forecast.Calibration{
		Archive: archive, Catalogue: parks, Rules: hazard.DefaultRules(), Models: s.Models,
		First: first, Last: last, Clock: clock, Progress: forecast.Bar(t.Errs),
	}
	fmt.Fprintf(t.Errs, "peso para el proveedor: %.0f; su servicio gratuito admite %.0f al día\n", question.Weight(), openmeteo.FreeLimits.Day)
	rates, err := forecast.Calibrate(ctx, question)
	switch {
	case err != nil:
		return err
	case s.CSV:
		return rates.WriteCSV(t.Out)
	}
	return rates.WriteTable(t.Out)
}
