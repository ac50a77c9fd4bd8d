package site

import (
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/web/wording"
)

// dayTable is the weather of the days to come, a row a day.
type dayTable struct {
	Note string // whose weather it is
	Days []dayRow
}

// dayRow is the weather of a local day. A value that is missing says so.
type dayRow struct {
	Near        string // "hoy", "" for a day that is not near
	Name        string // "lun 23"
	Level       Level  // of the hours that have one; Key "" for a day without a level
	Sky         sky
	Temperature tableCell // "3 a 11"
	Gust        tableCell // "95"
	From        string    // where that gust comes from: "O"
	Rain, Snow  tableCell
	UV          tableCell
}

// trailDays returns the days to come of a trail; at is its state in the hours ahead.
func (v View) trailDays(trail, reach int, at func(ahead int) snapshot.ParkState) *dayTable {
	point := v.Catalogue.Trails[trail].CriticalPoint().Name
	return v.dayTable(v.Text("por_dia.sendero", "lugar", point), v.DaysOf(trail, v.Zone), reach, at)
}

// parkDays returns the days to come of a park: the most extreme values of its trails that
// have estimates.
func (v View) parkDays(park, reach int, at func(ahead int) snapshot.ParkState) *dayTable {
	var days [snapshot.WeatherDays]snapshot.Day
	trails, known := v.trailsOf(park), 0
	for _, trail := range trails {
		if len(v.HoursOf(trail)) == 0 {
			continue
		}
		here := v.DaysOf(trail, v.Zone)
		for i := range days {
			if known > 0 {
				here[i] = moreExtreme(days[i], here[i])
			}
		}
		days, known = here, known+1
	}
	note := v.Count("por_dia.parque", known)
	if known < len(trails) {
		note = v.Text("por_dia.parque_parte", "n", known, "m", len(trails))
	}
	return v.dayTable(note, days, reach, at)
}

// moreExtreme returns the extremes of two places on a day. What one of them lacks is
// missing.
func moreExtreme(a, b snapshot.Day) snapshot.Day {
	if b.Gust > a.Gust || wording.Missing(b.Gust) {
		a.Gust, a.GustFrom = b.Gust, b.GustFrom
	}
	a.TemperatureMin, a.TemperatureMax = min(a.TemperatureMin, b.TemperatureMin), max(a.TemperatureMax, b.TemperatureMax)
	a.Precipitation, a.Snow, a.UV = max(a.Precipitation, b.Precipitation), max(a.Snow, b.Snow), max(a.UV, b.UV)
	a.Code, a.Models = max(a.Code, b.Code), min(a.Models, b.Models) // NoCode is the greatest
	return a
}

// dayTable makes the table; it is nil where no day is known.
func (v View) dayTable(note string, days [snapshot.WeatherDays]snapshot.Day, reach int, at func(ahead int) snapshot.ParkState) *dayTable {
	table, known, near := &dayTable{Note: note}, false, v.Localizer
	near.Days = wording.ByNearness
	for _, d := range days {
		row := dayRow{
			Name: v.Date(d.Noon), Level: v.dayLevel(d.Noon, reach, at), Sky: v.sky(d.Code, false), Temperature: v.tableCell(d.TemperatureMin, whole),
			Gust: v.tableCell(d.Gust, whole), Rain: v.tableCell(d.Precipitation, tenths), Snow: v.tableCell(d.Snow, tenths), UV: v.tableCell(d.UV, whole),
		}
		if highest := v.tableCell(d.TemperatureMax, whole); highest != row.Temperature && row.Temperature.Class != "sin" {
			row.Temperature = tableCell{Text: v.Text("por_dia.de_a", "min", row.Temperature.Text, "max", highest.Text), Class: highest.Class}
		}
		if name := near.Day(d.Noon); name != row.Name {
			row.Near = name
		}
		if !wording.Missing(d.Gust) {
			row.From = v.CompassPoint(d.GustFrom)
		}
		known = known || d.Models > 0
		table.Days = append(table.Days, row)
	}
	if !known {
		return nil
	}
	return table
}

// dayLevel returns the worst of a local day. A day that goes on beyond the hours that are
// estimated has no level unless it is amber or red, nor has one without any.
func (v View) dayLevel(noon time.Time, reach int, at func(ahead int) snapshot.ParkState) Level {
	worst := v.WorstOfDay(noon, func(ahead int) snapshot.ParkState {
		if ahead >= reach {
			return snapshot.ParkState{Main: hazard.NoHazard, Reason: hazard.BeyondHorizon}
		}
		return at(ahead)
	})
	if worst.State < hazard.Amber && wording.DaysBetween(noon, v.HourAhead(reach).In(v.Zone)) < 1 {
		return Level{}
	}
	return v.level(worst.State)
}
