package site

import (
	"strconv"
	"time"

	"vigia/forecast/alert"
	"vigia/store"
)

// precisionPage is the verification log for people.
type precisionPage struct {
	Stage       string
	Since       instant
	Until       instant
	Calculated  instant
	Known       bool // the log was looked at
	Compared    bool // days were compared
	Counts      []precisionCount
	Tables      []precisionTable // of truths other than our own later estimates
	Consistency *precisionTable
	FlipFlop    string
	CSV         string // path of the raw pairs
}

// precisionCount is a number of estimates with what it counts.
type precisionCount struct{ Name, Value string }

// precisionTable is the results against one kind of truth.
type precisionTable struct {
	ID, Title, About, Caution string
	Rows                      []precisionRow
}

// precisionRow is a result in words: every score with its interval and number, or
// why there is none.
type precisionRow struct {
	Subject, Lead, Cases, Found, False, Skill string
}

const precisionCSV = "/precision.csv"

func (a almanac) precision(e *store.Edition) precisionPage {
	page := precisionPage{CSV: precisionCSV}
	v := e.Verification
	if v == nil {
		page.Stage = a.texts.say("precision.situacion.sin_datos")
		return page
	}
	page.Known, page.Compared = true, !v.From.IsZero()
	page.Stage = a.texts.say("precision.situacion." + v.Stage)
	page.Since, page.Until, page.Calculated = a.utcDay(v.From), a.utcDay(v.To), a.instant(v.CalculatedAt)
	for _, c := range []struct {
		key string
		n   int
	}{
		{"precision.estimaciones", v.Issued}, {"precision.verificadas", v.Verified},
		{"precision.pendientes", v.Pending}, {"precision.descartadas", v.Dropped()},
	} {
		page.Counts = append(page.Counts, precisionCount{a.texts.say(c.key), strconv.Itoa(c.n)})
	}
	for _, reference := range v.References {
		table := a.precisionTable(v, reference)
		if reference.Tier == store.OwnLaterRuns {
			page.Consistency = &table
			continue
		}
		page.Tables = append(page.Tables, table)
	}
	if v.FlipFlop != nil {
		page.FlipFlop = a.texts.say("precision.vaiven", "n", a.texts.decimal(*v.FlipFlop, 2), "horas", v.FlipFlopN)
	}
	return page
}

// utcDay names a day of the log, which is one in UTC.
func (a almanac) utcDay(t time.Time) instant {
	t = t.UTC()
	return instant{ISO: t.Format(time.DateOnly), Text: strconv.Itoa(t.Day()) + " " + a.month(t) + " " + strconv.Itoa(t.Year())}
}

func (a almanac) precisionTable(v *store.Verification, r store.Reference) precisionTable {
	t := precisionTable{ID: "referencia-" + r.Tier.String(), Title: a.texts.say("precision.referencia." + r.Tier.String()), About: r.Description}
	if !r.Independent {
		t.Caution = a.texts.say("precision.no_independiente")
	}
	for i := range v.Results {
		result := &v.Results[i]
		// Of single hazards the lower level alone, and none that was neither forecast
		// nor seen: the tables stay short enough to read.
		idle := result.Hits+result.False+result.Misses == 0
		if result.Tier == r.Tier && (result.Hazard == "" || result.Level == alert.Caution && !idle) {
			t.Rows = append(t.Rows, a.precisionRow(v, result))
		}
	}
	return t
}

func (a almanac) precisionRow(v *store.Verification, r *store.Result) precisionRow {
	subject := a.texts.say("precision.sendero")
	if r.Hazard != "" {
		subject = a.texts.say("amenaza." + r.Hazard)
	}
	lowest := "amarillo"
	if r.Level == alert.Danger {
		lowest = "rojo"
	}
	return precisionRow{
		Subject: a.texts.say("precision.desde."+lowest, "que", subject),
		Lead:    a.texts.say("precision.plazo", "plazo", r.Bin),
		Cases:   a.texts.say("precision.casos", "eventos", r.Events, "n", r.N()),
		Found:   a.score(r.POD, r.PODRange, r.Reason),
		False:   a.score(r.FAR, r.FARRange, r.Reason),
		Skill:   a.skill(v, r),
	}
}

// score writes a share with its interval, or why there is none.
func (a almanac) score(x *float64, in *store.Interval, reason string) string {
	if x == nil {
		if reason == "" {
			reason = "muestra_insuficiente"
		}
		return a.texts.say("precision.nulo." + reason)
	}
	text := a.texts.decimal(*x*100, 0) + "\u00a0%"
	if in != nil {
		text = a.texts.say("precision.intervalo", "valor", text, "desde", a.texts.decimal(in.Low*100, 0), "hasta", a.texts.decimal(in.High*100, 0))
	}
	return text
}

// skill writes the critical success index beside those of forecasts without skill.
func (a almanac) skill(v *store.Verification, r *store.Result) string {
	if r.CSI == nil {
		return a.score(nil, nil, r.Reason)
	}
	values := map[string]string{"tasa_base": a.texts.say("dato.falta"), "persistencia": a.texts.say("dato.falta")}
	for _, b := range v.Baselines {
		if b.Tier == r.Tier && b.Level == r.Level && b.Hazard == r.Hazard && b.Bin == r.Bin && b.CSI != nil {
			values[b.Name] = a.texts.decimal(*b.CSI, 2)
		}
	}
	return a.texts.say("precision.indice", "csi", a.texts.decimal(*r.CSI, 2), "azar", values["tasa_base"], "ayer", values["persistencia"])
}
