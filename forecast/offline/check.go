package offline

import (
	"context"
	"errors"
	"fmt"

	"vigia/forecast/openmeteo"
	"vigia/store"
	"vigia/store/settings"
)

// Check tells what would hold, and changes nothing.
func Check(_ context.Context, s *settings.Settings, t Terminal) error {
	for _, row := range s.Effective() {
		fmt.Fprintf(t.Out, "%-20s %-45s %s\n", row.Name, row.Value, row.Origin)
	}
	parks, err := Catalogue(s)
	if err != nil {
		return err
	}
	const daysAsked, refreshesADay = 8, 14 // three models four times, one twice
	fmt.Fprintf(t.Out, "catalogue: %d parks, %d trails, %d places\n", len(parks.Parks), len(parks.Trails), len(parks.Locations))
	fmt.Fprintf(t.Out, "provider: about %.0f of weight a day, the free service allows %.0f\n",
		refreshesADay*openmeteo.Weight(len(parks.Locations), daysAsked), openmeteo.FreeLimits.Day)
	if missing(liveFile(s)) {
		fmt.Fprintln(t.Out, "file: none yet, it is made at the first start")
		return nil
	}
	file, err := openWith(s, store.Options{Clock: t.Clock, Log: t.Log, LookOnly: true})
	if errors.Is(err, store.ErrUnready) {
		fmt.Fprintf(t.Out, "file: %v\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	fmt.Fprintf(t.Out, "file: %d bytes\n", file.Size())
	return file.Check(context.Background())
}
