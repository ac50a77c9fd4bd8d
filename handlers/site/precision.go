package site

import (
	"strconv"
	"strings"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
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
	Note        string           // how to take what little there is, "" when there is enough
	Tables      []precisionTable // of truths other than our own later estimates
	Reliability []precisionRow   // how often it happened by the share of models that voted for it
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
	Subject, Lead, Cases string
	Found, False, Skill  scoreView
}

// scoreView is a score in words and, when it is known, as a bar.
type scoreView struct {
	Text string
	Bar  *scoreBar
}

// scoreBar is a score on a line from 0 to 100, with its interval and the scores
// that it is compared with.
type scoreBar struct {
	Value, Low, Width float64
	Others            []float64
}

const precisionCSV = "/precision.csv"

func (a almanac) precision(e *store.Edition) precisionPage {
	page := precisionPage{CSV: precisionCSV}
	v := e.Verification
	if v == nil {
		page.Stage, page.Note = a.texts.say("precision.situacion.sin_datos"), a.texts.say("precision.sin_datos_texto")
		return page
	}
	switch v.Stage {
	case store.StageNone:
		page.Note = a.texts.say("precision.sin_datos_texto")
	case store.StagePreliminary:
		page.Note = a.texts.say("precision.preliminar_texto")
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
	page.Reliability = a.reliability(v)
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
	t := precisionTable{ID: "referencia-" + r.Tier.String(), Title: a.texts.say("precision.referencia." + r.Tier.String()), About: a.texts.say("precision.que." + r.Tier.String())}
	if _, sources, ok := strings.Cut(r.Description, ": "); ok && r.Independent {
		t.About += " " + a.texts.say("precision.fuentes", "lista", sources)
	}
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
	return precisionRow{
		Subject: a.texts.say("precision.desde."+lowestOf(r.Level), "que", subject),
		Lead:    a.texts.say("precision.plazo", "plazo", r.Bin),
		Cases:   a.texts.say("precision.casos", "eventos", r.Events, "n", r.N()),
		Found:   a.score(r.POD, r.PODRange, r.Reason),
		False:   a.score(r.FAR, r.FARRange, r.Reason),
		Skill:   a.skill(v, r),
	}
}

// lowestOf is the state from which a level is given.
func lowestOf(l alert.Level) string {
	if l == alert.Danger {
		return hazard.Red.String()
	}
	return hazard.Amber.String()
}

// score writes a share with its interval, or why there is none.
func (a almanac) score(x *float64, in *store.Interval, reason string) scoreView {
	if x == nil {
		if reason == "" {
			reason = "muestra_insuficiente"
		}
		return scoreView{Text: a.texts.say("precision.nulo." + reason)}
	}
	v := scoreView{a.texts.decimal(*x*100, 0) + "\u00a0%", &scoreBar{Value: *x * 100}}
	if in != nil {
		v.Text = a.texts.say("precision.intervalo", "valor", v.Text, "desde", a.texts.decimal(in.Low*100, 0), "hasta", a.texts.decimal(in.High*100, 0))
		v.Bar.Low, v.Bar.Width = in.Low*100, (in.High-in.Low)*100
	}
	return v
}

// skill writes the critical success index beside those of forecasts without skill.
func (a almanac) skill(v *store.Verification, r *store.Result) scoreView {
	if r.CSI == nil {
		return a.score(nil, nil, r.Reason)
	}
	bar := &scoreBar{Value: *r.CSI * 100}
	if in := r.CSIRange; in != nil {
		bar.Low, bar.Width = in.Low*100, (in.High-in.Low)*100
	}
	values := map[string]string{"tasa_base": a.texts.say("dato.falta"), "persistencia": a.texts.say("dato.falta")}
	for _, b := range v.Baselines {
		if b.Tier == r.Tier && b.Level == r.Level && b.Hazard == r.Hazard && b.Bin == r.Bin && b.CSI != nil {
			values[b.Name] = a.texts.decimal(*b.CSI, 2)
			bar.Others = append(bar.Others, *b.CSI*100)
		}
	}
	return scoreView{a.texts.say("precision.indice", "csi", a.texts.decimal(*r.CSI, 2), "azar", values["tasa_base"], "ayer", values["persistencia"]), bar}
}

// reliability lists how often a level came by the share of models that voted for
// it, where a truth of others has cases of it.
func (a almanac) reliability(v *store.Verification) (rows []precisionRow) {
	for _, b := range v.Reliability {
		if b.Tier == store.OwnLaterRuns || b.Observed == nil {
			continue
		}
		subject := a.texts.say("precision.referencia." + b.Tier.String())
		rows = append(rows, precisionRow{
			Subject: a.texts.say("precision.desde."+lowestOf(b.Level), "que", subject),
			Lead: a.texts.say("precision.plazo", "plazo", b.Bin) + ": " +
				a.texts.say("precision.parte", "desde", a.texts.decimal(b.From*100, 0), "hasta", a.texts.decimal(b.To*100, 0)),
			Cases: a.texts.count("precision.dias", b.N),
			Found: a.score(b.Observed, b.Range, ""),
		})
	}
	return rows
}
