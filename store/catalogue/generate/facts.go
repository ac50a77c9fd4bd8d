package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// facts are the compiled figures, with only the fields that are used.
type facts struct {
	parks     []parkFact
	trails    []trailFact
	volcanoes []volcanoFact
}

type parkFact struct {
	Slug      string  `json:"slug"`
	Name      string  `json:"nombre"`
	Kind      string  `json:"tipo"`
	Region    string  `json:"region"`
	Latitude  float64 `json:"lat"`
	Longitude float64 `json:"lon"`
	Place     string  `json:"punto"` // what lies at the position
	Elevation float64 `json:"altitud_m"`
	AreaHa    float64 `json:"superficie_ha"`
	TimeZone  string  `json:"zona_horaria"`
	URL       string  `json:"url"`
	PlaceTier string  `json:"confianza_coord"`
	Note      string  `json:"nota"`
}

type trailFact struct {
	Slug           string   `json:"slug"`
	Park           string   `json:"parque"`
	Name           string   `json:"nombre"`
	Latitude       float64  `json:"lat"` // of the most exposed point
	Longitude      float64  `json:"lon"`
	StartLatitude  float64  `json:"inicio_lat"`
	StartLongitude float64  `json:"inicio_lon"`
	MaxElevation   float64  `json:"altitud_max_m"` // at the most exposed point
	StartElevation float64  `json:"altitud_inicio_m"`
	LengthKm       float64  `json:"largo_km"`
	LengthKind     string   `json:"largo_tipo"` // ida, circuito or travesia
	Difficulty     string   `json:"dificultad"`
	Exposure       []string `json:"exposicion"` // tags
	PlaceTier      string   `json:"confianza_coord"`
	Note           string   `json:"nota"`
}

type volcanoFact struct {
	Slug      string  `json:"slug"`
	Name      string  `json:"nombre"`
	Latitude  float64 `json:"lat"`
	Longitude float64 `json:"lon"`
	Elevation float64 `json:"altitud_m"`
	Monitored string  `json:"rnvv"` // si or por_confirmar
	Parks     []struct {
		Park       string  `json:"parque"`
		DistanceKm float64 `json:"distancia_km"`
	} `json:"parques_30km"`
}

func readFacts(dir string) (f facts, err error) {
	for name, to := range map[string]any{
		"parks.json": &f.parks, "trails.json": &f.trails, "volcanoes.json": &f.volcanoes,
	} {
		data, err := os.ReadFile(filepath.Join(dir, name)) // #nosec G304 -- a tool of the developer, who names the folder
		if err != nil {
			return f, fmt.Errorf("read the facts: %w", err)
		}
		if err := json.Unmarshal(data, to); err != nil {
			return f, fmt.Errorf("decode %s: %w", name, err)
		}
	}
	return f, nil
}
