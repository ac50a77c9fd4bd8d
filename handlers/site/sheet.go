package site

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rsc.io/qr"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// What a sheet of one page has room for. What is left out is counted on it, and the
// worst is kept.
const (
	sheetTrails   = 16
	sheetAlerts   = 5
	sheetOfficial = 2
	sheetTaller   = 2 // trails whose room an official notice takes, or the words of the demo
)

// sheetPage is a park on one sheet of paper, for the wall of a refuge: it must be
// read without colours, and says until when it counts.
type sheetPage struct {
	parkLink
	Kind         string
	Now          headline
	Hour         string // of the state
	Lasts        string // until when the state holds in the estimates, empty without state
	Age          validity
	Official     []noticeView
	MoreOfficial string
	Strip        sheetStrip
	Trails       []sheetTrail
	MoreTrails   string
	Alerts       alertList
	MoreAlerts   string
	Emergency    []catalogue.EmergencyNumber
	Address      string // of the park's page, "" where the site does not know its own
	Code         *qrCode
}

// sheetTrail is a trail on a line.
type sheetTrail struct {
	Name  string
	Now   level
	Worst string
	worst hazard.State
}

// putSheets adds the sheet of each park.
func (p *printing) putSheets() {
	for i, park := range p.Catalogue.Parks {
		path := "/parques/" + park.Slug + "/hoja"
		p.put(path, "hoja", func() frame {
			local := p.country.in(park.TimeZone)
			local.page = nil
			f := p.frame(p.language, p.moment, path, "hoja", p.sheet(local, i)).dated(local, p.moment, true)
			f.Title = p.say("titulo.hoja", "parque", park.Name)
			f.Description = p.say("descripcion.hoja", "parque", park.Name)
			f.NoIndex = true // it is the park's page once more
			return f
		})
	}
}

func (p *printing) sheet(a almanac, park int) sheetPage {
	here, now := p.Catalogue.Parks[park], p.parkAt(park, 0)
	page := sheetPage{
		parkLink: p.linkTo(here), Kind: p.say("tipo_parque." + here.Kind), Now: p.headline(now), Hour: a.clock(p.hour),
		Age: a.validity(p.moment), Strip: a.sheetStrip(p.moment, park), Alerts: a.alerts(p.moment, here.Slug),
		Emergency: p.Catalogue.Emergency,
	}
	page.Lasts = a.answer(p.moment, park, now).Lasts
	official := a.official(p.moment, park)
	page.Official = append(official.Volcanoes, official.Closures...)
	if more := len(page.Official) - sheetOfficial; more > 0 {
		page.Official, page.MoreOfficial = page.Official[:sheetOfficial], p.count("hoja.mas_oficiales", more)
	}
	if more := len(page.Alerts.Active) - sheetAlerts; more > 0 {
		page.Alerts.Active, page.MoreAlerts = page.Alerts.Active[:sheetAlerts], p.count("hoja.mas_alertas", more)
	}
	for trail := here.FirstTrail; trail < here.FirstTrail+here.NumTrails; trail++ {
		page.Trails = append(page.Trails, a.sheetTrail(p.moment, trail))
	}
	room := p.sheetRoom(&page)
	if more := len(page.Trails) - room; more > 0 {
		slices.SortStableFunc(page.Trails, func(x, y sheetTrail) int { return cmp.Compare(y.worst, x.worst) })
		page.Trails, page.MoreTrails = page.Trails[:room], p.count("hoja.mas_senderos", more)
	}
	if p.options.BaseURL != "" {
		page.Address = p.options.BaseURL + page.Path
		page.Code = drawQR(page.Address)
	}
	return page
}

// sheetRoom tells for how many trails a sheet has room beside what else is on it.
func (p *printing) sheetRoom(page *sheetPage) int {
	room := sheetTrails - sheetTaller*len(page.Official)
	if p.Simulated {
		room -= sheetTaller
	}
	const usual, ofRow = 8, 4 // emergency numbers
	room -= max(0, len(page.Emergency)-usual+ofRow-1) / ofRow
	return max(room, 1)
}

// sheetTrail says the worst of a trail in the hours shown, and how many of them are
// without data.
func (a almanac) sheetTrail(m moment, trail int) sheetTrail {
	row := sheetTrail{Name: m.Catalogue.Trails[trail].Name, Now: a.texts.level(m.estimateAt(trail, 0).State)}
	hours := m.hoursOf(trail)
	first, unknown := -1, shownHours-len(hours)
	for h := range hours {
		switch state := hours[h].State; {
		case state == hazard.Unknown:
			unknown++
		case state > row.worst:
			row.worst, first = state, h
		}
	}
	switch {
	case row.worst == hazard.Unknown:
		row.Worst = a.texts.say("estado.nada")
		return row
	case row.worst == hazard.Green:
		row.Worst = a.texts.say("hoja.sin_senales", "n", shownHours-unknown)
	default:
		end := first + 1
		for end < len(hours) && hours[end].State == row.worst {
			end++
		}
		row.Worst = a.texts.say("hoja.peor_de", "estado", a.texts.say("estado."+levelKey(row.worst)),
			"amenaza", a.briefHazard(hours[first].Main), "cuando", a.briefWindow(m.at(first), m.at(end)))
	}
	if unknown > 0 {
		row.Worst = a.texts.say("hoja.faltan", "que", row.Worst, "n", unknown)
	}
	return row
}

// briefWindow says from when to when in dates alone, on the least room.
func (a almanac) briefWindow(start, end time.Time) string {
	first, last := a.briefDay(start.In(a.zone)), a.briefDay(a.endDay(end).In(a.zone))
	if first == last {
		return a.texts.say("hoja.dia", "dia", first, "desde", a.clock(start), "hasta", a.clockAtEnd(end))
	}
	return a.texts.say("hoja.dias", "dia", first, "desde", a.clock(start), "otro", last, "hasta", a.clockAtEnd(end))
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
