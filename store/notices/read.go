package notices

import (
	"slices"
	"time"

	"vigia/store/catalogue"
	"vigia/store/document"
)

// Read takes a document of a kind apart. It is all or nothing: with a fault
// anywhere the error is a [*FaultsError] with all of them. now is when the document
// was obtained; nothing may have been published after it.
func Read(kind Kind, d Document, c *catalogue.Catalogue, now time.Time) (Batch, error) {
	rows, faults, err := d.rows(kind, knownFields[kind])
	if err != nil {
		return Batch{}, err
	}
	r := reading{names: newNames(c), now: now.UTC(), faults: faults}
	b := Batch{Kind: kind, ObtainedAt: r.now}
	for _, row := range rows {
		rec := &record{row: row, reading: &r}
		switch kind {
		case Volcanoes:
			b.Volcanic = append(b.Volcanic, rec.volcanic(b.Volcanic))
		case Closures:
			b.Closures = append(b.Closures, rec.closure(b.Closures))
		}
	}
	if err := faults.Err(); err != nil {
		return Batch{}, err
	}
	return b, nil
}

// knownFields are the fields of a row, in the order in which faults list them.
var knownFields = [NumKinds][]string{
	Volcanoes: {"volcan", "nivel_tecnico", "fuente", "fuente_url", "publicado_en", "obtenido_en"},
	Closures: {"parque", "alcance", "sendero", "situacion", "detalle", "desde", "hasta",
		"fuente", "fuente_url", "publicado_en", "obtenido_en"},
}

// The words of closures.
const (
	wholePark  = "parque"
	oneTrail   = "sendero"
	closed     = "cerrado"
	restricted = "restringido"
)

// reading is what all rows of a document share.
type reading struct {
	*names
	now    time.Time
	faults *document.Faults
}

// record is a row being checked.
type record struct {
	row
	*reading
}

// volcanic checks a row on a volcano, of which none before may be about the same.
func (r *record) volcanic(before []Volcanic) Volcanic {
	v := Volcanic{
		Volcano: r.volcano(),
		Level:   Level(1 + r.choice("nivel_tecnico", levelNames[1:])),
		Source:  r.required("fuente", maxSource), SourceURL: r.address(),
		PublishedAt: r.past("publicado_en", true), ObtainedAt: r.obtained(),
	}
	if slices.ContainsFunc(before, func(b Volcanic) bool { return b.Volcano == v.Volcano && v.Volcano != "" }) {
		r.fault("volcan", "%s está repetido; cada volcán va una sola vez", document.Shown(r.fields["volcan"].text))
	}
	return v
}

// closure checks a row on a closure; the very same row twice is a fault.
func (r *record) closure(before []Closure) Closure {
	c := Closure{
		Detail: r.text("detalle", maxDetail), Source: r.required("fuente", maxSource), SourceURL: r.address(),
		PublishedAt: r.past("publicado_en", false), ObtainedAt: r.obtained(),
		Situation: []string{closed, restricted}[max(0, r.choice("situacion", []string{closed, restricted}))],
	}
	park, ok := r.park()
	if ok {
		p := &r.c.Parks[park]
		c.Park = p.Slug
		c.Trail = r.trail(park)
		c.From, c.Until = r.instant("desde", p.TimeZone, startOfDay), r.instant("hasta", p.TimeZone, endOfDay)
	}
	if !c.From.IsZero() && !c.Until.IsZero() && !c.From.Before(c.Until) {
		r.fault("hasta", "%s no es posterior a desde (%s)", document.Shown(r.fields["hasta"].text), document.Shown(r.fields["desde"].text))
	}
	if ok && slices.Contains(before, c) {
		r.fault("", "este aviso ya está en una fila anterior")
	}
	return c
}
