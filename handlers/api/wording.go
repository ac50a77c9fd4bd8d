package api

import (
	"fmt"
	"strings"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
)

// All sentences of the API that people read are made here. The words of the
// official bodies stay theirs, nothing is ordered ("considere", not "no suba"),
// and no level is called safe.

const (
	noticeText = "Estimación automática con modelos meteorológicos globales, sin validar por un meteorólogo. " +
		"No es un aviso oficial y no debe ser la única referencia para decidir. " +
		"«Verde» significa que los modelos no muestran señales de riesgo, no que falte el riesgo. " +
		"Consulte a la administración del parque, la DMC, SENAPRED y SERNAGEOMIN."
	simulatedText = "DATOS SIMULADOS, solo para demostración: "
)

// notice is the sentence that goes with every park.
func (b *build) notice() string { return b.marked(noticeText) }

// marked puts before a text that the weather is made up, when it is.
func (b *build) marked(text string) string {
	if b.e.Simulated {
		return simulatedText + text
	}
	return text
}

// hazardNames are the hazards as words within a sentence.
var hazardNames = [hazard.NumHazards]string{
	hazard.Wind:       "viento fuerte",
	hazard.WindRain:   "viento con lluvia",
	hazard.Cold:       "frío intenso",
	hazard.WetCold:    "frío con humedad",
	hazard.Snow:       "nieve",
	hazard.Blizzard:   "viento blanco",
	hazard.Rain:       "lluvia intensa y crecida de cauces",
	hazard.DebrisFlow: "posible aluvión (lluvia con isoterma alta)",
	hazard.Storm:      "tormenta eléctrica",
	hazard.Heat:       "calor",
	hazard.UV:         "radiación ultravioleta",
	hazard.Fire:       "condiciones favorables al fuego",
	hazard.Visibility: "poca visibilidad",
}

// advice is what a walker may consider, by hazard.
var advice = [hazard.NumHazards]string{
	hazard.Wind:       "Considere postergar los tramos expuestos, como pasos y cordones, o elegir un sendero con más reparo.",
	hazard.WindRain:   "Considere postergar los tramos expuestos: mojarse con viento enfría el cuerpo muy rápido.",
	hazard.Cold:       "Considere acortar la salida y llevar abrigo completo, guantes y protección para la cara.",
	hazard.WetCold:    "Considere postergar los tramos altos: la ropa mojada con frío y viento lleva a la hipotermia. Lleve una muda seca.",
	hazard.Snow:       "Considere que las huellas y las marcas del sendero pueden quedar cubiertas, y si su equipo y experiencia bastan para la nieve.",
	hazard.Blizzard:   "Considere postergar la salida: con nieve en el aire se pierde la referencia del terreno.",
	hazard.Rain:       "Considere que esteros y ríos pueden crecer; vadearlos puede dejar de ser posible. Evalúe otra ruta.",
	hazard.DebrisFlow: "Considere mantenerse lejos de quebradas y cauces, aun lejos de donde llueve.",
	hazard.Storm:      "Considere estar fuera de cumbres, filos y terreno abierto antes de esas horas.",
	hazard.Heat:       "Considere caminar temprano, con más agua y pausas a la sombra.",
	hazard.UV:         "Considere cubrirse la piel y los ojos y evitar las horas centrales del día.",
	hazard.Fire:       "Considere no usar cocinilla ni otra fuente de calor cerca de vegetación, y tenga presente por dónde salir.",
	hazard.Visibility: "Considere si puede orientarse sin ver las marcas del sendero; lleve mapa y posición sin conexión.",
}

// quantityNames are the quantities of causes as words.
var quantityNames = map[hazard.Quantity]string{
	hazard.GustQuantity:            "rachas",
	hazard.MeanWindQuantity:        "viento medio",
	hazard.WindChillQuantity:       "sensación térmica",
	hazard.Precipitation1hQuantity: "precipitación en 1 h",
	hazard.Precipitation6hQuantity: "precipitación en 6 h",
	hazard.Rain1hQuantity:          "lluvia en 1 h",
	hazard.Rain3hQuantity:          "lluvia en 3 h",
	hazard.Rain24hQuantity:         "lluvia en 24 h",
	hazard.ShowersQuantity:         "chubascos en 1 h",
	hazard.Snow1hQuantity:          "nieve en 1 h",
	hazard.Snow24hQuantity:         "nieve en 24 h",
	hazard.SnowDepthQuantity:       "nieve en el suelo",
	hazard.SightQuantity:           "visibilidad",
	hazard.FreezingLevelQuantity:   "isoterma cero",
	hazard.CAPEQuantity:            "energía convectiva",
	hazard.HeatQuantity:            "calor",
	hazard.UVQuantity:              "índice UV",
	hazard.IgnitionQuantity:        "probabilidad de ignición",
	hazard.HumidityQuantity:        "humedad",
	hazard.TemperatureQuantity:     "temperatura",
}

