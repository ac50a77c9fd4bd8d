package site

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"rsc.io/qr"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
)

// What a sheet of one page has room for. What is left out is counted on it, and the
// worst is kept.
const (
	sheetTrails   = 16
	sheetAlerts   = 5
	sheetOfficial = 2
	sheetTaller   = 2 // trails whose room an official notice takes, the words of the demo, or those on what has no alert yet
)

// sheetPage is a park on one sheet of paper, for the wall of a refuge: it must be
// read without colours, and has the end of its validity on it.
type sheetPage struct {
	parkLink
	Kind         string
	Now          Headline
	Hour         string // of the state: "las 14:00"
	Lasts        string // until when the state holds in the estimates, empty without state
	Ahead        []worseLine
	UV           string // how strong the sun gets in the next day, "" when it does not
	Age          validity
	Official     []noticeView
	MoreOfficial string
	Axis         axis
	Timeline     timeline
	Days         []sheetDay
	Trails       []sheetTrail
	MoreTrails   string
	Alerts       alertList
	MoreAlerts   string
	Address      string // of the park's page, "" where the site does not know its own
	Code         *qrCode
}

// sheetTrail is a trail on a line.
type sheetTrail struct {
	Name     string
	Official string // what official bodies say of it now, "" for nothing
	Now      Level
	Worst    string
	weight   hazard.State // its worst state, and above all of them when it is closed
}

// putSheets adds the sheet of each park.
func (p *pageBuilder) putSheets() {
	for i, park := range p.Catalogue.Parks {
		path := "/parques/" + park.Slug + "/hoja"
		p.put(path, "hoja", func() Frame {
			local := p.ofPark(park)
			f := local.current(path, "hoja", local.sheet(i), "parque", park.Name)
			f.NoIndex = true // it is the park's page once more
			return f
		})
	}
}

func (v View) sheet(park int) sheetPage {
	here, at := v.Catalogue.Parks[park], func(ahead int) snapshot.ParkState { return v.Park(park, ahead) }
	hours := v.columns(at)
	now := v.answer(v.trailsOf(park), v.Reach(park), at)
	page := sheetPage{
		parkLink: v.linkTo(here), Kind: v.Text("tipo_parque." + here.Kind), Now: v.Headline(at(0)), Lasts: now.Lasts, Ahead: now.Ahead, UV: v.Localizer.Sun(v.ParkSun(v.View, park)),
		Hour: v.Localizer.At(v.PresentHour()), Age: v.validity(), Axis: v.axis(here), Timeline: v.timeline(hours).enlarged(),
		Days: v.sheetDays(hours), Alerts: v.alerts(here.Slug),
	}
	page.Alerts.Unconfirmed = v.unconfirmed(page.Alerts, v.Reach(park), at)
	official := v.official(park, "")
	page.Official = append(official.Volcanoes, official.Closures...)
	if more := len(page.Official) - sheetOfficial; more > 0 {
		page.Official, page.MoreOfficial = page.Official[:sheetOfficial], v.Count("hoja.mas_oficiales", more)
	}
	if more := len(page.Alerts.Active) - sheetAlerts; more > 0 {
		page.Alerts.Active, page.MoreAlerts = page.Alerts.Active[:sheetAlerts], v.Count("hoja.mas_alertas", more)
	}
	for trail := here.FirstTrail; trail < here.FirstTrail+here.NumTrails; trail++ {
		page.Trails = append(page.Trails, v.sheetTrail(trail))
	}
	room := v.sheetRoom(&page)
	if more := len(page.Trails) - room; more > 0 {
		slices.SortStableFunc(page.Trails, func(x, y sheetTrail) int { return cmp.Compare(y.weight, x.weight) })
		page.Trails, page.MoreTrails = page.Trails[:room], v.Count("hoja.mas_senderos", more)
	}
	if v.BaseURL != "" {
		page.Address = v.BaseURL + page.Path
		page.Code = drawQR(page.Address)
	}
	return page
}

