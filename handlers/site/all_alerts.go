package site

import (
	"slices"
	"strconv"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// alertsPage is all alerts: the active ones by level, worst first, and in each by
// region from north to south.
type alertsPage struct {
	Known    bool
	Any      bool // there are active ones, current or not
	Levels   []alertLevelRows
	Regions  []alertRegionCounts // how to find those of a region; none when there are few
	Finished []alertView
}

// alertLevelRows is the active alerts of a level.
type alertLevelRows struct {
	Level   level
	Anchor  string
	Title   string
	Regions []alertRegionRows
}

// alertRegionRows is those of one region.
type alertRegionRows struct {
	Name, Anchor string
	Alerts       []alertView
}

// alertRegionCounts is a line of the table that leads to them.
type alertRegionCounts struct {
	Name   string
	Levels []alertRegionCount // as alertsPage.Levels
}

// alertRegionCount is how many alerts a region has in a level, and where they are.
type alertRegionCount struct {
	Count  int
	Anchor string // "" for none
	Text   string
}

// fewRegions is from how many regions on there is a table to choose one.
const fewRegions = 4

// levelsWorstFirst is the order of the alerts' levels.
var levelsWorstFirst = []alert.Level{alert.Danger, alert.Caution}

func (a almanac) alertsPage(m moment) alertsPage {
	page := alertsPage{Known: m.reason == hazard.NoReason, Finished: a.alerts(m, "").Finished}
	regions := regionsOf(m.Catalogue)
	byRegion := make(map[string][]*alert.Alert)
	for _, al := range m.alertsOf("") {
		if al.Active(m.now) {
			name := a.regionOf(m.Catalogue, al.Park)
			if !slices.Contains(regions, name) {
				regions = append(regions, name)
			}
			byRegion[name] = append(byRegion[name], al)
		}
	}
	for _, lvl := range levelsWorstFirst {
		if rows := a.levelRows(m, lvl, regions, byRegion); len(rows.Regions) > 0 {
			page.Any, page.Levels = true, append(page.Levels, rows)
		}
	}
	if len(byRegion) >= fewRegions {
		page.Regions = a.texts.regionCounts(page.Levels, regions)
	}
	return page
}

// levelRows lists the alerts of a level by region.
func (a almanac) levelRows(m moment, of alert.Level, regions []string, byRegion map[string][]*alert.Alert) alertLevelRows {
	rows := alertLevelRows{Level: alertLevel(a.texts, of), Anchor: of.String()}
	total := 0
	for i, region := range regions {
		in := alertRegionRows{Name: region, Anchor: of.String() + "-" + strconv.Itoa(i+1)}
		for _, al := range byRegion[region] {
			if al.Level == of {
				in.Alerts = append(in.Alerts, a.at(al, m).alert(al, m))
			}
		}
		if len(in.Alerts) > 0 {
			rows.Regions, total = append(rows.Regions, in), total+len(in.Alerts)
		}
	}
	title := "alertas.nivel." + of.String()
	rows.Title = a.texts.count(title, total)
	return rows
}

// regionCounts makes the table of regions by level: those with any alert.
func (t texts) regionCounts(levels []alertLevelRows, regions []string) []alertRegionCounts {
	var table []alertRegionCounts
	for _, region := range regions {
		line, found := alertRegionCounts{Name: region}, false
		for _, l := range levels {
			var cell alertRegionCount
			if i := slices.IndexFunc(l.Regions, func(r alertRegionRows) bool { return r.Name == region }); i >= 0 {
				cell = alertRegionCount{Count: len(l.Regions[i].Alerts), Anchor: l.Regions[i].Anchor}
				cell.Text = t.say("alertas.en_region", "n", cell.Count, "nivel", l.Level.Word, "region", region)
				found = true
			}
			line.Levels = append(line.Levels, cell)
		}
		if found {
			table = append(table, line)
		}
	}
	return table
}

// regionsOf lists the regions from north to south.
func regionsOf(c *catalogue.Catalogue) []string {
	var regions []string
	for _, i := range northToSouth(c.Parks) {
		if name := c.Parks[i].Region; len(regions) == 0 || regions[len(regions)-1] != name {
			regions = append(regions, name)
		}
	}
	return regions
}

// regionOf gives the region of a park, a name of its own for one that the
// catalogue no longer has.
func (a almanac) regionOf(c *catalogue.Catalogue, park string) string {
	if i, ok := c.ParkBySlug(park); ok {
		return c.Parks[i].Region
	}
	return a.texts.say("alertas.sin_region")
}
