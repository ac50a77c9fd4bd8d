package site

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"vigia/forecast/hazard"
	"vigia/handlers/api"
	"vigia/store/catalogue"
)

// hourTable is a trail's hours ahead as a table, one row an hour. It is all that
// the graph above it draws from.
type hourTable struct {
	Columns []column
	Days    []tableDay
	Ends    string // that the estimates end before their time, and when
}

// column is a variable of the table. Its unit is said once, in its head.
type column struct {
	Key, Name, Unit string
}

// tableDay is one local day of a table.
type tableDay struct {
	Name string
	Sun  string // when the sun rises and sets, empty where it does not
	Note string // that the clocks change on this day
	Rows []tableRow
}

// tableRow is an hour of a table.
type tableRow struct {
	level
	ISO   string // with the offset from UTC, which tells repeated hours apart
	Hour  string
	Why   string // the hazards, or the reason for no state
	Note  string // what is lacking in the data
	Night bool   // it is dark at half past
	Cells []tableCell
}

// tableCell is a value, or the words for a missing one.
type tableCell struct {
	Text  string
	Class string // "sin" for a missing value, "cero" for zero
}

// tableColumns are the variables of the table, in its order.
var tableColumns = []struct {
	key, unit string
	value     func(m *hazard.Medians) float32
	places    func(value float32) int
}{
	{"temperatura", "°C", func(m *hazard.Medians) float32 { return m.Temperature }, whole},
	{"sensacion", "°C", func(m *hazard.Medians) float32 { return m.FeelsLike }, whole},
	{"viento", "km/h", func(m *hazard.Medians) float32 { return m.Wind }, whole},
	{"racha", "km/h", func(m *hazard.Medians) float32 { return m.Gust }, whole},
	{"precipitacion", "mm", func(m *hazard.Medians) float32 { return m.Precipitation }, tenths},
	{"nieve", "cm", func(m *hazard.Medians) float32 { return m.Snow }, tenths},
	{"isoterma", "m", func(m *hazard.Medians) float32 { return m.FreezingLevel }, whole},
	{"visibilidad", "km", func(m *hazard.Medians) float32 { return m.Sight / 1000 }, sightPlaces},
	{"uv", "", func(m *hazard.Medians) float32 { return m.UV }, tenths},
}

func whole(float32) int  { return 0 }
func tenths(float32) int { return 1 }

// sightPlaces keeps short distances of sight, which matter, to ten metres.
func sightPlaces(km float32) int {
	switch {
	case km < 1:
		return 2
	case km < 10:
		return 1
	default:
		return 0
	}
}

// hourTable makes the table of a trail's hours, nil when there are none.
func (a almanac) hourTable(park catalogue.Park, hours []hazard.Estimate) *hourTable {
	if len(hours) == 0 {
		return nil
	}
	table := &hourTable{Columns: a.texts.columns()}
	for i := range hours {
		e := sound(hours[i])
		row := a.tableRow(e.Hour, park, &e.Medians)
		row.level, row.Why, row.Note = a.texts.level(e.State), a.texts.why(e), a.texts.quality(e.Quality)
		table.Days = a.addRow(table.Days, park, e.Hour, row)
	}
	if len(hours) < shownHours {
		table.Ends = a.texts.say("tabla.termina", "fin", a.until(hours[len(hours)-1].Hour.Add(time.Hour)))
	}
	return table
}

func (t texts) columns() []column {
	list := make([]column, len(tableColumns))
	for i, c := range tableColumns {
		list[i] = column{c.key, t.say("tabla." + c.key), c.unit}
	}
	return list
}

// tableRow makes what a row of any table has: its hour, light and values.
func (a almanac) tableRow(hour time.Time, park catalogue.Park, m *hazard.Medians) tableRow {
	local := hour.In(a.zone)
	row := tableRow{
		ISO: local.Format("2006-01-02T15:04Z07:00"), Hour: strconv.Itoa(local.Hour()),
		Night: a.isNight(hour, park), Cells: make([]tableCell, len(tableColumns)),
	}
	for i, c := range tableColumns {
		row.Cells[i] = a.texts.tableCell(c.value(m), c.places)
	}
	return row
}

func (t texts) tableCell(value float32, places func(float32) int) tableCell {
	c := tableCell{Text: t.measure(value, places(value), "")}
	switch {
	case missing(value):
		c.Class = "sin"
	case c.Text == "0":
		c.Class = "cero"
	}
	return c
}

// addRow adds an hour to the last of some days, or to a day of its own.
func (a almanac) addRow(days []tableDay, park catalogue.Park, hour time.Time, row tableRow) []tableDay {
	local := hour.In(a.zone)
	before := hour.Add(-time.Hour).In(a.zone)
	if n := len(days); n == 0 || !sameDate(days[n-1].Rows[0], row) {
		days = append(days, tableDay{Name: a.day(hour), Sun: a.sun(hour, park)})
	}
	day := &days[len(days)-1]
	if local.Format("-0700") != before.Format("-0700") {
		day.Note = a.texts.say("tabla.cambio_hora")
		if local.Hour() == before.Hour() {
			row.Hour = a.texts.say("tabla.repetida", "hora", row.Hour)
		}
	}
	day.Rows = append(day.Rows, row)
	return days
}

// sameDate tells whether two rows are of the same local day.
func sameDate(x, y tableRow) bool {
	return x.ISO[:len(time.DateOnly)] == y.ISO[:len(time.DateOnly)]
}

// why says what an hour's state is made of: the hazards in that state, then the
// milder ones; or the reason for no state.
func (t texts) why(e hazard.Estimate) string {
	if e.State == hazard.Unknown {
		return t.say("motivo_corto." + string(e.Reason))
	}
	names := t.hazardsIn(e, e.State)
	if e.State == hazard.Red {
		if milder := t.hazardsIn(e, hazard.Amber); milder != "" {
			names += "; " + t.say("tramo.causa", "estado", t.say("estado."+levelKey(hazard.Amber)), "causa", milder)
		}
	}
	return names
}

// hazardsIn names the hazards of an estimate in a state, the main one first.
func (t texts) hazardsIn(e hazard.Estimate, state hazard.State) string {
	if state < hazard.Amber {
		return ""
	}
	var names []string
	for i := range e.Hazards {
		if h := &e.Hazards[i]; h.State == state {
			name := t.say("amenaza." + h.Hazard.String())
			if h.Hazard == e.Main {
				names = slices.Insert(names, 0, name)
			} else {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, ", ")
}

// isNight tells whether it is dark half an hour into an hour.
func (a almanac) isNight(hour time.Time, park catalogue.Park) bool {
	half := hour.Add(30 * time.Minute)
	dawn, dusk := api.Twilight(a.noonAt(half), park.Latitude, park.Longitude)
	return half.Before(dawn) || !half.Before(dusk)
}

// sun says when the sun rises and sets on the local day of an instant.
func (a almanac) sun(t time.Time, park catalogue.Park) string {
	rise, set, ok := api.Daylight(a.noonAt(t), park.Latitude, park.Longitude)
	if !ok {
		return ""
	}
	return a.texts.say("tabla.sol", "sale", rise.In(a.zone).Format("15:04"), "entra", set.In(a.zone).Format("15:04"))
}

// noonAt is noon of the local day of an instant.
func (a almanac) noonAt(t time.Time) time.Time {
	local := t.In(a.zone)
	return time.Date(local.Year(), local.Month(), local.Day(), 12, 0, 0, 0, a.zone)
}
