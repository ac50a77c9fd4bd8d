package api

import (
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

func (b *build) thresholds() Thresholds {
	return Thresholds{b.e.Rules.Version(), listOf(b.e.Rules.Thresholds(), func(t hazard.Threshold) Threshold {
		made := Threshold{
			Key: t.Key, Hazard: t.Hazard, Text: orNull(t.Text), Unit: orNull(t.Unit),
			Source: orNull(t.Source), Description: orNull(t.Description),
		}
		if t.HasValue {
			made.Value = decimal(t.Value, 5)
		}
		return made
	})}
}

// sources returns what reusing each kind of a park's data obliges to.
func (b *build) sources(park *catalogue.Park) []Source {
	words := wording.Spanish
	weather := Source{
		Name: "Open-Meteo.com", Kind: "meteorologia", URL: new("https://open-meteo.com/"), Licence: new("CC BY 4.0"),
		Obligation: words.Text("obligacion.tiempo") + " " + words.Text("obligacion.uso_comercial"),
	}
	if b.e.Simulated {
		weather = Source{Name: words.Text("simulado.titulo"), Kind: "meteorologia", Obligation: words.Text("simulado.texto")}
	}
	administrator := park.Administrator
	if administrator == "" {
		administrator = wording.Capital(words.Text("parque.sin_administrador"))
	}
	return []Source{
		weather,
		{Name: "SERNAGEOMIN", Kind: "volcanes", URL: new("https://www.sernageomin.cl/"), Obligation: words.Text("obligacion.volcanes")},
		{Name: administrator, Kind: "administracion", URL: orNull(park.URL), Obligation: words.Text("obligacion.acceso")},
		{Name: "Vigía", Kind: "servicio", URL: new(b.BaseURL + "/"), Obligation: words.Text("obligacion.propios")},
	}
}
