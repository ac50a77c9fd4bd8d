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
	Log         *store.Verification // nil before it was looked at
	Stage       string
	Note        string               // how to take what little there is, "" when there is enough
	Sentences   []precisionSentences // what the page begins with
	Tables      []precisionTable     // of truths other than our own later estimates
	Values      []valuesTable        // how far off the weather of the models was
	Curves      []curveTable         // what the levels are worth
	Reliability []precisionRow       // how often it happened by the share of the models that reached it
	NoTruth     string               // what is said beside numbers of a model's analysis, "" without any
	Consistency *precisionTable
	FlipFlop    string
}

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

// PrecisionCSV is the path of the table of pairs.
const PrecisionCSV = "/precision.csv"

func (v View) precision() precisionPage {
	log := v.Verification
	if log == nil {
		return precisionPage{Stage: v.Text("precision.situacion.sin_datos"), Note: v.Text("precision.sin_datos_texto")}
	}
	page := precisionPage{Log: log, Stage: v.Text("precision.situacion." + log.Stage), Sentences: v.sentences(log), Reliability: v.reliability(log)}
	switch log.Stage {
	case store.StageNone:
		page.Note = v.Text("precision.sin_datos_texto")
	case store.StagePreliminary:
		page.Note = v.Text("precision.preliminar_texto")
	}
	for _, reference := range log.References {
		table := v.precisionTable(log, reference)
		if reference.Tier == store.OwnLaterRuns {
			page.Consistency = &table
		} else {
			page.Tables = append(page.Tables, table)
			page.Values = append(page.Values, v.valuesTables(log, reference.Tier)...)
			page.Curves = append(page.Curves, v.curveTables(log, reference.Tier)...)
		}
		if reference.Tier == store.Reanalysis {
			page.NoTruth = v.Text("precision.no_es_verdad")
		}
	}
	if log.FlipFlop != nil {
		page.FlipFlop = v.Text("precision.vaiven", "n", v.Decimal(*log.FlipFlop, 2), "horas", log.FlipFlopN)
	}
	return page
}

// LogDay names a day of the log, which is midnight UTC of a local date.
func (v View) LogDay(t time.Time) Instant {
	t = t.UTC()
	return Instant{ISO: t.Format(time.DateOnly), Text: strconv.Itoa(t.Day()) + " " + v.In(time.UTC).Month(t) + " " + strconv.Itoa(t.Year())}
}

func (v View) precisionTable(log *store.Verification, r store.Reference) precisionTable {
	t := precisionTable{ID: "referencia-" + r.Tier.String(), Title: v.Text("precision.referencia." + r.Tier.String()), About: v.Text("precision.que." + r.Tier.String())}
	if _, sources, ok := strings.Cut(r.Description, ": "); ok && r.Independent {
		t.About += " " + v.Text("precision.fuentes", "lista", sources)
	}
	if !r.Independent {
		t.Caution = v.Text("precision.no_independiente")
	}
	if r.Tier == store.Reanalysis {
		t.Caution += " " + v.Text("precision.no_es_verdad")
	}
	for i := range log.Results {
		result := &log.Results[i]
		// Of single hazards the lower level alone, and none that was neither forecast
		// nor seen: the tables stay short enough to read.
		idle := result.Hits+result.False+result.Misses == 0
		if result.Tier == r.Tier && (result.Hazard == "" || result.Level == alert.Caution && !idle) {
			t.Rows = append(t.Rows, v.precisionRow(log, result))
		}
	}
	return t
}

func (v View) precisionRow(log *store.Verification, r *store.Result) precisionRow {
	subject := v.Text("precision.sendero")
	if r.Hazard != "" {
		subject = v.Text("amenaza." + r.Hazard)
	}
	return precisionRow{
		Subject: v.Text("precision.desde."+lowestOf(r.Level), "que", subject),
		Lead:    v.Text("precision.plazo", "plazo", r.Bin),
		Cases:   v.Text("precision.casos", "eventos", r.Events, "n", r.N()),
		Found:   v.score(r.POD, r.PODRange, r.Reason),
		False:   v.score(r.FAR, r.FARRange, r.Reason),
		Skill:   v.skill(log, r),
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
func (v View) score(x *float64, in *store.Interval, reason string) scoreView {
	if x == nil {
		if reason == "" {
			reason = "muestra_insuficiente"
		}
		return scoreView{Text: v.Text("precision.nulo." + reason)}
	}
	text := v.percent(*x) + "\u00a0%"
	if in != nil {
		text = v.Text("precision.intervalo", "valor", text, "desde", v.percent(in.Low), "hasta", v.percent(in.High))
	}
	return scoreView{text, barOf(*x, in)}
}

// percent writes a share in per cent, without the sign.
func (v View) percent(share float64) string { return v.Decimal(share*100, 0) }

// barOf draws a score from 0 to 1 with its interval, nil for none.
func barOf(x float64, in *store.Interval) *scoreBar {
	bar := &scoreBar{Value: x * 100}
	if in != nil {
		bar.Low, bar.Width = in.Low*100, (in.High-in.Low)*100
	}
	return bar
}

// skill writes the critical success index beside those of forecasts without skill.
func (v View) skill(log *store.Verification, r *store.Result) scoreView {
	if r.CSI == nil {
		return v.score(nil, nil, r.Reason)
	}
	bar := barOf(*r.CSI, r.CSIRange)
	values := map[string]string{"tasa_base": v.Text("dato.falta"), "persistencia": v.Text("dato.falta")}
	for _, b := range log.Baselines {
		if b.Tier == r.Tier && b.Level == r.Level && b.Hazard == r.Hazard && b.Bin == r.Bin && b.CSI != nil {
			values[b.Name] = v.Decimal(*b.CSI, 2)
			bar.Others = append(bar.Others, *b.CSI*100)
		}
	}
	return scoreView{v.Text("precision.indice", "csi", v.Decimal(*r.CSI, 2), "azar", values["tasa_base"], "ayer", values["persistencia"]), bar}
}

// reliability lists how often a level came by the share of the models whose own day
// reaches it, where a truth of others has cases of it.
func (v View) reliability(log *store.Verification) (rows []precisionRow) {
	for _, b := range log.Reliability {
		if b.Tier == store.OwnLaterRuns || b.Observed == nil {
			continue
		}
		subject := v.Text("precision.referencia." + b.Tier.String())
		if b.Hazard != "" {
			subject += ", " + v.Text("amenaza."+b.Hazard)
		}
		rows = append(rows, precisionRow{
			Subject: v.Text("precision.desde."+lowestOf(b.Level), "que", subject),
			Lead: v.Text("precision.plazo", "plazo", b.Bin) + ": " +
				v.Text("precision.parte", "desde", v.percent(b.From), "hasta", v.percent(b.To)),
			Cases: v.Count("precision.dias", b.N),
			Found: v.score(b.Observed, b.Range, ""),
		})
	}
	return rows
}
