package catalogue

import (
	"fmt"

	"vigia/store/document"
)

// check names what the values of a file contradict: repeated slugs, unknown parks, parks
// without a trail, places that are none.
func (f *file) check(d *document.Document) {
	parks := slugs{d, "parque", map[string]bool{}}
	trails := map[string]int{} // by park
	for i := range f.Trails {
		trails[f.Trails[i].In]++
	}
	for i, p := range f.Parks {
		at := fmt.Sprintf("/parques/%d", i)
		parks.add(at+"/slug", p.Slug, p.Slug)
		checkPlace(d, at, p.Latitude, p.Longitude)
		if p.Slug != "" && trails[p.Slug] == 0 {
			d.Add(at, "el parque %s no tiene senderos y así nunca tendría una estimación: agregue al menos uno, por ejemplo un «Sector de visita» con un punto en su acceso", document.Shown(p.Slug))
		}
	}
	f.checkTrails(d, parks)
	f.checkVolcanoes(d, parks)
}

// slugs are those of one kind that were seen.
type slugs struct {
	d    *document.Document
	kind string
	seen map[string]bool
}

// add names a slug that was seen with the same key. An empty one has its own fault.
func (s slugs) add(at, slug, key string) {
	if slug != "" && s.seen[key] {
		s.d.Add(at, "%s ya es el slug de otro %s", document.Shown(slug), s.kind)
	}
	s.seen[key] = true
}

// refer names a reference to a slug that there is not. Without any slugs it names none:
// that the parks are missing is one fault, not one for every trail.
func (s slugs) refer(at, slug string) {
	if len(s.seen) > 0 && slug != "" && !s.seen[slug] {
		s.d.Add(at, "%s no es el slug de ningún %s del catálogo", document.Shown(slug), s.kind)
	}
}

// checkPlace names a place at 0, 0: a point in the Atlantic and, in practice, a place that
// someone left out.
func checkPlace(d *document.Document, at string, latitude, longitude float64) {
	if latitude == 0 && longitude == 0 {
		d.Add(at, "latitud y longitud son 0: falta la ubicación verdadera")
	}
}

func (f *file) checkTrails(d *document.Document, parks slugs) {
	trails := slugs{d, "sendero del parque", map[string]bool{}}
	for i, t := range f.Trails {
		at := fmt.Sprintf("/senderos/%d", i)
		parks.refer(at+"/parque", t.In)
		trails.add(at+"/slug", t.Slug, t.In+"/"+t.Slug)
		criticals := 0
		for j, p := range t.Points {
			at := fmt.Sprintf("%s/puntos/%d", at, j)
			checkPlace(d, at, p.Latitude, p.Longitude)
			if p.Critical {
				criticals++
			}
			if p.Critical && criticals == 2 {
				d.Add(at, "más de un punto crítico; se admite uno solo")
			}
		}
	}
}

func (f *file) checkVolcanoes(d *document.Document, parks slugs) {
	volcanoes := slugs{d, "volcán", map[string]bool{}}
	for i, v := range f.Volcanoes {
		at := fmt.Sprintf("/volcanes/%d", i)
		volcanoes.add(at+"/slug", v.Slug, v.Slug)
		checkPlace(d, at, v.Latitude, v.Longitude)
		near := map[string]bool{}
		for j, n := range v.Near {
			at := fmt.Sprintf("%s/parques/%d/parque", at, j)
			parks.refer(at, n.Park)
			if n.Park != "" && near[n.Park] {
				d.Add(at, "%s ya está entre los parques de este volcán", document.Shown(n.Park))
			}
			near[n.Park] = true
		}
	}
}
