package main

import (
	"math"
	"strings"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// object is an object of the catalogue file. What is left out of it is derived
// by catalogue.Parse.
type object = map[string]any

// rules states, in Spanish, what is done here.
var rules = []string{
	"Exposiciones: cresta y volcan pasan a cresta_paso, glaciar a glaciar_nieve, valle a valle_abierto, cruce_rio y quebrada a vadeo_quebrada; bosque, costa, desierto y altiplano quedan igual.",
	"De más suave a más dura: bosque, valle_abierto, costa, desierto, altiplano, glaciar_nieve, cresta_paso. El inicio lleva la más suave de las que el sendero tiene y el punto crítico la más dura.",
	"Un cruce de río o una quebrada agrega un punto vadeo_quebrada a medio camino entre el inicio y el punto crítico, en posición y en altitud.",
	"altiplano vale desde 3.500 m; un punto más bajo toma otra de sus exposiciones o, si no tiene, desierto en la zona arido y valle_abierto en las demás.",
	"largo_km es lo que se camina en total: los largos de ida cuentan dos veces (ida_y_vuelta).",
	"ubicacion_aproximada: la coordenada puede errar 5 km o más.",
	"Las áreas sin sendero llevan uno llamado «Sector de visita», con un solo punto en su acceso y sin largo ni dificultad. Su exposición es costa hasta 20 m de altitud, altiplano desde 3.500 m, desierto en la zona arido y valle_abierto en lo demás. Es remota si solo se llega por mar o si no hay infraestructura.",
	"administrador es un dato que quien opera el servicio corrige, con la fecha en que lo verificó.",
}

const (
	noCoverage = "Donde no hay cobertura de teléfono no responde: avise su ruta antes de salir."

	administrator     = "Corporación Nacional Forestal (CONAF)"
	administratorNote = "La administración de las áreas pasa al Servicio de Biodiversidad y Áreas Protegidas (SBAP) durante 2026 y 2027; sin verificar para esta área."
)

// emergency are the emergency numbers of Chile.
var emergency = []catalogue.EmergencyNumber{
	{Number: "131", Name: "Ambulancia (SAMU)", Note: noCoverage},
	{Number: "132", Name: "Bomberos", Note: noCoverage},
	{Number: "133", Name: "Carabineros", Note: noCoverage},
	{Number: "134", Name: "Policía de Investigaciones (PDI)", Note: noCoverage},
	{Number: "130", Name: "Incendios forestales (CONAF)", Note: noCoverage},
	{Number: "136", Name: "Rescate en montaña (Cuerpo de Socorro Andino)", Note: noCoverage},
	{Number: "137", Name: "Rescate en el mar (Armada)", Note: noCoverage},
	{Number: "138", Name: "Rescate aéreo (FACH)", Note: noCoverage},
}

// catalogueOf makes the content of the catalogue file.
func catalogueOf(f facts) object {
	var parks, trails, volcanoes []object
	walked := map[string]bool{} // parks with a trail
	for _, t := range f.trails {
		walked[t.Park] = true
		trails = append(trails, trailOf(t))
	}
	for _, p := range f.parks {
		parks = append(parks, parkOf(p))
		if !walked[p.Slug] {
			trails = append(trails, sectorOf(p))
		}
	}
	for _, v := range f.volcanoes {
		volcanoes = append(volcanoes, volcanoOf(v))
	}
	return object{
		"version": "chile-1", "reglas": append(catalogue.DerivationRules(), rules...),
		"telefonos_emergencia": emergency, "parques": parks, "senderos": trails, "volcanes": volcanoes,
	}
}

func parkOf(p parkFact) object {
	return object{
		"slug": p.Slug, "nombre": p.Name, "tipo": p.Kind, "region": p.Region,
		"latitud": p.Latitude, "longitud": p.Longitude, "altitud_m": p.Elevation,
		"superficie_ha": p.AreaHa, "zona_horaria": p.TimeZone, "url": p.URL,
		"ubicacion_aproximada": isApproximate(p.PlaceTier),
		"administrador":        object{"nombre": administrator, "verificado_en": nil, "nota": administratorNote},
	}
}

func isApproximate(tier string) bool { return tier == "baja" }

func trailOf(t trailFact) object {
	kind, length := t.LengthKind, t.LengthKm
	if kind == "ida" {
		kind, length = "ida_y_vuelta", 2*t.LengthKm
	}
	return object{
		"slug": t.Slug, "parque": t.Park, "nombre": t.Name, "tipo": kind,
		"largo_km": rounded(length, 2), "dificultad": t.Difficulty,
		"ubicacion_aproximada": isApproximate(t.PlaceTier), "puntos": pointsOf(t),
	}
}

func pointsOf(t trailFact) []object {
	zone := catalogue.ZoneAt(t.StartLatitude, t.StartLongitude)
	mildest := exposuresAt(t.Exposure, t.StartElevation, zone)[0]
	harsh := exposuresAt(t.Exposure, t.MaxElevation, zone)
	harshest := harsh[len(harsh)-1]

	points := []object{pointOf("Inicio", t.StartLatitude, t.StartLongitude, t.StartElevation, mildest)}
	if crosses(t.Exposure) {
		points = append(points, pointOf("Vado o quebrada",
			rounded((t.StartLatitude+t.Latitude)/2, 4), rounded((t.StartLongitude+t.Longitude)/2, 4),
			math.Round((t.StartElevation+t.MaxElevation)/2), hazard.Crossing))
	}
	critical := pointOf(criticalName(t.Note), t.Latitude, t.Longitude, t.MaxElevation, harshest)
	critical["critico"] = true
	return append(points, critical)
}

func pointOf(name string, latitude, longitude, elevation float64, e hazard.Exposure) object {
	return object{
		"nombre": name, "latitud": latitude, "longitud": longitude, "altitud_m": elevation,
		"exposicion": e.String(),
	}
}

// criticalName is the name of the most exposed point where the note gives it.
func criticalName(note string) string {
	if _, name, ok := strings.Cut(note, "punto más expuesto: "); ok {
		return name
	}
	return "Punto más expuesto"
}

// sectorOf makes the one trail of a park that has none.
func sectorOf(p parkFact) object {
	return object{
		"slug": "sector-de-visita-" + p.Slug, "parque": p.Slug, "nombre": "Sector de visita",
		"tipo": "ida_y_vuelta", "remota": isCutOff(p), "ubicacion_aproximada": isApproximate(p.PlaceTier),
		"puntos": []object{pointOf(p.Place, p.Latitude, p.Longitude, p.Elevation, sectorExposure(p))},
	}
}

// isCutOff tells whether a park is reached by boat or plane only.
func isCutOff(p parkFact) bool {
	return strings.Contains(p.Place, "solo mar") || strings.Contains(p.Place, "acceso por mar") ||
		p.Note == "Sin infraestructura"
}

func volcanoOf(v volcanoFact) object {
	near := []object{}
	for _, n := range v.Parks {
		near = append(near, object{"parque": n.Park, "distancia_km": n.DistanceKm})
	}
	return object{
		"slug": v.Slug, "nombre": v.Name, "latitud": v.Latitude, "longitud": v.Longitude,
		"altitud_m": v.Elevation, "vigilado": v.Monitored == "si", "parques": near,
	}
}

func rounded(value float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(value*scale) / scale
}
