package site

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"vigia/handlers/api"
	"vigia/handlers/prepared"
	"vigia/store"
	"vigia/store/catalogue"
)

const historyHeader = "hora,sendero,nombre,estado,calidad,amenaza_principal,confianza,temperatura_c,sensacion_termica_c,viento_kmh,racha_kmh," +
	"precipitacion_mm,nieve_cm,isoterma_cero_m,visibilidad_m,uv\r\n"

// putHistories adds what was estimated for each park in the last seven days, as a
// table (RFC 4180) with the rows of the API's historial. It has no language.
func (s *Site) putHistories(shelf *Shelf, m moment) {
	for i, park := range m.Catalogue.Parks {
		shelf.lend("/parques/"+park.Slug+"/historial.csv", func() *prepared.Body {
			return prepared.Static(csvType, historyTable(m, i))
		})
	}
}

// historyTable writes the trails of a park one after the other, each newest first.
func historyTable(m moment, park int) []byte {
	table, reading := []byte(historyHeader), api.Read(m.Edition, m.now)
	first := m.Catalogue.Parks[park].FirstTrail
	for i, trail := range m.Catalogue.TrailsOf(park) {
		name := csvText(trail.Name)
		for hour, row := range reading.Past(first + i) {
			table = appendPast(table, trail, name, hour, row)
		}
	}
	return table
}

// appendPast writes the hour of a trail. What is missing is empty, never 0.
func appendPast(b []byte, trail catalogue.Trail, name string, hour time.Time, row *store.HistoryRow) []byte {
	b = hour.UTC().AppendFormat(b, time.RFC3339)
	for _, text := range []string{trail.Slug, name, row.State.String(), row.Quality.String(), api.MainOf(row).String(), row.Confidence.String()} {
		b = append(append(b, ','), text...)
	}
	m := &row.Medians
	for _, figure := range []struct {
		value    float32
		decimals int
	}{
		{m.Temperature, 1}, {m.FeelsLike, 1}, {m.Wind, 1}, {m.Gust, 1}, {m.Precipitation, 1}, {m.Snow, 1},
		{m.FreezingLevel, 0}, {m.Sight, 0}, {m.UV, 1},
	} {
		b = append(append(b, ','), csvNumber(figure.value, figure.decimals)...)
	}
	return append(b, "\r\n"...)
}

// csvNumber writes a value as the API does, empty for one that is missing.
func csvNumber(value float32, decimals int) string {
	if missing(value) {
		return ""
	}
	scale := math.Pow10(decimals)
	return strconv.FormatFloat(math.Round(float64(value)*scale)/scale+0, 'f', -1, 64) // +0 turns -0 into 0
}

// csvText writes a text that stays a text in every program: quoted where RFC 4180
// asks for it, and behind an apostrophe where a table program would take it for a
// formula.
func csvText(text string) string {
	first := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsControl(r) })
	if first >= 0 && strings.IndexAny(text[first:], "=+-@＝＋－＠") == 0 {
		text = "'" + text
	}
	if strings.ContainsAny(text, "\",\r\n") || strings.TrimSpace(text) != text {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}
