package site

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"vigia/forecast/daylight"
	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

// hourTable is a trail's hours ahead as a table, one row an hour. It is all that
// the graph above it draws from.
type hourTable struct {
	Columns []column
	Days    []tableDay
	Ends    string // that the estimates end before their time, and when
}

// column is a variable of the table. Its unit stands in its head.
type column struct {
	Key, Name, Unit string
	Extra           bool // not among those that a small screen shows at first
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
	Level
	ISO   string // with the offset from UTC, which tells repeated hours apart
	Hour  string
	Why   string // the hazards, or the reason for no state
	Note  string // what is lacking in the data
	Night bool   // it is dark at half past
	Sky   sky    // empty for an hour past
	Cells []tableCell
}

// tableCell is a value, or the words for a missing one.
type tableCell struct {
	Text  string
	Class string // "sin" for a missing value, "cero" for zero, "mas" for a column that is Extra
	Exact string // what Text is rounded from, for the graph
	From  string // of a gust, where the wind comes from
}

// tableColumns are the variables of the table, in its order.
var tableColumns = []struct {
	key, unit string
	extra     bool
	value     func(m *hazard.Medians) float32
	places    func(value float32) int
}{
	{"temperatura", "°C", true, func(m *hazard.Medians) float32 { return m.Temperature }, whole},
	{"sensacion", "°C", false, func(m *hazard.Medians) float32 { return m.FeelsLike }, whole},
	{"viento", "km/h", true, func(m *hazard.Medians) float32 { return m.Wind }, whole},
	{"racha", "km/h", false, func(m *hazard.Medians) float32 { return m.Gust }, whole},
	{"precipitacion", "mm", false, func(m *hazard.Medians) float32 { return m.Precipitation }, tenths},
	{"nieve", "cm", false, func(m *hazard.Medians) float32 { return m.Snow }, tenths},
	{"isoterma", "m", true, func(m *hazard.Medians) float32 { return m.FreezingLevel }, whole},
	{"visibilidad", "km", true, func(m *hazard.Medians) float32 { return m.Sight / 1000 }, sightPlaces},
	{"uv", "", true, func(m *hazard.Medians) float32 { return m.UV }, tenths},
}

// The place of the gust in tableColumns, and how many of them the graph draws.
const (
	gustColumn   = 3
	drawnColumns = 6
)

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
func (v View) hourTable(park catalogue.Park, hours []hazard.Estimate) *hourTable {
	if len(hours) == 0 {
		return nil
	}
	table := &hourTable{Columns: v.tableHead()}
	for i := range hours {
		e := snapshot.Sound(&hours[i])
		row := v.tableRow(e.Hour, park, &e.Medians)
		row.Level, row.Why, row.Note, row.Sky = v.level(e.State), v.why(e), v.Quality(e.Quality), v.sky(e.Sky.Code, row.Night)
		for i, c := range tableColumns[:drawnColumns] {
			if value := c.value(&e.Medians); c.places(value) == 0 && !wording.Missing(value) {
				row.Cells[i].Exact = strconv.FormatFloat(float64(value), 'f', 1, 32)
			}
		}
		if !wording.Missing(e.Medians.Gust) {
			row.Cells[gustColumn].From = v.CompassPoint(e.Sky.WindFrom)
		}
		table.Days = v.addRow(table.Days, park, e.Hour, row)
	}
	if len(hours) < shownHours {
		table.Ends = v.Text("tabla.termina", "fin", v.End(hours[len(hours)-1].Hour.Add(time.Hour)))
	}
	return table
}

func (v View) tableHead() []column {
	list := make([]column, len(tableColumns))
	for i, c := range tableColumns {
		list[i] = column{c.key, v.Text("tabla." + c.key), c.unit, c.extra}
	}
	return list
}

// tableRow makes what a row of any table has: its hour, light and values.
func (v View) tableRow(hour time.Time, park catalogue.Park, m *hazard.Medians) tableRow {
	local := hour.In(v.Zone)
	row := tableRow{
		ISO: local.Format("2006-01-02T15:04Z07:00"), Hour: strconv.Itoa(local.Hour()),
		Night: v.isNight(hour, park), Cells: make([]tableCell, len(tableColumns)),
	}
	for i, c := range tableColumns {
		value := c.value(m)
		row.Cells[i] = v.tableCell(value, c.places)
		if c.extra {
			row.Cells[i].Class = strings.TrimLeft(row.Cells[i].Class+" mas", " ")
		}
	}
	return row
}

func (v View) tableCell(value float32, places func(float32) int) tableCell {
	c := tableCell{Text: v.Measure(value, places(value), "")}
	switch {
	case wording.Missing(value):
		c.Class = "sin"
	case c.Text == "0":
		c.Class = "cero"
	}
	return c
}

// addRow adds an hour to the last of some days, or to a day of its own.
func (v View) addRow(days []tableDay, park catalogue.Park, hour time.Time, row tableRow) []tableDay {
	local := hour.In(v.Zone)
	before := hour.Add(-time.Hour).In(v.Zone)
	if n := len(days); n == 0 || !sameDate(days[n-1].Rows[0], row) {
		days = append(days, tableDay{Name: v.Day(hour), Sun: v.sun(hour, park)})
	}
	day := &days[len(days)-1]
	if local.Format("-0700") != before.Format("-0700") {
		day.Note = v.Text("tabla.cambio_hora")
		if local.Hour() == before.Hour() {
			row.Hour = v.Text("tabla.repetida", "hora", row.Hour)
		}
	}
	day.Rows = append(day.Rows, row)
	return days
}

// sameDate reports whether two rows are of the same local day.
func sameDate(x, y tableRow) bool {
	return x.ISO[:len(time.DateOnly)] == y.ISO[:len(time.DateOnly)]
}

// why returns what an hour's state is made of: the hazards in that state, then the
// milder ones; or the reason for no state.
func (v View) why(e hazard.Estimate) string {
	if e.State == hazard.Unknown {
		return v.ShortReason(e.Reason)
	}
	names := v.hazardsIn(e, e.State)
	if e.State == hazard.Red {
		if milder := v.hazardsIn(e, hazard.Amber); milder != "" {
			names += "; " + v.Text("tramo.causa", "estado", v.State(hazard.Amber), "causa", milder)
		}
	}
	return names
}

// hazardsIn names the hazards of an estimate in a state, the main one first.
func (v View) hazardsIn(e hazard.Estimate, state hazard.State) string {
	if state < hazard.Amber {
		return ""
	}
	var names []string
	for i := range e.Hazards {
		if h := &e.Hazards[i]; h.State == state {
			name := v.Hazard(h.Hazard)
			if h.Hazard == e.Main {
				names = slices.Insert(names, 0, name)
			} else {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, ", ")
}

// isNight reports whether it is dark half an hour into an hour.
func (v View) isNight(hour time.Time, park catalogue.Park) bool {
	half := hour.Add(30 * time.Minute)
	dawn, dusk := daylight.Twilight(v.noonOf(half), park.Latitude, park.Longitude)
	return half.Before(dawn) || !half.Before(dusk)
}

// sun returns when the sun rises and sets on the local day of an instant.
func (v View) sun(t time.Time, park catalogue.Park) string {
	rise, set, ok := daylight.Of(v.noonOf(t), park.Latitude, park.Longitude)
	if !ok {
		return ""
	}
	return v.Text("tabla.sol", "sale", rise.In(v.Zone).Format("15:04"), "entra", set.In(v.Zone).Format("15:04"))
}
