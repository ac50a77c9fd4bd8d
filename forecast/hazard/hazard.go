// Package hazard is the science of Vigía: it turns the hourly values of several
// weather models into one estimate per trail and hour. It is pure (standard
// library only, no clock, no input or output) and deterministic.
//
// Data passes through it top to bottom: [Columns] (one model run, many points)
// → series derived per point (sums, wind chill, …) → a [Severity] per model and
// hour ([Rules.Severity]) → votes of the models ([Rules.Combine]) → an
// [Estimate] with its reasons ([Rules.Assess]).
//
// A missing value is NaN everywhere in this package. It never counts as zero:
// a model without the inputs of a hazard has no vote on it, and an hour without
// votes has the state [Unknown], never [Green].
package hazard

import "fmt"

// Hazard is one of the twelve weather hazards that the rules know.
// The order is that of the public API and breaks ties between equal states.
type Hazard uint8

// The hazards, in the API's order.
const (
	Wind Hazard = iota
	WindRain
	Cold
	WetCold
	Snow
	Blizzard
	Rain
	DebrisFlow
	Storm
	Heat
	Fire
	Visibility

	// NumHazards is the number of hazards, for arrays indexed by Hazard.
	NumHazards = int(Visibility) + 1
	// NoHazard is the main hazard of an estimate without any signal.
	NoHazard Hazard = 255
)

var hazardKeys = [NumHazards]string{
	"viento", "viento_lluvia", "frio", "frio_mojado", "nieve", "ventisca", "lluvia",
	"aluvion", "tormenta", "calor", "incendio", "visibilidad",
}

// String returns the hazard's key in the API, or "" for NoHazard.
func (h Hazard) String() string {
	if int(h) >= NumHazards {
		return ""
	}
	return hazardKeys[h]
}

// ParseHazard finds a hazard by its key in the API.
func ParseHazard(key string) (Hazard, error) { return parseKey[Hazard]("hazard", key, hazardKeys[:]) }

// State is the estado of an estimate. Its order is that of danger, so the worst
// of several is their maximum, but Unknown is not "less than green": whoever
// combines states decides what a missing one means.
type State uint8

// The states. Green means "no model alert"; it never means safe.
const (
	Unknown State = iota
	Green
	Amber
	Red
)

var stateKeys = [...]string{"", "verde", "amarillo", "rojo"}

// String returns the state's key in the API, or "" for Unknown (null in the API).
func (s State) String() string { return stateKeys[s] }

// Confidence is how far the models agree, less for an hour far ahead.
type Confidence uint8

// The confidences. NoConfidence is null in the API.
const (
	NoConfidence Confidence = iota
	Low
	Medium
	High
)

var confidenceKeys = [...]string{"", "baja", "media", "alta"}

// String returns the confidence's key in the API, or "" for NoConfidence.
func (c Confidence) String() string { return confidenceKeys[c] }

// Quality is the calidad of an estimate.
type Quality uint8

// The qualities. Partial: a model, a hazard or a part of a sum is missing.
// Stale: made from data that could not be renewed for a while.
const (
	NoData Quality = iota
	Complete
	Partial
	Stale
)

var qualityKeys = [...]string{"sin_datos", "completa", "parcial", "desactualizada"}

// String returns the quality's key in the API.
func (q Quality) String() string { return qualityKeys[q] }

// Reason is why a state is Unknown (motivo_sin_estado). It is empty otherwise.
type Reason string

// The reasons for a missing state.
const (
	NoReason      Reason = ""
	NoRuns        Reason = "sin_corridas"       // no model run has been obtained yet
	PartialData   Reason = "datos_parciales"    // wind, precipitation or temperature is missing
	FewModels     Reason = "pocos_modelos"      // one model alone, which clears nothing
	DataTooOld    Reason = "datos_vencidos"     // no model could be renewed within the limit of age
	EstimateOver  Reason = "estimacion_vencida" // the estimate is past its validity and no newer one came
	BeyondHorizon Reason = "fuera_de_plazo"     // too far ahead for any level
	OnlyTendency  Reason = "tendencia"          // beyond the hours with a level, where there is weather alone
	ClockSuspect  Reason = "reloj_no_confiable" // the machine's clock cannot be right
)

// Exposure is how a point of a trail lies open to the weather.
type Exposure uint8

// The exposure classes.
const (
	Ridge       Exposure = iota // ridge, pass, flank of a volcano
	Glacier                     // glacier or permanent snow
	OpenValley                  // pampa, lake shore, moraine
	Forest                      // under trees
	Crossing                    // ford, gully mouth, debris fan
	Coast                       // sea shore
	Desert                      // no shade
	HighPlateau                 // altiplano: open, 3,500 m and higher

	// NumExposures is the number of classes, for arrays indexed by Exposure.
	NumExposures = int(HighPlateau) + 1
)

var exposureKeys = [NumExposures]string{
	"cresta_paso", "glaciar_nieve", "valle_abierto", "bosque", "vadeo_quebrada",
	"costa", "desierto", "altiplano",
}

// String returns the exposure's key in the API and the catalogue.
func (e Exposure) String() string { return exposureKeys[e] }

// Zone is the climate zone of a trail (zona_clima).
type Zone uint8

// The climate zones, north to south.
const (
	Arid Zone = iota
	Central
	Southern
	Austral

	numZones = int(Austral) + 1
)

var zoneKeys = [numZones]string{"arido", "centro", "sur", "austral"}

// String returns the zone's key in the catalogue.
func (z Zone) String() string { return zoneKeys[z] }

func parseKey[T ~uint8](what, key string, keys []string) (T, error) {
	for i, k := range keys {
		if k == key {
			return T(i), nil
		}
	}
	return 0, fmt.Errorf("unknown %s %q", what, key)
}
