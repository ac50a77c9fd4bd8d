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
	from, err := document.Open(d.Name, d.Data, form)
	if err != nil {
		return Batch{}, err
	}
	r := &reader{Document: from, c: c, now: now.UTC()}
	b := Batch{Kind: kind, ObtainedAt: r.now}
	switch kind {
	case Volcanoes:
		var rows []volcanicRow
		from.Rows(&rows, maxRows, d.OnlyJSON, "volcanes", "alertas_volcanicas")
		b.Volcanic = r.volcanic(rows)
	case Closures:
		var rows []closureRow
		from.Rows(&rows, maxRows, d.OnlyJSON, "cierres")
		b.Closures = r.closures(rows)
	}
	if err := from.Err(); err != nil {
		return Batch{}, err
	}
	return b, nil
}

// reader checks the rows of a document against the catalogue and the clock.
type reader struct {
	*document.Document
	c   *catalogue.Catalogue
	now time.Time
	row int // the one being checked
}

// fault names a field of the row as wrong.
func (r *reader) fault(field, format string, args ...any) { r.AddRow(r.row, field, format, args...) }

// volcanic checks rows on volcanoes, each of which may be named once.
func (r *reader) volcanic(rows []volcanicRow) (list []Volcanic) {
	slugs := namesOf(r.c.Volcanoes, func(v *catalogue.Volcano) (slug, name string) { return v.Slug, v.Name })
	seen := map[string]bool{}
	for i, row := range rows {
		r.row = i
		v := Volcanic{
			Volcano: r.find("volcan", row.Volcano, slugs), Level: row.Level + 1, Source: row.Source, SourceURL: row.SourceURL,
			PublishedAt: r.past("publicado_en", row.PublishedAt), ObtainedAt: r.obtained(row.ObtainedAt),
		}
		if v.Volcano != "" && seen[v.Volcano] {
			r.fault("volcan", "%s está repetido; cada volcán va una sola vez", document.Shown(row.Volcano))
		}
		seen[v.Volcano] = true
		list = append(list, v)
	}
	return list
}

// closures checks rows on closures; the very same one twice is a fault.
func (r *reader) closures(rows []closureRow) (list []Closure) {
	slugs := namesOf(r.c.Parks, func(p *catalogue.Park) (slug, name string) { return p.Slug, p.Name })
	for i, row := range rows {
		r.row = i
		c := Closure{
			Park: r.find("parque", row.Park, slugs), Situation: row.Situation, Detail: row.Detail, Source: row.Source, SourceURL: row.SourceURL,
			PublishedAt: r.past("publicado_en", row.PublishedAt), ObtainedAt: r.obtained(row.ObtainedAt),
		}
		if park, known := r.c.ParkBySlug(c.Park); known {
			r.placed(&c, row, park)
		}
		if c.Park != "" && slices.Contains(list, c) {
			r.fault("", "este aviso ya está en una fila anterior")
		}
		list = append(list, c)
	}
	return list
}

// placed reads what of a closure depends on its park.
func (r *reader) placed(c *Closure, row closureRow, park int) {
	zone := r.c.Parks[park].TimeZone
	switch {
	case row.Scope == wholePark && row.Trail != "":
		r.fault("alcance", "es parque, pero hay un sendero; con un sendero es sendero")
	case row.Scope == oneTrail && row.Trail == "":
		r.fault(oneTrail, "falta este campo obligatorio")
	default:
		c.Trail = r.find(oneTrail, row.Trail, namesOf(r.c.TrailsOf(park), func(t *catalogue.Trail) (slug, name string) { return t.Slug, t.Name }))
	}
	c.From, c.Until = r.instant("desde", row.From, zone, 0), r.instant("hasta", row.Until, zone, 1) // that day included
	if !c.From.IsZero() && !c.Until.IsZero() && !c.From.Before(c.Until) {
		r.fault("hasta", "%s no es posterior a desde (%s)", document.Shown(row.Until), document.Shown(row.From))
	}
}
