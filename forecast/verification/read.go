package verification

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/document"
)

// Limits of a file of observations.
const (
	MaxObservations = 32 << 20  // bytes
	maxRows         = 500_000   // of a file
	maxHours        = 2_000_000 // observed, over all rows
	maxRecord       = 31 * day  // of one record of tier B
	maxDistanceKm   = 15
	maxHeightM      = 300
)

// observation is one row, checked.
type observation struct {
	tier    store.Tier
	trail   int // index in Catalogue.Trails
	hour    time.Time
	until   time.Time // tier B
	subject int       // tier B
	state   hazard.State
	values  map[hazard.Variable]float64 // tier A
	source  store.Source
}

// observationRow is a row as it is written. The tags are those of package document; numbers
// are read with the decimal sign that they are written with.
type observationRow struct {
	Tier       string `json:"tipo" check:"tier"`
	Park       string `json:"parque"`
	Trail      string `json:"sendero"`
	Hour       string `json:"hora"`
	Until      string `json:"hasta" check:"optional"`
	Hazard     string `json:"amenaza" check:"optional hazard"`
	State      string `json:"estado" check:"optional state"`
	Source     string `json:"fuente" check:"80"`
	DistanceKm string `json:"distancia_km" check:"optional"`
	HeightM    string `json:"diferencia_altitud_m" check:"optional"`
	measurements
}

// measurements are what a station measured in an hour.
type measurements struct {
	Gust          string `json:"racha_kmh" check:"optional"`
	Wind          string `json:"viento_kmh" check:"optional"`
	Temperature   string `json:"temperatura_c" check:"optional"`
	Humidity      string `json:"humedad_pct" check:"optional"`
	Precipitation string `json:"precipitacion_mm" check:"optional"`
	Snow          string `json:"nieve_cm" check:"optional"`
}

// measurement is one of them, with what is plausible.
type measurement struct {
	column, text string
	variable     hazard.Variable
	low, high    float64
}

func (m *measurements) list() []measurement {
	return []measurement{
		{"racha_kmh", m.Gust, hazard.WindGust, 0, 400}, {"viento_kmh", m.Wind, hazard.WindSpeed, 0, 300},
		{"temperatura_c", m.Temperature, hazard.Temperature, -80, 60}, {"humedad_pct", m.Humidity, hazard.Humidity, 0, 100},
		{"precipitacion_mm", m.Precipitation, hazard.Precipitation, 0, 300}, {"nieve_cm", m.Snow, hazard.Snowfall, 0, 100},
	}
}

var observationForm = document.Form{MaxBytes: MaxObservations, Rules: map[string]document.Rule{
	"tier": document.OneOf(store.Stations.String(), store.ParkRecords.String()), "hazard": document.OneOf(hazardKeys()...),
	"state": document.OneOf(hazard.Green.String(), hazard.Amber.String(), hazard.Red.String()),
}}

func hazardKeys() (keys []string) {
	for h := range hazard.Hazard(hazard.NumHazards) {
		keys = append(keys, h.String())
	}
	return keys
}

// rowReader checks rows against the catalogue, the clock and each other.
type rowReader struct {
	*document.Document
	o     *Observations
	comma bool // decimal commas
	at    int  // the row that is checked
	wrong bool // a fault of it was named
	seen  map[sighting]bool
}

// sighting is an hour of a subject of a trail that was observed.
type sighting struct {
	tier           store.Tier
	trail, subject int
	hour           int64 // unix hours
}

func (r *rowReader) fault(field, format string, args ...any) {
	r.wrong = true
	r.AddRow(r.at, field, format, args...)
}

// read takes the file apart. Without faults every row is an observation.
func (o *Observations) read() (list []observation, err error) {
	from, err := document.Open(o.Name, o.Data, observationForm)
	if err != nil {
		return nil, err
	}
	var rows []observationRow
	from.Rows(&rows, maxRows, false, "observaciones")
	header, _, _ := bytes.Cut(o.Data, []byte("\n"))
	r := &rowReader{Document: from, o: o, comma: bytes.Contains(header, []byte(";")), seen: map[sighting]bool{}}
	for i := range rows {
		if r.at, r.wrong = i, false; r.Full() || len(r.seen) > maxHours {
			break
		}
		list = append(list, r.row(&rows[i]))
	}
	switch err := from.Err(); {
	case err != nil:
		return nil, err
	case len(rows) == 0:
		return nil, &document.FaultsError{Name: o.Name, Faults: []document.Fault{{Line: 1, Problem: "no tiene ninguna observación"}}}
	}
	return list, nil
}

// row checks one row and names everything that is wrong with it.
func (r *rowReader) row(from *observationRow) (row observation) {
	row.trail = r.trail(from)
	row.hour = r.hour("hora", from.Hour)
	row.source.Name = from.Source
	switch from.Tier {
	case store.Stations.String():
		row.tier = store.Stations
		r.station(&row, from)
	case store.ParkRecords.String():
		row.tier = store.ParkRecords
		r.record(&row, from)
	}
	row.source.Tier = row.tier
	if !r.wrong {
		r.once(&row)
	}
	return row
}