func hazardName(h hazard.Hazard) string {
	if int(h) >= hazard.NumHazards {
		return "condiciones adversas"
	}
	return hazardNames[h]
}

// levelName is the level as a word at the start of a sentence.
func levelName(l alert.Level) string {
	if l == alert.Danger {
		return "Peligro"
	}
	return "Precaución"
}

func alertTitle(a *alert.Alert, park string) string {
	return levelName(a.Level) + ": " + hazardName(a.Hazard) + " en " + park
}

// alertSummary says what the models have, where, when, and how many agree.
func alertSummary(a *alert.Alert, zone *time.Location) string {
	var s strings.Builder
	fmt.Fprintf(&s, "Los modelos estiman %s entre %s y %s (hora local).",
		hazardName(a.Hazard), localTime(a.Start, zone), localTime(a.End, zone))
	if len(a.Causes) > 0 {
		if text := causeText(&a.Causes[0]); text != "" {
			s.WriteString(" " + text)
		}
	}
	if a.Total > 0 {
		fmt.Fprintf(&s, " De acuerdo: %d de %d modelos.", a.Agree, a.Total)
	}
	return s.String()
}

// causeText says the first cause in words; a weather code says nothing to people.
func causeText(c *alert.Cause) string {
	name := quantityNames[c.Quantity]
	if name == "" {
		return ""
	}
	decimals := decimalsOf(c.Quantity)
	value := spanish(float64(c.Value), decimals)
	if value == "" {
		return ""
	}
	text := capital(name) + " de " + value + unitText(c.Quantity)
	low, high := spanish(float64(c.Min), decimals), spanish(float64(c.Max), decimals)
	if low != "" && high != "" && low != high {
		text += " (entre " + low + " y " + high + " según el modelo)"
	}
	if c.Place != "" {
		text += " en " + c.Place
	}
	return text + "."
}

func unitText(q hazard.Quantity) string {
	switch q {
	case hazard.UVQuantity, hazard.IgnitionQuantity:
		return ""
	default:
		return " " + q.Unit()
	}
}

func alertAdvice(a *alert.Alert) string {
	text := "Consulte a la administración del parque antes de partir."
	if int(a.Hazard) < hazard.NumHazards {
		text = advice[a.Hazard] + " " + text
	}
	return text
}

func changeSummary(c *alert.Change, zone *time.Location) string {
	window := "entre " + localTime(c.Start, zone) + " y " + localTime(c.End, zone)
	switch c.What {
	case alert.Opened:
		return "Se emite con nivel " + c.Level.String() + ", " + window + "."
	case alert.Raised:
		return "Sube a nivel " + c.Level.String() + ", " + window + "."
	case alert.Lowered:
		return "Baja a nivel " + c.Level.String() + ", " + window + "."
	case alert.Moved:
		return "Cambia el horario: " + window + "."
	case alert.Ended:
		return "Termina: pasó su última hora."
	case alert.Withdrawn:
		return "Se retira: las estimaciones nuevas ya no la muestran."
	default:
		return "Se actualiza, " + window + "."
	}
}

var weekdays = [...]string{"dom", "lun", "mar", "mié", "jue", "vie", "sáb"}

// localTime says an instant as "sáb 21-11 a las 14:00".
func localTime(t time.Time, zone *time.Location) string {
	t = t.In(zone)
	return fmt.Sprintf("%s %02d-%02d a las %02d:%02d", weekdays[t.Weekday()], t.Day(), t.Month(), t.Hour(), t.Minute())
}

// spanish writes a number with a decimal comma, "" for one that is missing.
func spanish(x float64, decimals int) string {
	w := writer{}
	w.decimal(x, decimals)
	if text := string(w.b); text != "null" {
		return strings.Replace(text, ".", ",", 1)
	}
	return ""
}

// capital gives a word with its first letter, which is ASCII in all of ours or
// left as it is, in upper case.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
