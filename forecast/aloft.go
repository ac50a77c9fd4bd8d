package forecast

import (
	"context"

	"vigia/forecast/hazard"
)

// windAloftOf returns the wind aloft of a model, which has been neither asked for nor read.
func (e *Engine) windAloftOf(m *model) *extra {
	return &extra{
		model: m.id, names: []string{m.id + "+viento_altura"}, of: m,
		fetch: func(ctx context.Context) ([]*hazard.Columns, error) {
			answer, err := e.o.Provider.WindAloft(ctx, m.id, e.places.asked)
			if err != nil {
				return nil, err
			}
			return []*hazard.Columns{answer.Columns}, nil
		},
	}
}

// packPlaces packs the columns of the places asked for extras as those of the places of the
// catalogue, the others left out.
func (e *Engine) packPlaces(c *hazard.Columns) (*packedColumns, error) {
	packed, err := pack(c, nil)
	if err != nil {
		return nil, err
	}
	ends, i, end := make([]int, len(e.o.Catalogue.Locations)), 0, 0
	for at := range ends {
		if i < len(e.places.at) && e.places.at[i] == at {
			end = packed.ends[i]
			i++
		}
		ends[at] = end
	}
	packed.ends = ends
	return packed, nil
}