// sheetRoom returns for how many trails a sheet has room beside what else is on it.
func (v View) sheetRoom(page *sheetPage) int {
	room := sheetTrails - sheetTaller*len(page.Official)
	if v.Simulated {
		room -= sheetTaller
	}
	if page.Alerts.Unconfirmed != "" {
		room -= sheetTaller
	}
	for _, line := range page.Ahead {
		if line.Text != "" {
			room-- // two lines smaller than a trail's
		}
	}
	marked := 0 // rows with an official notice, which may take a second line
	for _, trail := range page.Trails {
		marked += min(len(trail.Official), 1)
	}
	room -= (marked + 1) / 2
	const usual, ofRow = 8, 4 // emergency numbers
	room -= max(0, len(v.Catalogue.Emergency)-usual+ofRow-1) / ofRow
	return max(room, 1)
}

// sheetTrail returns the worst of a trail in the hours shown, and how many of them are
// without data.
func (v View) sheetTrail(trail int) sheetTrail {
	here := v.Catalogue.Trails[trail]
	row := sheetTrail{Name: here.Name, Now: v.level(v.TrailAt(trail, 0).State)}
	official := v.InForce(here.Park).OnTrails(here.Slug)
	row.Official = strings.Join(v.ClosureLines(official, here.Slug), "; ")
	row.Worst, row.weight = v.worstOf(v.HoursOf(trail))
	if official.closed() {
		row.weight += hazard.Red + 1
	}
	return row
}

// worstOf returns the worst of a trail's hours, and when it first comes.
func (v View) worstOf(hours []hazard.Estimate) (text string, worst hazard.State) {
	first, unknown := -1, shownHours-len(hours)
	for h := range hours {
		switch state := hours[h].State; {
		case state == hazard.Unknown:
			unknown++
		case state > worst:
			worst, first = state, h
		}
	}
	switch worst {
	case hazard.Unknown:
		return v.Text("estado.nada"), worst
	case hazard.Green:
		text = v.Text("hoja.sin_senales", "n", shownHours-unknown)
	default:
		end := first + 1
		for end < len(hours) && hours[end].State == worst {
			end++
		}
		text = v.StateBy(worst, hours[first].Main) + ", " + v.byDate().Span(v.HourAhead(first), v.HourAhead(end))
	}
	if unknown > 0 {
		text = v.Text("hoja.faltan", "que", text, "n", unknown)
	}
	return text, worst
}

// sheetDay is a local day in words.
type sheetDay struct{ Name, Text string }

// sheetDays returns the hours to come of a park in words, a line for each local day.
func (v View) sheetDays(hours []hour) (days []sheetDay) {
	day := func(i int) string { return v.Day(hours[i].start) }
	var spans []string
	for from, to := range runs(len(hours), func(i int) bool {
		return day(i) == day(i-1) && hours[i].State == hours[i-1].State && hours[i].Main == hours[i-1].Main
	}) {
		spans = append(spans, v.Text("hoja.tramo", "desde", v.Localizer.Hour(v.HourAhead(from)), "hasta", v.LastHour(v.HourAhead(to)), "que", v.segmentText(hours[from].ParkState)))
		if to == len(hours) || day(to) != day(from) {
			days, spans = append(days, sheetDay{day(from), strings.Join(spans, "; ")}), nil
		}
	}
	return days
}

// qrCode is a QR code as the outline of its dark modules, with the quiet zone that
// readers need around it.
type qrCode struct {
	Size int
	Path string
}

const quietZone = 4

// drawQR makes the QR code of an address, nil for one that is too long for any.
func drawQR(address string) *qrCode {
	code, err := qr.Encode(address, qr.M)
	if err != nil {
		return nil
	}
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			run := x
			for code.Black(run, y) {
				run++
			}
			if run > x {
				path.WriteString("M" + strconv.Itoa(x+quietZone) + " " + strconv.Itoa(y+quietZone) + "h" + strconv.Itoa(run-x) + "v1h-" + strconv.Itoa(run-x) + "z")
				x = run
			}
		}
	}
	return &qrCode{code.Size + 2*quietZone, path.String()}
}
