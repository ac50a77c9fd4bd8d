package site

import (
	"cmp"
	"slices"
	"strconv"

	"vigia/forecast/alert"
)

// alertsPage is all alerts: the active ones by level, worst first, and in each by
// region from north to south.
type alertsPage struct {
	alertList
	Of      parkLink // the one park whose alerts they are, if it is one
	Levels  []alertLevelRows
	Regions []alertRegionCounts // how to find those of a region; none when there are few
}

// alertLevelRows is the active alerts of a level.
type alertLevelRows struct {
	Level   Level
	Anchor  string
	Title   string
	Regions []alertRegionRows
}

// alertRegionRows is those of one region.
type alertRegionRows struct {
	Name, Anchor string
	Alerts       []AlertView
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

// parkQuery chooses the alerts of one park, by its slug.
const parkQuery = "?parque="

// alertsPage returns the alerts of a park, or of all parks when slug is empty.
func (v View) alertsPage(slug string) alertsPage {
	page := alertsPage{alertList: v.alerts(slug)}
	if i, ok := v.Catalogue.ParkBySlug(slug); ok {
		page.Of = v.linkTo(v.Catalogue.Parks[i])
	}
	regions, byRegion := v.regions(), make(map[string][]AlertView)
	for _, a := range page.Active {
		name := cmp.Or(a.Park.Region, v.Text("alertas.sin_region")) // the catalogue has the park no longer
		if !slices.Contains(regions, name) {
			regions = append(regions, name)
		}
		byRegion[name] = append(byRegion[name], a)
	}
	for _, level := range []alert.Level{alert.Danger, alert.Caution} {
		if rows := v.levelRows(level, regions, byRegion); len(rows.Regions) > 0 {
			page.Levels = append(page.Levels, rows)
		}
	}
	if len(byRegion) >= fewRegions {
		page.Regions = v.regionCounts(page.Levels, regions)
	}
	return page
}

// levelRows lists the alerts of a level by region.
func (v View) levelRows(of alert.Level, regions []string, byRegion map[string][]AlertView) alertLevelRows {
	rows, total := alertLevelRows{Level: v.alertLevel(of), Anchor: of.String()}, 0
	for i, region := range regions {
		in := alertRegionRows{Name: region, Anchor: of.String() + "-" + strconv.Itoa(i+1)}
		for _, a := range byRegion[region] {
			if a.Alert.Level == of {
				in.Alerts = append(in.Alerts, a)
			}
		}
		if len(in.Alerts) > 0 {
			rows.Regions, total = append(rows.Regions, in), total+len(in.Alerts)
		}
	}
	title := "alertas.nivel." + of.String()
	rows.Title = v.Count(title, total)
	return rows
}

// regionCounts makes the table of regions by Level: those with any alert.
func (v View) regionCounts(levels []alertLevelRows, regions []string) []alertRegionCounts {
	var table []alertRegionCounts
	for _, region := range regions {
		line, found := alertRegionCounts{Name: region}, false
		for _, l := range levels {
			var cell alertRegionCount
			if i := slices.IndexFunc(l.Regions, func(r alertRegionRows) bool { return r.Name == region }); i >= 0 {
				cell = alertRegionCount{Count: len(l.Regions[i].Alerts), Anchor: l.Regions[i].Anchor}
				cell.Text = v.Text("alertas.en_region", "n", cell.Count, "nivel", l.Level.Word, "region", region)
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

// regions lists the regions from north to south.
func (v View) regions() []string {
	var regions []string
	for _, i := range NorthToSouth(v.Catalogue.Parks) {
		regions = append(regions, v.Catalogue.Parks[i].Region)
	}
	return slices.Compact(regions)
}
