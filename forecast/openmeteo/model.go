package openmeteo

// model is a weather model as the provider knows it.
type model struct {
	id     string
	alias  string // the provider's older name, or ""
	metaID string // its name in the metadata's address
}

// The global models that cover Chile and whose licence allows the use
// (https://open-meteo.com/en/docs and /en/licence).
var knownModels = []model{
	{id: "ecmwf_ifs", metaID: "ecmwf_ifs"},
	{id: "ncep_gfs_global", alias: "gfs_global", metaID: "ncep_gfs013"},
	{id: "dwd_icon_global", alias: "icon_global", metaID: "dwd_icon"},
	{id: "cmc_gem_gdps", alias: "gem_global", metaID: "cmc_gem_gdps_15km"},
}

// DefaultModels are the ids of the models to ask when nobody says otherwise.
var DefaultModels = []string{"ecmwf_ifs", "ncep_gfs_global", "dwd_icon_global", "cmc_gem_gdps"}

// KnownModel tells whether id, or an alias of it, can be asked.
func KnownModel(id string) bool {
	_, ok := lookUp(id)
	return ok
}

// CanonicalModel gives the id under which a model is kept, for an id or an alias.
func CanonicalModel(id string) (string, bool) {
	m, ok := lookUp(id)
	return m.id, ok
}

func lookUp(id string) (model, bool) {
	for _, m := range knownModels {
		if id != "" && (id == m.id || id == m.alias) {
			return m, true
		}
	}
	return model{}, false
}
