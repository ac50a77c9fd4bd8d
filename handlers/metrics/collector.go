package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vigia/store"
	"vigia/store/subscription"
)

// channelStates are the names of the states of a channel, by those of the API.
var channelStates = []struct{ api, name string }{
	{"no_configurado", "off"}, {"ok", "ok"}, {"con_demoras", "delayed"}, {"error", "refused"}, {"detenido", "stopped"},
}

// results are the names of the outcomes of messages.
var results = [store.FailedOutcome + 1]string{
	store.DeliveredOutcome: "delivered", store.ObsoleteOutcome: "obsolete", store.ExpiredOutcome: "expired",
	store.GoneOutcome: "gone", store.BouncedOutcome: "bounced", store.FailedOutcome: "failed",
}

// collector asks the parts of the service when somebody reads the figures.
type collector struct{ Options }

// Describe names no figure: which ones there are depends on the settings.
func (p *collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends every figure as it is now.
func (p *collector) Collect(to chan<- prometheus.Metric) {
	s := sink{to: to, now: p.Clock.Now().Round(0)}
	p.collectCycle(s)
	p.collectProvider(s)
	p.collectMessages(s)
	p.collectFile(s)
	p.collectBackups(s)
	p.collectCertificates(s)
}

func (p *collector) collectCycle(s sink) {
	ended, took, count := p.LastCycle()
	s.counter("cycles_total", "Hourly cycles and retries that ended since the process began.", float64(count))
	if !ended.IsZero() {
		s.gauge("cycle_duration_seconds", "How long the last cycle took, waiting for the provider included.", took.Seconds())
	}
	s.age("cycle_age_seconds", "Time since the last cycle ended.", ended)
	e := p.Snapshot()
	if e == nil {
		return
	}
	s.age("estimates_age_seconds", "Time since the estimates that are published were made.", e.IssuedAt)
	s.boolean("estimates_current", "1 while the estimates that are published are valid, else 0.", len(e.Trails) > 0 && s.now.Before(e.ValidUntil))
	for _, m := range e.Models {
		s.boolean("model_ok", "1 while a model's run is the newest and votes, else 0.", m.State == "ok", "model", m.Model)
		s.age("model_run_age_seconds", "Time since the run held of a model was begun; not there without a run.", m.Run, "model", m.Model)
	}
}

func (p *collector) collectProvider(s sink) {
	used, limit := p.Weight()
	s.gauge("provider_weight_day", "Weight that the provider counts for what was asked in this UTC day.", used)
	if limit > 0 {
		s.gauge("provider_weight_day_limit", "Weight that the provider allows in a day; not there without a limit.", limit)
	}
}

func (p *collector) collectMessages(s sink) {
	for c := range subscription.Channel(subscription.NumChannels) {
		f, name := p.Channel(c), c.String()
		for state, n := range map[string]int{"waiting": f.Waiting, "sending": f.Sending, "recording": f.Recording} {
			s.gauge("outbox_messages", "Messages in the outbox: waiting, sending, or recording what came of them.", float64(n), "channel", name, "state", state)
		}
		for _, state := range channelStates {
			s.boolean("channel_state", "1 for the state that a channel of messages is in: off, ok, delayed or stopped.", f.State == state.api, "channel", name, "state", state.name)
		}
		deliveries := func(result string, n uint64) {
			s.counter("deliveries_total", "What came of messages since the process began.", float64(n), "channel", name, "result", result)
		}
		for outcome, result := range results {
			deliveries(result, f.Results.Settled[outcome])
		}
		deliveries("postponed", f.Results.PutOff)
	}
}

func (p *collector) collectFile(s sink) {
	f := p.File()
	s.gauge("store_file_bytes", "Size of the data file.", float64(f.Bytes))
	s.boolean("store_writable", "1 while the data file can be written, else 0.", f.Writable)
	s.gauge("store_open_read_transactions", "Read transactions open now; they keep pages from being used again.", float64(f.OpenReads))
	s.gauge("store_free_pages", "Pages of the file that the next writes use.", float64(f.FreePages))
	s.gauge("store_pending_pages", "Pages that are free once the open transactions end.", float64(f.PendingPages))
}

func (p *collector) collectBackups(s sink) {
	if p.Backups == nil {
		return
	}
	last, failing := p.Backups()
	s.age("backup_age_seconds", "Time since the newest backup in the data folder was made; not there without one.", last)
	s.boolean("backup_failing", "1 when the daily backup cannot be made.", failing)
}

func (p *collector) collectCertificates(s sink) {
	if p.Certificates == nil {
		return
	}
	for _, c := range p.Certificates() {
		s.boolean("certificate_failing", "1 while a domain has no certificate, or one that ends soon and is not renewed, else 0.", c.Failing, "domain", c.Domain)
		if !c.Expires.IsZero() {
			s.gauge("certificate_remaining_seconds", "Time until the end of the certificate of a domain, negative after it; not there without one.",
				c.Expires.Sub(s.now).Seconds(), "domain", c.Domain)
		}
	}
}

// sink takes figures, as they are at one instant. Labels are names and values in turn.
type sink struct {
	to  chan<- prometheus.Metric
	now time.Time
}

func (s sink) gauge(name, help string, value float64, labels ...string) {
	s.send(name, help, prometheus.GaugeValue, value, labels)
}

func (s sink) counter(name, help string, value float64, labels ...string) {
	s.send(name, help, prometheus.CounterValue, value, labels)
}

func (s sink) send(name, help string, kind prometheus.ValueType, value float64, labels []string) {
	constant := prometheus.Labels{}
	for i := 0; i < len(labels); i += 2 {
		constant[labels[i]] = labels[i+1]
	}
	s.to <- prometheus.MustNewConstMetric(prometheus.NewDesc("vigia_"+name, help, nil, constant), kind, value)
}

// boolean sends 1 for true and 0 for false.
func (s sink) boolean(name, help string, is bool, labels ...string) {
	value := 0.0
	if is {
		value = 1
	}
	s.gauge(name, help, value, labels...)
}

// age sends the seconds since an instant, 0 when the clock was set back behind it, and
// nothing for the zero time.
func (s sink) age(name, help string, at time.Time, labels ...string) {
	if !at.IsZero() {
		s.gauge(name, help, max(0, s.now.Sub(at).Seconds()), labels...)
	}
}
