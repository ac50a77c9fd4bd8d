package site

// aboutPage says who publishes the site, from what, and in which other forms.
type aboutPage struct {
	Parks, Trails string
	Approximate   int // trails whose place is known to some kilometres only
	Formats       []formatLink
}

// formatLink is a page or file in another form.
type formatLink struct{ Name, Path string }

// about makes the page. A form that needs a park is shown with the one of the examples of the API.
func (p *printing) about() aboutPage {
	c := p.Catalogue
	page := aboutPage{Parks: p.count("parques.cuenta", len(c.Parks)), Trails: p.count("senderos.cuenta", len(c.Trails))}
	for i := range c.Trails {
		if c.Trails[i].Approximate {
			page.Approximate++
		}
	}
	formats := []formatLink{
		{"acerca.formato.geojson", "/parques.geojson"}, {"acerca.formato.atom", "/alertas.atom"}, {"acerca.formato.pares", precisionCSV},
	}
	if len(c.Parks) > 0 {
		slug := exampleOf("torres-del-paine", c)
		formats = append(formats, []formatLink{
			{"acerca.formato.atom_parque", "/parques/" + slug + "/alertas.atom"}, {"acerca.formato.csv", "/parques/" + slug + "/historial.csv"},
			{"acerca.formato.hoja", "/parques/" + slug + "/hoja"}, {"acerca.formato.insignia", "/insignia/" + slug + ".svg"},
			{"acerca.formato.texto", "/texto/" + slug},
		}...)
	}
	for _, f := range formats {
		for _, path := range []string{p.path(f.Path), f.Path} {
			if p.shelf.Page(path) != nil {
				page.Formats = append(page.Formats, formatLink{p.say(f.Name), path})
				break
			}
		}
	}
	return page
}
