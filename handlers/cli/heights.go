package cli

import (
	"context"
	"fmt"
	"math"
	"text/tabwriter"

	"vigia/store/catalogue"
)

// Elevations returns the height of the terrain at places, m above sea, in their order.
type Elevations func(ctx context.Context, places []catalogue.Location) ([]float64, error)

// heightTolerance is how far, m, the height of a point may differ from the terrain's: more
// than a wrong cell of 90 m makes on a steep slope, and 1 °C of the temperature at 6.5 K/km.
const heightTolerance = 150

// CompareHeights lists the points of the catalogue whose height differs from the terrain's
// by more than [heightTolerance]. It is an error that there are any.
func CompareHeights(ctx context.Context, env *Env, elevations Elevations) error {
	parks, err := env.LoadCatalogue()
	if err != nil {
		return err
	}
	heights, err := elevations(ctx, parks.Locations)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(env.Out, 0, 0, 2, ' ', 0)
	points, differ := 0, 0
	for _, trail := range parks.Trails {
		for _, point := range trail.Points {
			points++
			difference := point.Elevation - heights[point.At]
			if math.Abs(difference) <= heightTolerance {
				continue
			}
			if differ++; differ == 1 {
				fmt.Fprintln(table, "trail\tpoint\tcatalogue m\tterrain m\tdifference m")
			}
			fmt.Fprintf(table, "%s/%s\t%s\t%.0f\t%.0f\t%+.0f\n", parks.Parks[trail.Park].Slug, trail.Slug, point.Name, point.Elevation, heights[point.At], difference)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if differ > 0 {
		return fmt.Errorf("%d of %d points differ from the terrain by more than %d m", differ, points, heightTolerance)
	}
	fmt.Fprintf(env.Out, "%d points, none differs from the terrain by more than %d m\n", points, heightTolerance)
	return nil
}
