package hazard

import "strings"

// thresholdUnits returns the unit of a threshold by the last name of its key.
var thresholdUnits = map[string]string{
	"racha": "km/h", "medio": "km/h", "rojo_requiere_medio": "km/h",
	"p1h": "mm", "p3h": "mm", "p6h": "mm", "p24h": "mm", "p72h": "mm", "p1h_min": "mm", "chubasco": "mm",
	"nieve1h": "cm", "prof_m": "m", "vis": "m", "h0": "m", "sur_resta_h0": "m",
	"amarillo_wct": "°C", "rojo_wct": "°C", "desde_altitud_m": "m", "wct_max": "°C", "medio_min": "km/h", "t_max": "°C", "t_min": "°C",
	"cape": "J/kg", "codigo_min": "código WMO", "codigo_fuerte": "código WMO", "pig": "fracción", "hr_max": "%",
	"hora_desde": "hora local", "hora_hasta": "hora local", "rojo_plazo_max_h": "h", "plazo_rojo_h": "h", "plazo_nivel_h": "h",
	"plazo": "h", "subida_inmediata_plazo_h": "h", "vigencia_datos_h": "h", "f_rojo": "fracción de modelos",
	"f_amarillo": "fracción de modelos", "acuerdo": "fracción de modelos", "factor": "factor", "factor_salida": "factor",
	"k_rojo_min": "modelos", "n": "modelos", "corridas_subir": "corridas", "corridas_bajar": "corridas",
	"ffwi": "índice FFWI", "rojo_p1h": "mm", "glaciar_nieve_clases_mas": "clases",
	"bulbo_toda_nieve": "°C", "bulbo_toda_lluvia": "°C", "cm_por_mm": "cm/mm",
}

// levelUnits returns the unit of a threshold that is named by its level alone, by
// the hazard it belongs to.
var levelUnits = map[string]string{
	"nieve_24h": "cm", "nieve_1h": "cm", "calor": "°C", "uv": "índice UV", "visibilidad": "m",
}

// thresholdSources is, by the first name of the key, what a threshold is for
// and where its numbers come from.
var thresholdSources = map[string][2]string{
	"viento": {"Racha o viento medio, según la exposición del punto; basta uno de los dos.",
		"New Zealand DOC, Tongariro Alpine Crossing (65 km/h); escalas de efectos del viento de JMA y Beaufort; niveles de AEMET y MeteoSwiss."},
	"viento_lluvia": {"Viento medio junto con lluvia acumulada en 6 h.", "New Zealand DOC, Tongariro Alpine Crossing."},
	"frio": {"Sensación térmica por viento (fórmula de 2001 de Canadá y Estados Unidos).",
		"Environment and Climate Change Canada (−28 °C: la piel se congela en 10 a 30 min); DOC (−10 °C); −15 °C donde se va abrigado (crestas, glaciares, altiplano) y valores propios desde 5.000 m: criterio propio."},
	"frio_mojado": {"Sensación térmica baja con precipitación, y para rojo también con viento, en al menos 2 de 3 horas seguidas.", "New Zealand DOC: sensación de 0 °C o menos con cualquier precipitación (amarillo); rojo: criterio propio, por calibrar."},
	"nieve_24h":   {"Nieve nueva en 24 h.", "Niveles de montaña de AEMET (5 y 20 cm) y MeteoSwiss."},
	"nieve_1h":    {"Nieve nueva en una hora.", "Criterio propio, por calibrar."},
	"ventisca":    {"Viento medio con nevada o con nieve suelta en el suelo.", "NWS (ventisca: 56 km/h y menos de 400 m de visibilidad) y Environment and Climate Change Canada (40 km/h)."},
	"lluvia":      {"Lluvia líquida en 1, 3 o 24 h; basta una.", "Niveles de AEMET y MeteoSwiss, rebajados un tercio porque los modelos globales subestiman la lluvia en montaña; zona árida: aluviones de San Pedro de Atacama, febrero de 2013."},
	"aluvion":     {"Lluvia en 24 h con la isoterma de 0 °C alta, solo en vados y quebradas bajo una cuenca alta.", "Garreaud 2013 (tormentas cálidas en los Andes); registros de SENAPRED y SERNAGEOMIN."},
	"tormenta":    {"Código de tiempo del modelo, o energía convectiva con chubascos.", "National Weather Service y MeteoSwiss: en ningún lugar al aire libre se está a salvo de los rayos."},
	"calor":       {"La mayor entre la temperatura y el índice de calor.", "National Weather Service (90 y 103 °F, menos el efecto del sol directo)."},
	"uv":          {"Clases del índice UV: informan y nunca dan un estado.", "Organización Mundial de la Salud, clases del índice UV."},
	"fase":        {"Nieve o lluvia a la altura del punto, por la temperatura de bulbo húmedo: hasta la primera todo es nieve, desde la segunda todo es lluvia.", "Stull 2011 (bulbo húmedo); criterio propio, por calibrar."},
	"incendio":    {"Condiciones para un incendio: probabilidad de ignición y viento, o el índice FFWI; no dice nada de un incendio real.", "Rothermel 1983 y BehavePlus (probabilidad de ignición); umbral de 70 % y 20 km/h de uso forestal en Chile; Fosberg 1978 y Storm Prediction Center (FFWI)."},
	"visibilidad": {"Visibilidad del modelo.", "Definición de niebla (1.000 m); AEMET (200 m)."},
	"combinacion": {"Cómo los votos de los modelos dan un estado.", "Taggart y Wilke 2025; Ebert 2001 (conjunto de modelos independientes)."},
	"confianza":   {"Modelos, acuerdo y plazo que pide cada confianza.", "Criterio propio, por calibrar con la bitácora de verificación."},
	"histeresis":  {"Cuánto resiste una alerta al ruido alrededor de un umbral.", "Criterio propio, por calibrar con la bitácora de verificación."},
}

// describe adds unit, source and description to a threshold.
func describe(t Threshold) Threshold {
	parts := strings.Split(t.Key, ".")
	t.Hazard = parts[0]
	last := parts[len(parts)-1]
	t.Unit = thresholdUnits[last]
	if t.HasValue && t.Unit == "" {
		t.Unit = levelUnits[parts[0]]
	}
	if about, ok := thresholdSources[parts[0]]; ok {
		t.Description, t.Source = about[0], about[1]
	}
	return t
}
