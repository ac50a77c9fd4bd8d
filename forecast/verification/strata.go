package verification

import (
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// Skill is measured within strata of like climate: over all trails together, knowing that
// Patagonia is windy beats the baseline (Hamill & Juras 2006). A stratum is a climate zone,
// an exposure and a season; what is shown of several is the mean over them, weighted by
// their cases.

const (
	numSeasons  = 4
	numClimates = 4 * hazard.NumExposures // zones and exposures
	numStrata   = numClimates * numSeasons
)

// seasons are those of the south by their keys, as seasonOf numbers them.
var seasons = [numSeasons]string{"verano", "otono", "invierno", "primavera"}

func seasonOf(m time.Month) int { return int(m) % 12 / 3 }

// climateOf numbers the climates: that of a trail is the one at its critical point.
func climateOf(site *hazard.Site) int {
	return int(site.Zone)*hazard.NumExposures + int(criticalPoint(site).Exposure)
}

// stratumOf returns what a number stands for.
func stratumOf(n int) *store.Stratum {
	climate := n / numSeasons
	return &store.Stratum{
		Zone: hazard.Zone(climate / hazard.NumExposures).String(), Exposure: hazard.Exposure(climate % hazard.NumExposures).String(),
		Season: seasons[n%numSeasons],
	}
}

// strata are the tables of all strata.
type strata [numStrata]Table

// Sum returns all cases together.
func (s *strata) sum() (all Table) {
	for i := range s {
		all = all.Plus(s[i])
	}
	return all
}

// CSI is that of all cases together. It divides by none but the cases in which something was
// forecast or came, so that a climate lends it nothing.
func (s *strata) csi() (float64, bool) { return s.sum().CSI() }

// ets and hss are means over the strata in which the score is defined, weighted by their
// cases.
func (s *strata) ets() (float64, bool) { return s.mean(Table.ETS) }
func (s *strata) hss() (float64, bool) { return s.mean(Table.HSS) }

func (s *strata) mean(score func(Table) (float64, bool)) (float64, bool) {
	sum, weight := 0.0, 0.0
	for i := range s {
		if n := float64(s[i].N()); n > 0 {
			if x, ok := score(s[i]); ok {
				sum += n * x
				weight += n
			}
		}
	}
	return ratio(sum, weight, true)
}

// dayCases are the cases of a day in a stratum, but for those in which nothing was forecast
// and nothing came.
type dayCases struct {
	stratum                   uint8
	hits, falseAlarms, misses uint16
}
