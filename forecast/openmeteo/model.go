package openmeteo

// model is a weather model as the provider knows it.
type model struct {
	id     string
	alias  string // the provider's older name, or ""
	metaID string // its name in the metadata's address
	runs   int    // a day
	aloft  bool   // it has winds at pressure levels
	mean   bool   // it is the mean of an ensemble, which has no vote
}

// The global models that cover Chile and whose licence allows the use
// (https://open-meteo.com/en/docs and /en/licence).
var knownModels = []model{
	{id: "ecmwf_ifs", metaID: "ecmwf_ifs", runs: 4},
	{id: "ncep_gfs_global", alias: "gfs_global", metaID: "ncep_gfs013", runs: 4, aloft: true},
	{id: "dwd_icon_global", alias: "icon_global", metaID: "dwd_icon", runs: 4, aloft: true},
	{id: "cmc_gem_gdps", alias: "gem_global", metaID: "cmc_gem_gdps_15km", runs: 2, aloft: true},

	// Every second run of the ensembles is asked for. Their metadata are those of their members.
	{id: "ecmwf_ifs025_ensemble_mean", metaID: "ecmwf_ifs025_ensemble", runs: 2, mean: true},
	{id: "ncep_gefs025_ensemble_mean", metaID: "ncep_gefs025", runs: 2, mean: true},
}

// DefaultModels are the ids of the models that are asked without a setting.
var DefaultModels = []string{"ecmwf_ifs", "ncep_gfs_global", "dwd_icon_global", "cmc_gem_gdps"}

// CanonicalModel returns the id under which a model that may vote is kept, for an id or an
// alias.
func CanonicalModel(id string) (string, bool) {
	m, err := lookUp("", id)
	return m.id, err == nil && !m.mean
}

// lookUp returns the model with an id or alias; op is for the error.
func lookUp(op, id string) (model, *Error) {
	for _, m := range knownModels {
		if id != "" && (id == m.id || id == m.alias) {
			return m, nil
		}
	}
	return model{}, errorf(Refused, "unknown model").of(op, id)
}
