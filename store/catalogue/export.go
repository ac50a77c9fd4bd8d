package catalogue

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// The parts of a file as they are written. Optional figures are pointers.
type (
	parkLine struct {
		Slug          string             `json:"slug"`
		Name          string             `json:"nombre"`
		Kind          string             `json:"tipo"`
		Region        string             `json:"region"`
		Latitude      float64            `json:"latitud"`
		Longitude     float64            `json:"longitud"`
		ElevationM    float64            `json:"altitud_m"`
		AreaHa        *float64           `json:"superficie_ha"`
		ZoneName      string             `json:"zona_horaria"`
		Administrator *administratorLine `json:"administrador"`
		URL           *string            `json:"url"`
		Approximate   bool               `json:"ubicacion_aproximada"`
	}
	administratorLine struct {
		Name string  `json:"nombre"`
		AsOf *string `json:"verificado_en"`
		Note *string `json:"nota"`
	}
	trailLine struct {
		Slug        string      `json:"slug"`
		Park        string      `json:"parque"`
		Name        string      `json:"nombre"`
		Kind        string      `json:"tipo"`
		LengthKm    *float64    `json:"largo_km"`
		Difficulty  *string     `json:"dificultad"`
		Zone        string      `json:"zona_clima"`
		Remote      bool        `json:"remota"`
		Fuel        bool        `json:"combustible"`
		Basin       bool        `json:"cuenca_alta"`
		Approximate bool        `json:"ubicacion_aproximada"`
		Points      []pointLine `json:"puntos"`
	}
	pointLine struct {
		Name       string  `json:"nombre"`
		Latitude   float64 `json:"latitud"`
		Longitude  float64 `json:"longitud"`
		ElevationM float64 `json:"altitud_m"`
		Exposure   string  `json:"exposicion"`
		Critical   bool    `json:"critico"`
	}
	volcanoLine struct {
		Slug       string     `json:"slug"`
		Name       string     `json:"nombre"`
		Latitude   float64    `json:"latitud"`
		Longitude  float64    `json:"longitud"`
		ElevationM float64    `json:"altitud_m"`
		Monitored  bool       `json:"vigilado"`
		Parks      []nearLine `json:"parques"`
	}
	nearLine struct {
		Park       string  `json:"parque"`
		DistanceKm float64 `json:"distancia_km"`
	}
)

// Export writes the catalogue as a file that Parse reads back to an equal one,
// with a park, trail or volcano on each line. Everything that Parse would derive
// for lack of a field is written out.
func (c *Catalogue) Export(w io.Writer) error {
	out := &exporter{w: bufio.NewWriter(w)}
	version, err := marshal(c.Version)
	out.err = err
	fmt.Fprintf(out.w, "{\n\"version\": %s", version)
	section(out, "reglas", c.Rules, func(rule string) any { return rule })
	section(out, "telefonos_emergencia", c.Emergency, func(e EmergencyNumber) any { return e })
	section(out, "parques", c.Parks, exportPark)
	section(out, "senderos", c.Trails, func(t Trail) any { return c.exportTrail(t) })
	section(out, "volcanes", c.Volcanoes, func(v Volcano) any { return c.exportVolcano(v) })
	fmt.Fprint(out.w, "\n}\n")
	if out.err != nil {
		return fmt.Errorf("export the catalogue: %w", out.err)
	}
	if err := out.w.Flush(); err != nil {
		return fmt.Errorf("write the catalogue: %w", err)
	}
	return nil
}

// exporter keeps the first error; bufio.Writer keeps those of writing.
type exporter struct {
	w   *bufio.Writer
	err error
}

// section writes a list, an element a line.
func section[T any](out *exporter, key string, elements []T, line func(T) any) {
	fmt.Fprintf(out.w, ",\n\"%s\": [", key)
	for i, element := range elements {
		if i > 0 {
			out.w.WriteByte(',')
		}
		text, err := marshal(line(element))
		if err != nil && out.err == nil {
			out.err = err
		}
		out.w.WriteString("\n ")
		out.w.Write(text)
	}
	out.w.WriteString("\n]")
}

// marshal encodes without escaping & and the like for HTML.
func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func exportPark(p Park) any {
	line := parkLine{
		Slug: p.Slug, Name: p.Name, Kind: p.Kind, Region: p.Region,
		Latitude: p.Latitude, Longitude: p.Longitude, ElevationM: p.ElevationM,
		AreaHa: known(p.AreaHa), ZoneName: p.ZoneName, URL: given(p.URL), Approximate: p.Approximate,
	}
	if p.Administrator != "" {
		line.Administrator = &administratorLine{
			Name: p.Administrator, AsOf: given(p.AdministratorAsOf), Note: given(p.AdministratorNote),
		}
	}
	return line
}

func (c *Catalogue) exportTrail(t Trail) trailLine {
	line := trailLine{
		Slug: t.Slug, Park: c.Parks[t.Park].Slug, Name: t.Name, Kind: t.Kind,
		LengthKm: known(t.LengthKm), Difficulty: given(t.Difficulty), Zone: t.Zone.String(),
		Remote: t.Remote, Fuel: t.Fuel, Basin: t.Basin, Approximate: t.Approximate,
	}
	for _, p := range t.Points {
		line.Points = append(line.Points, pointLine{
			Name: p.Name, Latitude: p.Location.Latitude, Longitude: p.Location.Longitude,
			ElevationM: p.Location.Elevation, Exposure: p.Exposure.String(), Critical: p.Critical,
		})
	}
	return line
}

func (c *Catalogue) exportVolcano(v Volcano) volcanoLine {
	line := volcanoLine{
		Slug: v.Slug, Name: v.Name, Latitude: v.Latitude, Longitude: v.Longitude,
		ElevationM: v.ElevationM, Monitored: v.Monitored, Parks: []nearLine{},
	}
	for _, n := range v.Parks {
		line.Parks = append(line.Parks, nearLine{Park: c.Parks[n.Park].Slug, DistanceKm: n.DistanceKm})
	}
	return line
}

// known returns nil for a figure that is missing.
func known(value float64) *float64 {
	if math.IsNaN(value) {
		return nil
	}
	return &value
}

// given returns nil for a text that is missing.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
