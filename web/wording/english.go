package wording

import (
	"vigia/forecast/alert"
	"vigia/forecast/hazard"
)

// English is for readers who do not read Spanish; names of places stay as they are.
var English = &Language{
	Disclaimer: "Automatic estimate from global weather models, not validated by a meteorologist. " +
		"It is not an official notice and must not be the only reference for a decision. " +
		"“Verde” (green) means that the models show no sign of a hazard, not that there is none. " +
		"Ask the park administration, DMC, SENAPRED and SERNAGEOMIN.",
	Simulated: "SIMULATED DATA, for demonstration only: ",
	today:     "today", tomorrow: "tomorrow", fullClock: true,
	days:   [7]string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"},
	levels: [alert.Danger + 1]string{alert.Caution: "caution", alert.Danger: "danger"},
	hazards: [hazard.NumHazards]string{
		hazard.Wind:       "strong wind",
		hazard.WindRain:   "wind with rain",
		hazard.Cold:       "bitter cold",
		hazard.WetCold:    "wet cold",
		hazard.Snow:       "snow",
		hazard.Blizzard:   "whiteout",
		hazard.Rain:       "heavy rain and rising streams",
		hazard.DebrisFlow: "possible debris flow (rain with a high freezing level)",
		hazard.Storm:      "thunderstorm",
		hazard.Heat:       "heat",
		hazard.UV:         "ultraviolet radiation",
		hazard.Fire:       "conditions that favour fire",
		hazard.Visibility: "poor visibility",
	},
	advice: [hazard.NumHazards]string{
		hazard.Wind:       "Consider putting off exposed stretches such as passes and ridges, or choosing a more sheltered trail.",
		hazard.WindRain:   "Consider putting off exposed stretches: getting wet in wind chills the body very fast.",
		hazard.Cold:       "Consider a shorter outing, and full warm clothing with gloves and cover for the face.",
		hazard.WetCold:    "Consider putting off the higher stretches: wet clothes with cold and wind lead to hypothermia. Carry dry clothes.",
		hazard.Snow:       "Consider that tracks and trail marks may be covered, and whether your gear and experience are enough for snow.",
		hazard.Blizzard:   "Consider putting off the outing: with snow in the air all reference to the ground is lost.",
		hazard.Rain:       "Consider that streams and rivers may rise; fording them may stop being possible. Think of another route.",
		hazard.DebrisFlow: "Consider keeping away from gullies and stream beds, even far from where it rains.",
		hazard.Storm:      "Consider being off summits, ridges and open ground before those hours.",
		hazard.Heat:       "Consider walking early, with more water and rests in the shade.",
		hazard.UV:         "Consider covering skin and eyes and avoiding the middle of the day.",
		hazard.Fire:       "Consider not using a stove or any other source of heat near vegetation, and keep in mind a way out.",
		hazard.Visibility: "Consider whether you can find your way without seeing the trail marks; carry a map and a position offline.",
	},
	quantities: map[hazard.Quantity]string{
		hazard.GustQuantity:            "gusts",
		hazard.MeanWindQuantity:        "mean wind",
		hazard.WindChillQuantity:       "wind chill",
		hazard.Precipitation1hQuantity: "precipitation in 1 h",
		hazard.Precipitation6hQuantity: "precipitation in 6 h",
		hazard.Rain1hQuantity:          "rain in 1 h",
		hazard.Rain3hQuantity:          "rain in 3 h",
		hazard.Rain24hQuantity:         "rain in 24 h",
		hazard.ShowersQuantity:         "showers in 1 h",
		hazard.Snow1hQuantity:          "snow in 1 h",
		hazard.Snow24hQuantity:         "snow in 24 h",
		hazard.SnowDepthQuantity:       "snow on the ground",
		hazard.SightQuantity:           "visibility",
		hazard.FreezingLevelQuantity:   "freezing level",
		hazard.CAPEQuantity:            "convective energy",
		hazard.HeatQuantity:            "heat",
		hazard.UVQuantity:              "UV index",
		hazard.IgnitionQuantity:        "chance of ignition",
		hazard.HumidityQuantity:        "humidity",
		hazard.TemperatureQuantity:     "temperature",
	},
	sentences: map[string]string{
		"titulo":           "{nivel}: {amenaza} in {parque}, {cuando}",
		"resumen":          "Models estimate {amenaza} {cuando} (local time).",
		"causa":            "{cantidad} of {valor}{unidad}",
		"causa.rango":      "from {minimo} to {maximo} by model",
		"causa.umbral":     "threshold {umbral}",
		"causa.lugar":      " at {lugar}",
		"acuerdo":          "In agreement: {a} of {n} models.",
		"senderos":         "Trails: {nombres}.",
		"senderos.mas":     "{nombres} and {n} more",
		"sostenida":        "The values no longer reach the threshold; it stays until two runs in a row are well below.",
		"consulte":         "Ask the park administration before you set out.",
		"dia.cercano":      "{dia} from {desde} to {hasta}",
		"dia":              "{dia}, {desde}–{hasta}",
		"dias":             "{dia} from {desde_las} until {otro} at {hasta_las}",
		"dias.fechas":      "{dia}, {desde} – {otro}, {hasta}",
		"hasta":            "until {hasta_las} {de_otro}",
		"cambio.emitida":   "Issued as {nivel}: {cuando}.",
		"cambio.sube":      "Raised to {nivel}: {cuando}.",
		"cambio.baja":      "Lowered to {nivel}: {cuando}.",
		"cambio.horario":   "New hours: {cuando}.",
		"cambio.alarga":    "Lasts longer: {cuando}.",
		"cambio.senderos":  "Other trails: {cuando}.",
		"cambio.termina":   "Over: its last hour has passed.",
		"cambio.retirada":  "Withdrawn: the new estimates no longer show it.",
		"cambio.unida":     "Joined to another alert of the park, which goes on.",
		"cambio.sin_lugar": "Over: the park or its trails are no longer in the catalogue.",
	},
	theHour: func(clock string) string { return clock },
	onDay:   func(day string, _ bool) string { return day },
	ofDay: func(day string, near bool) string {
		if near {
			return day
		}
		return "on " + day
	},
}
