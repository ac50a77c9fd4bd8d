// Package notices holds what official bodies say of parks and volcanoes: the
// technical alert levels of the geology service and the closures of the park
// administration. They are shown beside the service's own estimates, with their
// source, and never change them.
//
// Data passes through it top to bottom: a document of one [Kind] ([Read]) is taken
// apart into rows, JSON or CSV alike, each value is checked against the catalogue,
// and the whole comes out as a [Batch], or as a [FaultsError] that names every bad
// value: nothing of a document with a fault is used. The batches that hold make a
// [Set], which is asked what concerns a park at an instant.
//
// # The documents
//
// UTF-8, at most 1 MB and 5,000 rows. JSON is a list of objects, or one object with
// that list under the name of its kind (volcanes, cierres) or of the API
// (alertas_volcanicas, cierres). CSV has a first line with the names of the columns,
// separated by commas or semicolons. Every value is a text; null and "" stand for
// a value that is left out. Unknown and repeated fields are faults. A document
// replaces everything that was known of its kind; an empty list says that nothing
// is known.
//
//	volcanes   volcan         slug or name of a volcano of the catalogue, once each
//	           nivel_tecnico  verde, amarilla, naranja, roja
//	           fuente         who says so
//	           fuente_url     where: http or https
//	           publicado_en   when it was published
//	           obtenido_en    optional: when it was read there, if before the import
//	cierres    parque         slug or name of a park of the catalogue
//	           alcance        optional: parque or sendero; else by whether there is a sendero
//	           sendero        slug or name of a trail of the park, with alcance sendero
//	           situacion      cerrado, restringido
//	           detalle        optional: plain text in one line, at most 500 characters
//	           desde, hasta   optional: from when and until when it holds
//	           fuente, fuente_url
//	           publicado_en, obtenido_en   optional
//
// Times are RFC 3339 with a zone (2026-11-21T09:00:00-03:00), or a date
// (2026-11-21), which is that day in the park's zone, the whole of it for hasta; in
// Santiago's for a volcano.
package notices

import "time"

// Kind is what a document or a batch is about.
type Kind uint8

// The kinds of notices.
const (
	Volcanoes Kind = iota
	Closures
	NumKinds
)

var kindNames = [NumKinds]string{"volcanes", "cierres"}

// String returns the kind's name in commands, files and the API's health.
func (k Kind) String() string { return kindNames[k] }

// KindOf finds a kind by its name.
func KindOf(name string) (Kind, bool) {
	for k, known := range kindNames {
		if name == known {
			return Kind(k), true
		}
	}
	return 0, false
}

// Level is a technical alert level of the geology service, which is about the
// volcano and not about the weather.
type Level uint8

// The levels; there is no zero one, since an unknown level is no notice.
const (
	Green Level = iota + 1
	Yellow
	Orange
	Red
)

var levelNames = []string{"", "verde", "amarilla", "naranja", "roja"}

// String returns the level in the geology service's own word.
func (l Level) String() string { return levelNames[l] }

// Volcanic is the level of one volcano.
type Volcanic struct {
	Volcano     string    `json:"volcan"` // slug
	Level       Level     `json:"nivel"`
	Source      string    `json:"fuente"`
	SourceURL   string    `json:"url"`
	PublishedAt time.Time `json:"publicado"`
	ObtainedAt  time.Time `json:"obtenido"`
}

// Closure is a park or a trail that is closed or restricted.
type Closure struct {
	Park        string    `json:"parque"`            // slug
	Trail       string    `json:"sendero,omitempty"` // slug; "" for the whole park
	Situation   string    `json:"situacion"`         // cerrado or restringido
	Detail      string    `json:"detalle,omitempty"` // plain text; "" when none was given
	From        time.Time `json:"desde"`             // zero when not said
	Until       time.Time `json:"hasta"`             // first instant at which it holds no more; zero when not said
	Source      string    `json:"fuente"`
	SourceURL   string    `json:"url"`
	PublishedAt time.Time `json:"publicado"` // zero when not said
	ObtainedAt  time.Time `json:"obtenido"`
}

// Batch is everything known of one kind, as one document said it.
type Batch struct {
	Kind       Kind       `json:"-"`
	ObtainedAt time.Time  `json:"obtenido"` // when the document was read; zero when there never was one
	Volcanic   []Volcanic `json:"volcanes,omitempty"`
	Closures   []Closure  `json:"cierres,omitempty"`
}

// Len is the number of notices in the batch.
func (b *Batch) Len() int { return len(b.Volcanic) + len(b.Closures) }

// Set is the batches that hold. It is not changed once it is shown.
type Set [NumKinds]Batch
