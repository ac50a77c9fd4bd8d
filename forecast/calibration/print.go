package calibration

import (
	"context"
	"fmt"
	"io"

	"vigia/forecast/openmeteo"
)

// Print runs the calibration and writes the base rates to out, as tables or as CSV. Its
// weight for the provider and its progress go to errs.
func (o Calibration) Print(ctx context.Context, out, errs io.Writer, csv bool) error {
	o.Progress = Bar(errs)
	fmt.Fprintf(errs, "peso para el proveedor: %.0f; su servicio gratuito admite %.0f al día\n", o.Weight(), openmeteo.FreeLimits.Day)
	rates, err := Calibrate(ctx, o)
	switch {
	case err != nil:
		return err
	case csv:
		return rates.WriteCSV(out)
	}
	return rates.WriteTable(out)
}
