package hazard

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

//go:embed thresholds.json
var defaultThresholds []byte

// DefaultRules returns the rules in force: the thresholds that are embedded in
// the program. It panics on a fault in them, which a test would meet first.
func DefaultRules() *Rules {
	rules, err := ParseRules(defaultThresholds)
	if err != nil {
		panic("embedded thresholds: " + err.Error())
	}
	return rules
}

// thresholds mirrors the file of thresholds. Wind in km/h, rain in mm, snow in
// cm, temperatures in °C, heights and distances in m, CAPE in J/kg.
type thresholds struct {
	Version string `json:"version"`
	Nota    string `json:"nota"`

	Viento       map[string]pair[windLimit] `json:"viento"`
	VientoLluvia struct {
		Medio  float64  `json:"medio"`
		P6h    float64  `json:"p6h"`
		RojoEn []string `json:"rojo_en"`
		Resto  string   `json:"resto"`
	} `json:"viento_lluvia"`
	Frio struct {
		Base      coldLimit `json:"base"`
		Cresta    coldLimit `json:"cresta_paso"`
		Glaciar   coldLimit `json:"glaciar_nieve"`
		Altiplano coldLimit `json:"altiplano"`
		Desde     float64   `json:"desde_altitud_m"` // height from which muy_alto holds for every exposure
		MuyAlto   coldLimit `json:"muy_alto"`
	} `json:"frio"`
	FrioMojado struct {
		pair[wetColdLimit]
		RojoEn       []string `json:"rojo_en"`
		RojoSiRemota bool     `json:"rojo_si_remota"`
	} `json:"frio_mojado"`
	Nieve24h struct {
		Base    pair[float64] `json:"base"`
		Glaciar pair[float64] `json:"glaciar_nieve"`
	} `json:"nieve_24h"`
	Nieve1h  pair[float64] `json:"nieve_1h"`
	Ventisca struct {
		pair[driftLimit]
		RojoVisibilidad struct {
			Medio float64 `json:"medio"`
			Vis   float64 `json:"vis"`
		} `json:"rojo_visibilidad"`
		Suelo struct {
			Medio float64 `json:"medio"`
			Prof  float64 `json:"prof_m"`
			TMax  float64 `json:"t_max"`
		} `json:"suelo"`
	} `json:"ventisca"`
	Lluvia struct {
		Base        pair[rainLimit] `json:"base"`
		Vadeo       pair[rainLimit] `json:"vadeo_quebrada"`
		Arido       pair[rainLimit] `json:"arido"`
		Antecedente struct {
			P72h   float64 `json:"p72h"`
			Factor float64 `json:"factor"`
		} `json:"antecedente"`
	} `json:"lluvia"`
	Aluvion struct {
		SoloEn   []string     `json:"solo_en"`
		Zona     []string     `json:"zona"`
		Amarillo []debrisFlow `json:"amarillo"`
		Rojo     []debrisFlow `json:"rojo"`
		SurResta float64      `json:"sur_resta_h0"`
		Requiere string       `json:"requiere"`
	} `json:"aluvion"`
	Tormenta struct {
		Codigo       float64 `json:"codigo_min"`
		CodigoFuerte float64 `json:"codigo_fuerte"`
		Cape         float64 `json:"cape"`
		Chubasco     float64 `json:"chubasco"`
		Altiplano    struct {
			Cape      float64 `json:"cape"`
			P1h       float64 `json:"p1h"`
			Desde     float64 `json:"hora_desde"`
			Hasta     float64 `json:"hora_hasta"`
			RojoP1h   float64 `json:"rojo_p1h"`
			RojoPlazo float64 `json:"rojo_plazo_max_h"`
		} `json:"altiplano"`
		RojoEn    []string `json:"rojo_en"`
		RojoPlazo float64  `json:"rojo_plazo_max_h"`
	} `json:"tormenta"`
	Calor struct {
		Base        pair[float64] `json:"base"`
		SinSombra   pair[float64] `json:"sin_sombra"`
		SinSombraEn []string      `json:"sin_sombra_en"`
	} `json:"calor"`
	UV struct {
		SoloInforma bool      `json:"solo_informa"`
		Clases      []uvClass `json:"clases"`
		GlaciarMas  int       `json:"glaciar_nieve_clases_mas"`
	} `json:"uv"`
	Fase struct {
		Nota       string  `json:"nota"`
		TodaNieve  float64 `json:"bulbo_toda_nieve"`
		TodaLluvia float64 `json:"bulbo_toda_lluvia"`
		CmPorMm    float64 `json:"cm_por_mm"`
	} `json:"fase"`
	Incendio struct {
		Requiere string `json:"requiere"`
		Amarillo fire   `json:"amarillo"`
		FFWI     struct {
			FFWI float64 `json:"ffwi"`
			PIG  float64 `json:"pig"`
		} `json:"amarillo_ffwi"`
		Rojo  fire    `json:"rojo"`
		Desde float64 `json:"hora_desde"`
		Hasta float64 `json:"hora_hasta"`
	} `json:"incendio"`
	Visibilidad struct {
		Amarillo  float64  `json:"amarillo"`
		Rojo      float64  `json:"rojo"`
		RojoEn    []string `json:"rojo_en"`
		RojoMedio float64  `json:"rojo_requiere_medio"`
	} `json:"visibilidad"`
	Combinacion struct {
		FRojo      float64 `json:"f_rojo"`
		KRojoMin   int     `json:"k_rojo_min"`
		FAmarillo  float64 `json:"f_amarillo"`
		UnRojo     bool    `json:"un_modelo_rojo_es_amarillo"`
		PlazoRojo  int     `json:"plazo_rojo_h"`
		PlazoNivel int     `json:"plazo_nivel_h"`
	} `json:"combinacion"`
	Confianza struct {
		Alta  confidenceLimit `json:"alta"`
		Media confidenceLimit `json:"media"`
	} `json:"confianza"`
	Histeresis Hysteresis `json:"histeresis"`
}

