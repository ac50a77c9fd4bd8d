package hazard

import "time"

// Estimate is the estimate of one trail for one hour.
type Estimate struct {
	Hour       time.Time        // UTC, on the hour: the stamp of the values used
	Reason     Reason           // why State is Unknown, else empty
	Hazards    []HazardEstimate // those that apply to the trail, in the API's order, shared between hours where equal
	Models     []Vote           // the models that voted in this hour, shared likewise
	Medians    Medians
	Sky        Sky
	State      State
	Quality    Quality
	Main       Hazard // the worst hazard, NoHazard when none is amber or red
	Confidence Confidence
}

// HazardEstimate is the estimate of one hazard by all models, at the trail's worst point
// for it.
type HazardEstimate struct {
	Hazard     Hazard
	State      State // Unknown when no model had the inputs
	Agree      uint8 // models whose vote supports State
	Total      uint8 // models with a vote (N)
	Amber      uint8 // models that vote amber or red (k1)
	Red        uint8 // models that vote red (k2)
	Confidence Confidence
	causes     *[]Cause // a pointer, since most hazards of most hours have none
}

// Causes returns the criteria that are met, none unless State is Amber or Red.
func (h *HazardEstimate) Causes() []Cause {
	if h.causes == nil {
		return nil
	}
	return *h.causes
}

// SetCauses sets the criteria that are met.
func (h *HazardEstimate) SetCauses(causes ...Cause) {
	if h.causes = nil; len(causes) > 0 {
		h.causes = &causes
	}
}

// Cause is a criterion that is met: the value over the models against the
// threshold of the state reached.
type Cause struct {
	Quantity  Quantity
	Value     float32 // median over the models with a vote
	Min, Max  float32 // range over the same models
	Threshold float32
	Point     uint8 // index of the trail point
	Over      uint8 // models that reach the threshold
	Total     uint8 // of those that have the value
	Low       bool  // low values are the dangerous ones
}

// Quantity is what a criterion of the rules measures; it has a key and a unit.
type Quantity uint8

// The quantities of criteria and causes. Rain is the liquid part of the
// precipitation alone.
const (
	GustQuantity Quantity = iota
	MeanWindQuantity
	WindChillQuantity
	Precipitation1hQuantity
	Precipitation6hQuantity
	Rain1hQuantity
	Rain3hQuantity
	Rain24hQuantity
	Snow1hQuantity
	Snow24hQuantity
	SnowDepthQuantity
	SightQuantity
	FreezingLevelQuantity
	CAPEQuantity
	ShowersQuantity
	WeatherCodeQuantity
	HeatQuantity
	IgnitionQuantity
	FireWeatherQuantity
	UVQuantity // shown beside the state; no rule compares it
	HumidityQuantity
	TemperatureQuantity
	WindFromQuantity  // shown, and compared by no rule
	CloudQuantity     // likewise
	WindAloftQuantity // likewise

	// LocalHour and Lead gate criteria by the hour of the day at the park and by
	// the hours from now. They are compared, and are never causes.
	LocalHour
	Lead
	numQuantities = int(Lead) + 1
)

var quantityKeys = [numQuantities][2]string{
	{"racha", "km/h"}, {"viento_medio", "km/h"}, {"sensacion_termica", "°C"},
	{"precipitacion_1h", "mm"}, {"precipitacion_6h", "mm"}, {"lluvia_1h", "mm"}, {"lluvia_3h", "mm"}, {"lluvia_24h", "mm"},
	{"nieve_1h", "cm"}, {"nieve_24h", "cm"}, {"nieve_en_suelo", "m"}, {"visibilidad", "m"},
	{"isoterma_cero", "m"}, {"cape", "J/kg"}, {"chubascos", "mm"}, {"codigo_tiempo", "WMO"}, {"calor", "°C"},
	{"probabilidad_ignicion", "fracción"}, {"indice_fuego", "índice"}, {"uv", "índice"}, {"humedad", "%"}, {"temperatura", "°C"},
	{"direccion_viento", "°"}, {"nubosidad", "%"}, {"viento_altura", "km/h"},
	{"hora_local", "h"}, {"anticipacion", "h"},
}

// String returns the quantity's key in the API.
func (q Quantity) String() string { return quantityKeys[q][0] }

// Unit returns the unit of the quantity's values.
func (q Quantity) Unit() string { return quantityKeys[q][1] }

// Medians are the values shown with an estimate: medians over the models at the
// trail's critical point, NaN where no model has the variable.
type Medians struct {
	Temperature   float32 // °C
	FeelsLike     float32 // °C, wind chill or heat index
	Wind          float32 // km/h
	Gust          float32 // km/h
	Precipitation float32 // mm in the hour
	Snow          float32 // cm in the hour
	FreezingLevel float32 // m
	Sight         float32 // m
	UV            float32 // index
	WindAloft     float32 // km/h in the free air at the point's height
}

// Vote is a model that voted in an hour.
type Vote struct {
	Model string
	Run   time.Time // UTC initialisation of the run; zero when unknown
	Lead  int       // hours from the run to the estimate's hour
	UV    bool      // it has the UV index of the hour
}
