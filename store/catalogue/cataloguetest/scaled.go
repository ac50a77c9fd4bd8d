// Package cataloguetest makes catalogues of any size for tests and measurements.
package cataloguetest

import (
	"bytes"
	"fmt"
	"slices"

	"vigia/store/catalogue"
)

// Scaled makes a catalogue of n trails: the default parks and trails over and over, each
// round 0.01° further east so that its locations are new ones. The last park may lack some
// of its trails. It panics when n < 1.
func Scaled(n int) *catalogue.Catalogue {
	base := catalogue.Default()
	c := &catalogue.Catalogue{Version: fmt.Sprintf("medicion-%d", n), Rules: base.Rules, Emergency: base.Emergency}
	for round := 0; len(c.Trails) < n; round++ {
		for i := range base.Parks {
			if missing := n - len(c.Trails); missing > 0 {
				trails := base.TrailsOf(i)
				addShifted(c, base.Parks[i], trails[:min(missing, len(trails))], round)
			}
		}
	}
	var file bytes.Buffer
	err := c.Export(&file)
	if err == nil {
		c, err = catalogue.Parse(c.Version, file.Bytes())
	}
	if err != nil {
		panic(fmt.Sprintf("cataloguetest.Scaled(%d): %v", n, err))
	}
	return c
}

func addShifted(c *catalogue.Catalogue, park catalogue.Park, trails []catalogue.Trail, round int) {
	east := 0.01 * float64(round)
	if round > 0 {
		park.Slug = fmt.Sprintf("%s-%d", park.Slug, round)
		park.Name = fmt.Sprintf("%s %d", park.Name, round)
	}
	park.Longitude += east
	c.Parks = append(c.Parks, park)
	for _, t := range trails {
		t.Park = len(c.Parks) - 1
		t.Points = slices.Clone(t.Points)
		for i := range t.Points {
			t.Points[i].Longitude += east
		}
		c.Trails = append(c.Trails, t)
	}
}
