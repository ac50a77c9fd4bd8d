package feeds

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"vigia/handlers/api"
	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

const historyHeader = "hora,sendero,nombre,estado,calidad,amenaza_principal,confianza,temperatura_c,sensacion_termica_c,viento_kmh,racha_kmh," +
	"precipitacion_mm,nieve_cm,isoterma_cero_m,visibilidad_m,uv,cierres,alertas_volcanicas\r\n"

// history returns what was estimated for a park in the last seven days as a table
// (RFC 4180) with the rows of the API's historial: the trails one after the other,
// each newest first. It has no language. What official bodies say now of a trail
// stands in each of its rows.
func (v feed) history(park int) *httpcache.Body {
	table, reading := []byte(historyHeader), api.Read(v.Snapshot, v.Now)
	first := v.Catalogue.Parks[park].FirstTrail
	for i, trail := range v.Catalogue.TrailsOf(park) {
		name, official := csvText(trail.Name), v.officialCells(park, trail.Slug)
		for hour, row := range reading.Past(first + i) {
			table = appendPast(table, trail, name, hour, row)
			table = append(table, official...)
		}
	}
	return httpcache.Static(csvType, table)
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
	return b
}

// officialCells are the last cells of a trail's rows and their end.
func (v feed) officialCells(park int, trail string) string {
	official := v.InForce(park).OnTrails(trail)
	volcanic := site.Notices{Volcanic: official.Volcanic}
	return "," + csvText(strings.Join(v.ClosureLines(official, trail), "; ")) +
		"," + csvText(strings.Join(v.OfficialLines(volcanic), "; ")) + "\r\n"
}

// csvNumber writes a value as the API does, empty for one that is missing.
func csvNumber(value float32, decimals int) string {
	if wording.Missing(value) {
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
