package api

import (
	"vigia/handlers/prepared"
	"vigia/store/catalogue"
)

func (b *build) thresholdList() *prepared.Body {
	w := writer{}
	w.open('{')
	w.textAt("reglas_version", b.e.Rules.Version())
	w.key("umbrales")
	w.open('[')
	for _, t := range b.e.Rules.Thresholds() {
		w.item()
		w.open('{')
		w.textAt("clave", t.Key)
		w.textAt("amenaza", t.Hazard)
		w.key("valor")
		if t.HasValue {
			w.decimal(t.Value, 5)
		} else {
			w.null()
		}
		w.textOrNullAt("texto", t.Text)
		w.textOrNullAt("unidad", t.Unit)
		w.textOrNullAt("fuente", t.Source)
		w.textOrNullAt("descripcion", t.Description)
		w.close('}')
	}
	w.close(']')
	w.close('}')
	return prepared.JSON(w.b)
}

// source is where data come from and what reusing them asks for.
type source struct{ name, kind, url, licence, obligation string }

// writeSources writes the fuentes of a park: what reusing each kind of data
// obliges to.
func (b *build) writeSources(w *writer, park *catalogue.Park) {
	weather := source{
		name: "Open-Meteo.com", kind: "meteorologia", url: "https://open-meteo.com/",
		licence: "CC BY 4.0",
		obligation: "Atribuir a Open-Meteo.com e indicar que este servicio procesó los datos. " +
			"La interfaz gratuita es para uso no comercial: quien les dé uso comercial debe contratar directamente con el proveedor.",
	}
	if b.e.Simulated {
		weather = source{
			name: "Datos simulados (demostración)", kind: "meteorologia",
			obligation: "Tiempo inventado para la demostración: no describe las condiciones de ningún lugar. No reutilizar.",
		}
	}
	administrator := source{
		name: park.Administrator, kind: "administracion", url: park.URL,
		obligation: "Citar a la administración del parque al mostrar el estado de apertura de sus senderos.",
	}
	if administrator.name == "" {
		administrator.name = "Administración del parque"
	}
	w.open('[')
	for _, s := range []source{
		weather,
		{
			name: "SERNAGEOMIN", kind: "volcanes", url: "https://www.sernageomin.cl/",
			obligation: "Citar a SERNAGEOMIN como fuente original al mostrar alertas técnicas volcánicas.",
		},
		administrator,
		{
			name: "Vigía", kind: "servicio", url: b.link("/"),
			obligation: "La licencia de los niveles y demás datos propios aún no está definida; mientras tanto, " +
				"nombrar al sitio y atribuir al proveedor de datos meteorológicos.",
		},
	} {
		w.item()
		w.open('{')
		w.textAt("nombre", s.name)
		w.textAt("tipo", s.kind)
		w.textOrNullAt("url", s.url)
		w.textOrNullAt("licencia", s.licence)
		w.textAt("obligacion", s.obligation)
		w.close('}')
	}
	w.close(']')
}
