package offline

import (
	"fmt"

	"vigia/forecast"
	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/notices"
	"vigia/store/settings"
)

// Parts are what the hourly cycle works with beside the settings. All are required.
type Parts struct {
	Store     *store.Store
	Catalogue *catalogue.Catalogue
	Ledger    *openmeteo.Ledger // of the provider's weight
	Publisher forecast.Publisher
	Notifier  forecast.Notifier
	Simulated bool // the weather is made up
}

// Engine makes what runs the hourly cycle of a service.
func Engine(s *settings.Settings, t Terminal, p Parts) (*forecast.Engine, error) {
	ask := func(base string) (*openmeteo.Client, error) {
		return openmeteo.New(openmeteo.Options{
			BaseURL: base, Key: s.ProviderKey, UserAgent: t.UserAgent, Clock: t.Clock, Ledger: p.Ledger, Log: t.Log,
		})
	}
	provider, err := ask(s.ProviderURL)
	if err != nil {
		return nil, err
	}
	archive, err := ask(s.ArchiveURL)
	if err != nil {
		return nil, err
	}
	return forecast.New(forecast.Options{
		Store: p.Store, Provider: provider, Archive: archive, Usage: func() openmeteo.Usage { return p.Ledger.Usage(t.Clock.Now()) },
		Catalogue: p.Catalogue, Rules: hazard.DefaultRules(), Models: s.Models, Clock: t.Clock, Log: t.Log,
		Publisher: p.Publisher, Notifier: p.Notifier, Simulated: p.Simulated, UserAgent: t.UserAgent,
		NoticeURLs: [notices.NumKinds]string{notices.Volcanoes: s.VolcanoURL, notices.Closures: s.ClosuresURL},
		Progress:   func(step string) { fmt.Fprintln(t.Out, " ·", step) },
	})
}