type pair[T any] struct {
	Amarillo T `json:"amarillo"`
	Rojo     T `json:"rojo"`
}

type windLimit struct {
	Racha float64 `json:"racha"`
	Medio float64 `json:"medio"` // noWindLimit: none, the trees take the mean wind
}

// noWindLimit in the file of thresholds, in km/h, stands for no limit.
const noWindLimit = 999

type coldLimit struct {
	Amarillo float64 `json:"amarillo_wct"`
	Rojo     float64 `json:"rojo_wct"`
}

// wetColdLimit has a mean wind for red alone; 0 asks for none.
type wetColdLimit struct {
	WCTMax   float64 `json:"wct_max"`
	P1hMin   float64 `json:"p1h_min"`
	MedioMin float64 `json:"medio_min"`
}

type driftLimit struct {
	Medio   float64 `json:"medio"`
	Nieve1h float64 `json:"nieve1h"`
}

type rainLimit struct {
	P1h  float64 `json:"p1h"`
	P3h  float64 `json:"p3h"`
	P24h float64 `json:"p24h"`
}

type debrisFlow struct {
	P24h float64 `json:"p24h"`
	H0   float64 `json:"h0"`
}

type fire struct {
	PIG   float64  `json:"pig"`
	Medio float64  `json:"medio"`
	HRMax *float64 `json:"hr_max"`
	TMin  *float64 `json:"t_min"`
}

type confidenceLimit struct {
	N       int     `json:"n"`
	Acuerdo float64 `json:"acuerdo"`
	Plazo   int     `json:"plazo"`
}

// Hysteresis is how alerts resist noise around a threshold.
type Hysteresis struct {
	ExitFactor     float64 `json:"factor_salida"`            // an alert is left at this fraction of its threshold
	RunsToRaise    int     `json:"corridas_subir"`           // runs in a row that a distant alert needs
	RunsToLower    int     `json:"corridas_bajar"`           // runs in a row below before an alert is lowered
	ImmediateHours int     `json:"subida_inmediata_plazo_h"` // up to this lead an alert is raised at once
	DataHours      int     `json:"vigencia_datos_h"`         // data older than this carry no level
}

// Threshold is one number of the rules, as published.
type Threshold struct {
	Key         string // place in the file, dots between the levels
	Hazard      string // hazard or part of the rules that it belongs to
	Value       float64
	HasValue    bool // false: Text holds what is not a number
	Text        string
	Unit        string // "" for pure numbers
	Source      string // where the number comes from
	Description string
}

// ParseRules reads a file of thresholds. An unknown or missing name and a threshold
// of red that is easier to reach than that of amber are errors that name the place.
func ParseRules(data []byte) (*Rules, error) {
	var t thresholds
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return nil, fmt.Errorf("thresholds: %w", err)
	}
	list, err := flatten(data)
	if err == nil {
		err = faults(&t, list)
	}
	if err != nil {
		return nil, fmt.Errorf("thresholds: %w", err)
	}
	return &Rules{limits: t, list: list, sets: buildSets(&t)}, nil
}

// faults names every fault of a file at once.
func faults(t *thresholds, list []Threshold) error {
	var all []error
	if t.Version == "" {
		all = append(all, errors.New("version is missing"))
	}
	embedded, err := flatten(defaultThresholds)
	if err != nil {
		return err
	}
	values := map[string]*Threshold{}
	for i := range list {
		values[list[i].Key] = &list[i]
	}
	for _, want := range embedded {
		if have := values[want.Key]; have == nil || have.HasValue != want.HasValue {
			all = append(all, fmt.Errorf("%s is missing", want.Key))
		}
	}
	for _, amber := range list {
		red := values[strings.Replace(amber.Key, "amarillo", "rojo", 1)]
		if red == nil || !red.HasValue || !amber.HasValue {
			continue
		}
		if milder := red.Value < amber.Value; milder != dangerousWhenLow(red.Key) && red.Value != amber.Value {
			all = append(all, fmt.Errorf("%s (%g) is easier to reach than %s (%g)", red.Key, red.Value, amber.Key, amber.Value))
		}
	}
	return errors.Join(all...)
}

func dangerousWhenLow(key string) bool {
	return strings.Contains(key, "wct") || strings.HasPrefix(key, "visibilidad.")
}

// flatten lists the values of the file in its order.
func flatten(data []byte) ([]Threshold, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	var list []Threshold
	return list, walk(d, "", &list)
}

func walk(d *json.Decoder, path string, list *[]Threshold) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case json.Delim:
		for i := 0; d.More(); i++ {
			key := fmt.Sprint(i)
			if v == '{' {
				name, err := d.Token()
				if err != nil {
					return err
				}
				key = name.(string)
			}
			if err := walk(d, strings.TrimPrefix(path+"."+key, "."), list); err != nil {
				return err
			}
		}
		_, err = d.Token()
		return err
	case float64:
		*list = append(*list, describe(Threshold{Key: path, Value: v, HasValue: true}))
	case string:
		if path == "version" || path == "nota" || strings.HasSuffix(path, ".nota") {
			return nil // about the file, no threshold
		}
		*list = append(*list, describe(Threshold{Key: path, Text: v}))
	default:
		text := fmt.Sprint(v)
		if v == nil {
			text = ""
		}
		*list = append(*list, describe(Threshold{Key: path, Text: text}))
	}
	return nil
}
