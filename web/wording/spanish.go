package wording

import (
	"strings"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
)

// Spanish is the language of the API and the first of all else.
var Spanish = &Language{
	Disclaimer: "Estimación automática con modelos meteorológicos globales, sin validar por un meteorólogo. " +
		"No es un aviso oficial y no debe ser la única referencia para decidir. " +
		"«Verde» significa que los modelos no muestran señales de riesgo, no que falte el riesgo. " +
		"Consulte a la administración del parque, la DMC, SENAPRED y SERNAGEOMIN.",
	Simulated: "DATOS SIMULADOS, solo para demostración: ",
	today:     "hoy", tomorrow: "mañana", decimalComma: true,
	days:   [7]string{"dom", "lun", "mar", "mié", "jue", "vie", "sáb"},
	levels: [alert.Danger + 1]string{alert.Caution: "precaución", alert.Danger: "peligro"},
	hazards: [hazard.NumHazards]string{
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
	},
	advice: [hazard.NumHazards]string{
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
	},
	quantities: map[hazard.Quantity]string{
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
	},
	sentences: map[string]string{
		"titulo":           "{nivel}: {amenaza} en {parque}, {cuando}",
		"resumen":          "Los modelos estiman {amenaza} {cuando} (hora local).",
		"causa":            "{cantidad} de {valor}{unidad}",
		"causa.rango":      "entre {minimo} y {maximo} según el modelo",
		"causa.umbral":     "umbral {umbral}",
		"causa.lugar":      " en {lugar}",
		"acuerdo":          "De acuerdo: {a} de {n} modelos.",
		"senderos":         "Senderos: {nombres}.",
		"senderos.mas":     "{nombres} y {n} más",
		"sostenida":        "Los valores ya no llegan al umbral; sigue hasta que dos corridas seguidas queden bien por debajo.",
		"consulte":         "Consulte a la administración del parque antes de partir.",
		"dia.cercano":      "{dia} de {desde} a {hasta} h",
		"dia":              "{dia}, {desde}–{hasta} h",
		"dias":             "{dia} desde {desde_las} h hasta {otro} a {hasta_las} h",
		"dias.fechas":      "{dia}, {desde} h – {otro}, {hasta} h",
		"hasta":            "hasta {hasta_las} h {de_otro}",
		"cambio.emitida":   "Se emite con nivel {nivel}: {cuando}.",
		"cambio.sube":      "Sube a nivel {nivel}: {cuando}.",
		"cambio.baja":      "Baja a nivel {nivel}: {cuando}.",
		"cambio.horario":   "Cambia el horario: {cuando}.",
		"cambio.alarga":    "Se alarga: {cuando}.",
		"cambio.senderos":  "Cambian los senderos: {cuando}.",
		"cambio.termina":   "Termina: pasó su última hora.",
		"cambio.retirada":  "Se retira: las estimaciones nuevas ya no la muestran.",
		"cambio.unida":     "Se une a otra alerta del parque, que sigue.",
		"cambio.sin_lugar": "Termina: el parque o sus senderos ya no están en el catálogo.",
		"push.titulo":      "{nivel}: {amenaza}",
		"push.sube":        "Sube a {nivel}: {amenaza}",
		"push.ya_no":       "Ya no rige: {amenaza}",
		"push.lugar":       "{parque}, {cuando}.",
		"push.antes":       "{parque}: empieza antes, {cuando}.",
		"push.acuerdo":     "{a} de {n} modelos.",
		"push.mas":         "Y {n} más.",
		"push.ya_no.una":   "Ya no rige: {amenaza}.",
		"push.ya_no.mas":   "Ya no rigen otras {n}.",
		"push.activas":     "Notificaciones activadas",
		"push.activas.en":  "Notificaciones activadas: {lugar}",
		"push.lugar.mas":   "{lugar} y {n} más",
		"push.esperar":     "Aquí llegarán las alertas nuevas y sus cambios.",
		"push.sin_datos":   "No tenemos datos desde {desde}",
		"push.a_ciegas":    "Desde entonces no hay estimaciones nuevas: una alerta nueva o su fin no se verían.",
		"push.con_datos":   "Hay datos otra vez desde {desde}",
		"push.ponerse":     "Vea las estimaciones nuevas y las alertas de ahora.",
		"push.instante":    "{las} {de_dia}",
		"push.no_oficial":  "No es un aviso oficial.",
		"push.simulado":    "SIMULADO · {texto}",

		"correo.asunto":          "[{nivel}] {amenaza} · {parque} · {cuando}",
		"correo.asunto.mas":      "{asunto} y {n} más",
		"correo.simulado":        "[DATOS SIMULADOS]",
		"correo.simulado.texto":  "Datos simulados, solo para demostración: nada de lo que sigue describe el tiempo real.",
		"correo.termina":         "Ya no rige",
		"correo.termina.ojo":     "Que una alerta termine no quiere decir que no haya riesgo: mire la página del parque y consulte a su administración.",
		"correo.cuando":          "{cuando} (hora del parque, {zona})",
		"correo.que_considerar":  "Qué considerar",
		"correo.senderos":        "Senderos",
		"correo.estimacion":      "Estimación hecha",
		"correo.administra":      "Administra el parque",
		"correo.pagina":          "Ver la página de {parque}",
		"correo.titulo.una":      "Una alerta de Vigía",
		"correo.titulo.varias":   "{n} alertas de Vigía",
		"correo.oficial":         "Lo oficial lo dicen otros: la Dirección Meteorológica de Chile (DMC), SENAPRED, SERNAGEOMIN y la administración de cada parque.",
		"correo.emergencias":     "Emergencias",
		"correo.sin_cobertura":   "Sin cobertura ninguno responde: deje dicho su plan y su hora de regreso.",
		"correo.fuente":          "Datos del tiempo: Open-Meteo.com (CC BY 4.0), procesados por Vigía.",
		"correo.fuente.simulada": "Datos del tiempo: simulados.",
		"correo.por_que":         "Recibe este correo porque confirmó una suscripción a Vigía.",
		"correo.contacto":        "Quien opera este servicio: {contacto}",
		"correo.cancelar":        "Cancelar la suscripción",
		"correo.privacidad":      "Privacidad",
		"correo.sitio":           "Vigía",

		"correo.confirmar.asunto":   "Confirme su suscripción a Vigía",
		"correo.confirmar.texto":    "Alguien, quizás usted, pidió recibir en esta dirección las alertas que Vigía estima para:",
		"correo.confirmar.parques":  "Parques",
		"correo.confirmar.senderos": "Senderos",
		"correo.confirmar.boton":    "Ver y confirmar",
		"correo.confirmar.como":     "El enlace lleva a una página; la suscripción empieza cuando usted pulsa el botón de esa página.",
		"correo.confirmar.plazo":    "El enlace vale 48 h: hasta el {hora}. Lo que no se confirma se borra.",
		"correo.confirmar.no_fui":   "Si no fue usted, ignore este correo, o pulse «No fui yo» en esa página y no volveremos a escribir a esta dirección.",

		"correo.sin_datos.asunto": "Sin datos desde las {hora}",
		"correo.sin_datos.texto":  "No tenemos datos desde las {hora} ({dia}): no podemos estimar ni decir si algo cambió.",
		"correo.sin_datos.ojo":    "Que falten datos no quiere decir que falte el peligro. Lo último que le dijimos puede haber cambiado: consulte a la administración del parque y a la DMC.",
		"correo.sin_datos.luego":  "Le escribiremos una vez más cuando volvamos a tener datos.",
		"correo.hay_datos.asunto": "Otra vez hay datos desde las {hora}",
		"correo.hay_datos.texto":  "Volvemos a tener datos y a estimar desde las {hora} ({dia}).",
		"correo.hay_datos.luego":  "Si una alerta de lo que usted sigue se abre o cambia, le escribiremos. Lo estimado ahora está en la página de cada parque.",

		"correo.prueba.asunto": "Prueba de correo de Vigía",
		"correo.prueba.texto":  "Este es un correo de prueba. Si lo lee, Vigía puede enviar correos con sus ajustes de ahora.",
		"correo.prueba.hora":   "Enviado el {hora}.",
		"correo.prueba.mire":   "Mire también sus cabeceras: SPF, DKIM y DMARC deben decir «pass».",

		"correo.amenaza.viento":        "Viento",
		"correo.amenaza.viento_lluvia": "Viento con lluvia",
		"correo.amenaza.frio":          "Frío",
		"correo.amenaza.frio_mojado":   "Frío con humedad",
		"correo.amenaza.nieve":         "Nieve",
		"correo.amenaza.ventisca":      "Viento blanco",
		"correo.amenaza.lluvia":        "Lluvia y crecida de cauces",
		"correo.amenaza.aluvion":       "Posible aluvión",
		"correo.amenaza.tormenta":      "Tormenta eléctrica",
		"correo.amenaza.calor":         "Calor",
		"correo.amenaza.uv":            "Radiación UV",
		"correo.amenaza.incendio":      "Condiciones para el fuego",
		"correo.amenaza.visibilidad":   "Poca visibilidad",
	},
	theHour: func(clock string) string {
		if clock == "1" || strings.HasPrefix(clock, "01:") {
			return "la " + clock
		}
		return "las " + clock
	},
	onDay: func(day string, near bool) string {
		if near {
			return day
		}
		return "el " + day
	},
	ofDay: func(day string, near bool) string {
		if near {
			return "de " + day
		}
		return "del " + day
	},
}
