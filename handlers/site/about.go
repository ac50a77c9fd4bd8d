package site

import "vigia/store/catalogue"

// aboutPage is who publishes the site, from what, and in which other forms.
type aboutPage struct {
	Parks, Trails string
	Approximate   int    // trails whose place is known to some kilometres only
	Example       string // slug of the park that a form of parks is shown with; "" without parks
}

func (v View) about() aboutPage {
	c := v.Catalogue
	page := aboutPage{Parks: v.Count("parques.cuenta", len(c.Parks)), Trails: v.Count("senderos.cuenta", len(c.Trails))}
	if len(c.Parks) > 0 {
		page.Example = exampleOf("torres-del-paine", c)
	}
	for i := range c.Trails {
		if c.Trails[i].Approximate {
			page.Approximate++
		}
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
