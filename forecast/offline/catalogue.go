package offline

import (
	"context"
	"fmt"

	"vigia/store/catalogue"
	"vigia/store/settings"
)

// Catalogues prints the built-in catalogue, or checks one of the operator's.
func Catalogues(_ context.Context, s *settings.Settings, t Terminal) error {
	if s.Args[0] == "export" {
		return catalogue.Default().Export(t.Out)
	}
	parks, err := catalogue.Load(s.Args[1])
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "%s: %d parks, %d trails, no faults\n", s.Args[1], len(parks.Parks), len(parks.Trails))
	return nil
}
