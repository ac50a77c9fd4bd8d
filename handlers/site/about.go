package site

import "vigia/store/catalogue"

// aboutPage is who publishes the site, from what, and in which other forms.
type aboutPage struct {
	Parks, Trails string
	Approximate   int // trails whose place is known to some kilometres only
	Formats       []formatLink
}

// formatLink is a file of package feeds, or a page in another form.
type formatLink struct{ Name, Path string }

// about returns the page. A form that needs a park is shown with the one of the API's
// examples.
func (v View) about() aboutPage {
	c := v.Catalogue
	page := aboutPage{Parks: v.Count("parques.cuenta", len(c.Parks)), Trails: v.Count("senderos.cuenta", len(c.Trails))}
	for i := range c.Trails {
		if c.Trails[i].Approximate {
			page.Approximate++
		}
	}
	add := func(name, path string) {
		page.Formats = append(page.Formats, formatLink{v.Text(name), path})
	}
	add("acerca.formato.geojson", "/parques.geojson")
	add("acerca.formato.atom", v.Path("/alertas.atom"))
	add("acerca.formato.pares", PrecisionCSV)
	if len(c.Parks) > 0 {
		slug := exampleOf("torres-del-paine", c)
		add("acerca.formato.atom_parque", v.Path("/parques/"+slug+"/alertas.atom"))
		add("acerca.formato.csv", "/parques/"+slug+"/historial.csv")
		add("acerca.formato.hoja", v.Path("/parques/"+slug+"/hoja"))
		add("acerca.formato.insignia", v.Path("/insignia/"+slug+".svg"))
		add("acerca.formato.texto", v.Path("/texto/"+slug))
	}
	return page
}

// exampleOf returns the park of an example: the one of the document where the
// catalogue has it, else any.
func exampleOf(park string, c *catalogue.Catalogue) string {
	if _, ok := c.ParkBySlug(park); !ok && len(c.Parks) > 0 {
		return c.Parks[0].Slug
	}
	return park
}
