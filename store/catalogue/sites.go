package catalogue

import "vigia/forecast/hazard"

// Sites returns the trails, in their order, in the form of the rules.
func (c *Catalogue) Sites() []hazard.Site {
	list := make([]hazard.Site, len(c.Trails))
	for i, trail := range c.Trails {
		site := hazard.Site{Zone: trail.Zone, Remote: trail.Remote, Fuel: trail.Fuel, Basin: trail.Basin, TimeZone: c.Parks[trail.Park].TimeZone}
		for _, p := range trail.Points {
			site.Points = append(site.Points, hazard.Point{Exposure: p.Exposure, Critical: p.Critical, HeightM: p.Location.Elevation, At: p.At})
		}
		list[i] = site
	}
	return list
}