func (r *rowReader) trail(from *observationRow) int {
	c := r.o.Catalogue
	park, ok := c.ParkBySlug(from.Park)
	if !ok {
		r.fault("parque", "%s no es un parque del catálogo; se admite su slug", document.Shown(from.Park))
		return 0
	}
	for i, trail := range c.TrailsOf(park) {
		if trail.Slug == from.Trail {
			return c.Parks[park].FirstTrail + i
		}
	}
	r.fault("sendero", "%s no es un sendero de %s; se admite su slug", document.Shown(from.Trail), c.Parks[park].Slug)
	return 0
}

// hour reads a whole hour that is over and not absurdly long ago.
func (r *rowReader) hour(field, text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse("2006-01-02T15:04Z07:00", text)
	}
	shown := document.Shown(text)
	switch {
	case err != nil:
		r.fault(field, "%s no es una hora con su zona, como 2026-11-21T13:00:00-03:00", shown)
	case !at.Equal(at.Truncate(time.Hour)):
		r.fault(field, "%s no es una hora en punto", shown)
	case at.After(r.o.Now):
		r.fault(field, "%s está en el futuro", shown)
	case at.Year() < 2000:
		r.fault(field, "%s es anterior al año 2000", shown)
	}
	return at.UTC()
}

// station checks a measurement.
func (r *rowReader) station(row *observation, from *observationRow) {
	r.absent(store.ParkRecords, "hasta", from.Until)
	r.absent(store.ParkRecords, "amenaza", from.Hazard)
	r.absent(store.ParkRecords, "estado", from.State)
	row.source.DistanceKm = r.number("distancia_km", from.DistanceKm, 0, maxDistanceKm)
	row.source.HeightM = r.number("diferencia_altitud_m", from.HeightM, -maxHeightM, maxHeightM)
	row.values = map[hazard.Variable]float64{}
	for _, m := range from.list() {
		if m.text != "" {
			row.values[m.variable] = r.number(m.column, m.text, m.low, m.high)
		}
	}
	gust, blows := row.values[hazard.WindGust]
	switch {
	case len(row.values) == 0:
		r.fault("", "no trae ninguna medición")
	case blows && gust < row.values[hazard.WindSpeed]:
		r.fault("racha_kmh", "la racha es menor que el viento medio")
	}
}

// record checks what the park wrote down.
func (r *rowReader) record(row *observation, from *observationRow) {
	for _, m := range from.list() {
		r.absent(store.Stations, m.column, m.text)
	}
	r.absent(store.Stations, "distancia_km", from.DistanceKm)
	r.absent(store.Stations, "diferencia_altitud_m", from.HeightM)
	row.until = row.hour
	if from.Until != "" {
		row.until = r.hour("hasta", from.Until)
		if row.until.Before(row.hour) || row.until.Sub(row.hour) > maxRecord {
			r.fault("hasta", "debe ser la misma hora que «hora» o posterior, y a lo más %d días después", maxRecord/day)
			row.until = row.hour
		}
	}
	if h, err := hazard.ParseHazard(from.Hazard); err == nil {
		row.subject = 1 + int(h)
	}
	for _, state := range []hazard.State{hazard.Green, hazard.Amber, hazard.Red} {
		if from.State == state.String() {
			row.state = state
		}
	}
	if from.State == "" {
		r.fault("estado", "falta; se admiten verde, amarillo y rojo")
	}
}

func (r *rowReader) absent(tier store.Tier, field, text string) {
	if text != "" {
		r.fault(field, "solo se admite en filas de tipo %s", tier)
	}
}

// number reads a decimal number within bounds.
func (r *rowReader) number(field, text string, low, high float64) float64 {
	if text == "" {
		r.fault(field, "falta; en filas de tipo A es obligatoria")
		return 0
	}
	plain := text
	if r.comma {
		plain = strings.Replace(text, ",", ".", 1)
	}
	x, err := strconv.ParseFloat(plain, 64)
	switch {
	case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
		r.fault(field, "%s no es un número", document.Shown(text))
		return 0
	case x < low || x > high:
		r.fault(field, "%s está fuera de lo que se admite, de %v a %v", document.Shown(text), low, high)
	}
	return x
}

// once refuses what was observed in an earlier row already.
func (r *rowReader) once(row *observation) {
	last := row.hour
	if row.tier == store.ParkRecords {
		last = row.until
	}
	for hour := row.hour; !hour.After(last); hour = hour.Add(time.Hour) {
		key := sighting{row.tier, row.trail, row.subject, hour.Unix() / 3600}
		if r.seen[key] {
			r.fault("hora", "la hora %s del mismo sendero ya está en una fila anterior", hour.Format(time.RFC3339))
			return
		}
		r.seen[key] = true
	}
	if len(r.seen) > maxHours {
		r.fault("", "el archivo pasa de %d horas observadas; divídalo", maxHours)
	}
}
