package simulate

import (
	"math"
	"slices"
	"time"

	"vigia/forecast/hazard"
)

// model is a weather model as Open-Meteo offers it in Chile.
type model struct {
	id       string
	alias    string
	meta     string        // id of its metadata
	interval time.Duration // between runs
	delay    time.Duration // from a run's initialisation to its availability
	horizon  time.Duration // what a run covers; later hours are null
	grid     float64       // degrees
	lacks    []hazard.Variable
	salt     uint64  // makes its errors its own
	warm     float64 // °C: its bias, less that of the four together
	windy    float64 // factor of its wind
	members  uint64  // of an ensemble, which serves their mean and spread; else 0
}

// The four global models, with the variables each lacks
// (https://open-meteo.com/en/docs, and the provider's page of each centre). Biases are those
// of the benchmark in error.go, of wind at its mean of about 4 m/s.
var models = []*model{
	{
		id: "ecmwf_ifs", meta: "ecmwf_ifs", interval: 6 * time.Hour, delay: 7 * time.Hour,
		horizon: 360 * time.Hour, grid: 0.08, salt: 101, warm: 0.3, windy: 1.03,
		lacks: []hazard.Variable{hazard.FreezingLevel, hazard.UVIndex, hazard.WindAloft},
	},
	{
		id: "ncep_gfs_global", alias: "gfs_global", meta: "ncep_gfs013", interval: 6 * time.Hour, delay: 4 * time.Hour,
		horizon: 384 * time.Hour, grid: 0.12, salt: 102, warm: -0.4, windy: 1.08,
	},
	{
		id: "dwd_icon_global", alias: "icon_global", meta: "dwd_icon", interval: 6 * time.Hour, delay: 4 * time.Hour,
		horizon: 180 * time.Hour, grid: 0.125, salt: 103, warm: 0.3, windy: 0.90,
		lacks: []hazard.Variable{hazard.SightRange, hazard.UVIndex},
	},
	{
		id: "cmc_gem_gdps", alias: "gem_global", meta: "cmc_gem_gdps_15km", interval: 12 * time.Hour, delay: 6 * time.Hour,
		horizon: 240 * time.Hour, grid: 0.15, salt: 104, warm: -0.2, windy: 1.05,
		lacks: []hazard.Variable{hazard.SightRange, hazard.FreezingLevel, hazard.UVIndex},
	},
}

// The ensembles that two of the centres have besides, of fewer members here.
var ensembles = []*model{
	{
		id: "ecmwf_ifs025_ensemble_mean", meta: "ecmwf_ifs025_ensemble", interval: 6 * time.Hour, delay: 8 * time.Hour,
		horizon: 144 * time.Hour, grid: 0.25, salt: 105, warm: 0.3, windy: 1.03, members: 6, lacks: notOfEnsembles,
	},
	{
		id: "ncep_gefs025_ensemble_mean", meta: "ncep_gefs025", interval: 6 * time.Hour, delay: 6 * time.Hour,
		horizon: 240 * time.Hour, grid: 0.25, salt: 106, warm: -0.4, windy: 1.08, members: 6, lacks: notOfEnsembles,
	},
}

func modelByID(id string) (*model, bool) {
	for _, m := range slices.Concat(models, ensembles) {
		if id == m.id || id != "" && id == m.alias {
			return m, true
		}
	}
	return nil, false
}

func modelByMeta(id string) (*model, bool) {
	for _, m := range slices.Concat(models, ensembles) {
		if id == m.meta {
			return m, true
		}
	}
	return nil, false
}

func (m *model) has(v hazard.Variable) bool { return !slices.Contains(m.lacks, v) }

// unit returns the unit in which an answer of the model has a variable.
func (m *model) unit(v hazard.Variable) string {
	if !m.has(v) {
		return "undefined"
	}
	return variables[v].unit
}

// blank takes away what the model does not have, and everything past the end of
// its run.
func (m *model) blank(v *Values, lead time.Duration) {
	if lead > m.horizon {
		*v = nothing
	}
	for _, l := range m.lacks {
		v[l] = math.NaN()
	}
}

// availableAt returns when the run initialised at init can be had: after the
// model's usual delay, give or take twenty minutes.
func (m *model) availableAt(init time.Time) time.Time {
	jitter := signed(mix(m.salt, uint64(init.Unix())))
	return init.Add(m.delay + (time.Duration(jitter*20*60) * time.Second))
}

// newestRun returns the initialisation of the newest run that can be had at now.
func (m *model) newestRun(now time.Time) time.Time {
	init := now.UTC().Truncate(m.interval)
	for m.availableAt(init).After(now) {
		init = init.Add(-m.interval)
	}
	return init
}

// runFor returns the run that an answer takes a valid time from, newest being the
// newest that can be had: hours gone by come from the run that began last before
// them, as the provider stitches them.
func (m *model) runFor(valid, newest time.Time) time.Time {
	if valid.Before(newest) {
		return valid.UTC().Truncate(m.interval)
	}
	return newest
}
