package catalogue

import "vigia/store/document"

// check names what is wrong between the parts of a file: repeated slugs,
// unknown parks, parks without a trail.
func (r *reader) check(d *draft) {
	parks := r.checkParks(d)
	trails := make(map[string]int, len(parks)) // by park
	seen := make(map[[2]string]bool, len(d.trails))
	for _, t := range d.trails {
		r.checkReference(t.park, parks, d.parksAt)
		trails[t.park.slug]++
		key := [2]string{t.park.slug, t.Slug}
		if t.slugAt != nil && t.park.at != nil && seen[key] {
			r.Add(t.slugAt, "%s ya es el slug de otro sendero del parque %s", document.Shown(t.Slug), document.Shown(t.park.slug))
		}
		seen[key] = true
	}
	for _, p := range d.parks {
		if p.slugAt != nil && trails[p.Slug] == 0 {
			r.Add(p.slugAt.Parent(), "el parque %s no tiene senderos y así nunca tendría una estimación: agregue al menos uno, por ejemplo un «Sector de visita» con un punto en su acceso", document.Shown(p.Slug))
		}
	}
	r.checkVolcanoes(d, parks)
}

func (r *reader) checkParks(d *draft) map[string]bool {
	known := make(map[string]bool, len(d.parks))
	for _, p := range d.parks {
		if p.slugAt != nil && known[p.Slug] {
			r.Add(p.slugAt, "%s ya es el slug de otro parque", document.Shown(p.Slug))
		}
		known[p.Slug] = true
	}
	return known
}

// checkReference says nothing when the parks are missing as a whole: that is
// one fault, not one for every trail.
func (r *reader) checkReference(park reference, known map[string]bool, parksAt *document.Place) {
	if park.at != nil && parksAt != nil && !known[park.slug] {
		r.Add(park.at, "%s no es el slug de ningún parque del catálogo", document.Shown(park.slug))
	}
}

func (r *reader) checkVolcanoes(d *draft, parks map[string]bool) {
	seen := make(map[string]bool, len(d.volcanoes))
	for _, v := range d.volcanoes {
		if v.slugAt != nil && seen[v.Slug] {
			r.Add(v.slugAt, "%s ya es el slug de otro volcán", document.Shown(v.Slug))
		}
		seen[v.Slug] = true
		near := make(map[string]bool, len(v.near))
		for _, n := range v.near {
			r.checkReference(n.park, parks, d.parksAt)
			if n.park.at != nil && near[n.park.slug] {
				r.Add(n.park.at, "%s ya está entre los parques de este volcán", document.Shown(n.park.slug))
			}
			near[n.park.slug] = true
		}
	}
}
