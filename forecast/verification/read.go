package verification

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/notices"
)

// Limits of a file of observations.
const (
	MaxObservations = 32 << 20  // bytes
	maxHours        = 2_000_000 // observed, over all rows
	maxRecord       = 31 * day  // of one record of tier B
	maxSourceName   = 80        // characters
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

// measurements are the columns of tier A, with what is plausible.
var measurements = []struct {
	column    string
	variable  hazard.Variable
	low, high float64
}{
	{"racha_kmh", hazard.WindGust, 0, 400}, {"viento_kmh", hazard.WindSpeed, 0, 300}, {"temperatura_c", hazard.Temperature, -80, 60},
	{"humedad_pct", hazard.Humidity, 0, 100}, {"precipitacion_mm", hazard.Precipitation, 0, 300}, {"nieve_cm", hazard.Snowfall, 0, 100},
}

// otherColumns are those that are no measurements; the first four are required.
var otherColumns = []string{"tipo", "parque", "sendero", "hora", "hasta", "amenaza", "estado", "fuente", "distancia_km", "diferencia_altitud_m"}

const requiredColumns = 4

// rowReader reads a file row by row and gathers what is wrong.
type rowReader struct {
	o       *Observations
	comma   bool // decimal commas
	columns []string
	line    int
	cells   map[string]string
	faults  []notices.Fault
	seen    map[sighting]int // what was observed, and the line that said it
}

// sighting is an hour of a subject of a trail.
type sighting struct {
	tier           store.Tier
	trail, subject int
	hour           int64 // unix hours
}

func (r *rowReader) fault(field, format string, args ...any) {
	r.faults = append(r.faults, notices.Fault{Line: r.line, Field: field, Problem: fmt.Sprintf(format, args...)})
}

// read takes the file apart. Without faults every row is an observation.
func (o *Observations) read() (rows []observation, faults []notices.Fault) {
	r := &rowReader{o: o, line: 1, seen: map[sighting]int{}}
	data := bytes.TrimPrefix(o.Data, []byte("\uFEFF"))
	switch {
	case len(data) > MaxObservations:
		r.fault("", "pasa de los %d bytes que se admiten", MaxObservations)
		return nil, r.faults
	case !utf8.Valid(data):
		r.fault("", "no está en UTF-8; guárdelo como UTF-8")
		return nil, r.faults
	case len(bytes.TrimSpace(data)) == 0:
		r.fault("", "está vacío")
		return nil, r.faults
	}
	table := csv.NewReader(bytes.NewReader(data))
	table.FieldsPerRecord, table.ReuseRecord, table.TrimLeadingSpace = -1, true, true
	header, _, _ := bytes.Cut(data, []byte("\n"))
	if bytes.Count(header, []byte(";")) > bytes.Count(header, []byte(",")) {
		table.Comma, r.comma = ';', true
	}
	for {
		record, err := table.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			r.broken(err)
			break
		}
		r.line, _ = table.FieldPos(0)
		if r.columns == nil {
			if !r.header(record) {
				break
			}
			continue
		}
		if row, ok := r.row(record); ok {
			rows = append(rows, row)
		}
		if len(r.faults) >= notices.MaxFaults || len(r.seen) > maxHours {
			break
		}
	}
	if len(rows) == 0 && len(r.faults) == 0 {
		r.fault("", "no tiene ninguna observación")
	}
	return rows, r.faults
}

func (r *rowReader) broken(err error) {
	if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
		r.line = parse.Line
	}
	r.fault("", "no es CSV bien formado: comillas sin pareja o fuera de lugar")
}

func (r *rowReader) header(record []string) bool {
	known := slices.Clone(otherColumns)
	for _, m := range measurements {
		known = append(known, m.column)
	}
	for _, name := range record {
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case !slices.Contains(known, name):
			r.fault("", "columna desconocida %s; se admiten: %s", shown(name), strings.Join(known, ", "))
		case slices.Contains(r.columns, name):
			r.fault("", "la columna %s está repetida", name)
		}
		r.columns = append(r.columns, name)
	}
	for _, name := range otherColumns[:requiredColumns] {
		if !slices.Contains(r.columns, name) {
			r.fault("", "falta la columna %s", name)
		}
	}
	return len(r.faults) == 0
}

// row checks one row and names everything that is wrong with it.
func (r *rowReader) row(record []string) (row observation, ok bool) {
	if len(record) != len(r.columns) {
		r.fault("", "tiene %d columnas y la cabecera %d", len(record), len(r.columns))
		return row, false
	}
	before := len(r.faults)
	r.cells = make(map[string]string, len(record))
	for i, cell := range record {
		r.cells[r.columns[i]] = strings.TrimSpace(cell)
	}
	row.trail = r.trail()
	row.hour = r.hour("hora")
	row.source.Name = r.source()
	switch tier := r.cells["tipo"]; tier {
	case "A":
		row.tier = store.Stations
		r.station(&row)
	case "B":
		row.tier = store.ParkRecords
		r.record(&row)
	default:
		r.fault("tipo", "%s no es válido; se admiten A (estación) y B (registro del parque)", shown(tier))
	}
	row.source.Tier = row.tier
	if len(r.faults) > before {
		return row, false
	}
	r.once(&row)
	return row, len(r.faults) == before
}

func (r *rowReader) trail() int {
	c := r.o.Catalogue
	park, ok := c.ParkBySlug(r.cells["parque"])
	if !ok {
		r.fault("parque", "%s no es un parque del catálogo; se admite su slug", shown(r.cells["parque"]))
		return 0
	}
	for i, trail := range c.TrailsOf(park) {
		if trail.Slug == r.cells["sendero"] {
			return c.Parks[park].FirstTrail + i
		}
	}
	r.fault("sendero", "%s no es un sendero de %s; se admite su slug", shown(r.cells["sendero"]), c.Parks[park].Slug)
	return 0
}

// hour reads a whole hour that is over and not absurdly long ago.
func (r *rowReader) hour(field string) time.Time {
	text := r.cells[field]
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse("2006-01-02T15:04Z07:00", text)
	}
	switch {
	case err != nil:
		r.fault(field, "%s no es una hora con su zona, como 2026-11-21T13:00:00-03:00", shown(text))
	case !at.Equal(at.Truncate(time.Hour)):
		r.fault(field, "%s no es una hora en punto", shown(text))
	case at.After(r.o.Now):
		r.fault(field, "%s está en el futuro", shown(text))
	case at.Year() < 2000:
		r.fault(field, "%s es anterior al año 2000", shown(text))
	}
	return at.UTC()
}

// source reads the name of who observed, which is shown to the public.
func (r *rowReader) source() string {
	name := r.cells["fuente"]
	switch {
	case name == "":
		r.fault("fuente", "falta; diga qué estación o quién lo registró")
	case utf8.RuneCountInString(name) > maxSourceName:
		r.fault("fuente", "pasa de %d caracteres", maxSourceName)
	case strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) || c == '<' || c == '>' }):
		r.fault("fuente", "%s tiene caracteres que no se admiten", shown(name))
	}
	return name
}

// station checks a measurement.
func (r *rowReader) station(row *observation) {
	for _, field := range []string{"hasta", "amenaza", "estado"} {
		r.absent(field, "B")
	}
	row.source.DistanceKm = r.number("distancia_km", 0, maxDistanceKm, true)
	row.source.HeightM = r.number("diferencia_altitud_m", -maxHeightM, maxHeightM, true)
	row.values = map[hazard.Variable]float64{}
	for _, m := range measurements {
		if r.cells[m.column] != "" {
			row.values[m.variable] = r.number(m.column, m.low, m.high, false)
		}
	}
	_, gust := row.values[hazard.WindGust]
	_, wind := row.values[hazard.WindSpeed]
	switch {
	case len(row.values) == 0:
		r.fault("", "no trae ninguna medición")
	case gust && wind && row.values[hazard.WindGust] < row.values[hazard.WindSpeed]:
		r.fault("racha_kmh", "la racha es menor que el viento medio")
	}
}

// record checks what the park wrote down.
func (r *rowReader) record(row *observation) {
	for _, m := range measurements {
		r.absent(m.column, "A")
	}
	r.absent("distancia_km", "A")
	r.absent("diferencia_altitud_m", "A")
	row.until = row.hour
	if r.cells["hasta"] != "" {
		row.until = r.hour("hasta")
		if row.until.Before(row.hour) || row.until.Sub(row.hour) > maxRecord {
			r.fault("hasta", "debe ser la misma hora que «hora» o posterior, y a lo más %d días después", maxRecord/day)
			row.until = row.hour
		}
	}
	if key := r.cells["amenaza"]; key != "" {
		h, err := hazard.ParseHazard(key)
		if err != nil {
			r.fault("amenaza", "%s no es una amenaza; se admiten las de la API, o vacío para el sendero en conjunto", shown(key))
		}
		row.subject = 1 + int(h)
	}
	for _, state := range []hazard.State{hazard.Green, hazard.Amber, hazard.Red} {
		if r.cells["estado"] == state.String() {
			row.state = state
		}
	}
	if row.state == hazard.Unknown {
		r.fault("estado", "%s no es válido; se admiten verde, amarillo y rojo", shown(r.cells["estado"]))
	}
}

func (r *rowReader) absent(field, tier string) {
	if r.cells[field] != "" {
		r.fault(field, "solo se admite en filas de tipo %s", tier)
	}
}

// number reads a decimal number within bounds.
func (r *rowReader) number(field string, low, high float64, required bool) float64 {
	text := r.cells[field]
	if text == "" && required {
		r.fault(field, "falta; en filas de tipo A es obligatoria")
		return 0
	}
	if r.comma {
		text = strings.Replace(text, ",", ".", 1)
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		r.fault(field, "%s no es un número", shown(r.cells[field]))
		return 0
	}
	if x < low || x > high {
		r.fault(field, "%s está fuera de lo que se admite, de %v a %v", shown(r.cells[field]), low, high)
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
		if line, twice := r.seen[key]; twice {
			r.fault("hora", "la hora %s del mismo sendero ya está en la línea %d", hour.Format(time.RFC3339), line)
			return
		}
		r.seen[key] = r.line
	}
	if len(r.seen) > maxHours {
		r.fault("", "el archivo pasa de %d horas observadas; divídalo", maxHours)
	}
}
