package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vigia/store"
	"vigia/store/subscription"
)

// The figures that the parts of the service are asked for.
var (
	cycles        = figure("cycles_total", "Hourly cycles and retries that ended since the process began.")
	cycleDuration = figure("cycle_duration_seconds", "How long the last cycle took, waiting for the provider included.")
	cycleAge      = figure("cycle_age_seconds", "Time since the last cycle ended.")
	estimatesAge  = figure("estimates_age_seconds", "Time since the estimates that are published were made.")
	estimatesHold = figure("estimates_current", "1 while the estimates that are published are valid, else 0.")

	weightDay   = figure("provider_weight_day", "Weight that the provider counts for what was asked in this UTC day.")
	weightLimit = figure("provider_weight_day_limit", "Weight that the provider allows in a day; not there without a limit.")
	modelAge    = figure("model_run_age_seconds", "Time since the run held of a model was begun; not there without a run.", "model")
	modelOK     = figure("model_ok", "1 while a model's run is the newest and votes, else 0.", "model")

	outbox       = figure("outbox_messages", "Messages in the outbox: waiting, sending, or recording what came of them.", "channel", "state")
	channelState = figure("channel_state", "1 for the state that a channel of messages is in: off, ok, delayed or stopped.", "channel", "state")
	deliveries   = figure("deliveries_total", "What came of messages since the process began.", "channel", "result")

	fileBytes     = figure("store_file_bytes", "Size of the data file.")
	fileWritable  = figure("store_writable", "1 while the data file can be written, else 0.")
	openReads     = figure("store_open_read_transactions", "Read transactions open now; they keep pages from being used again.")
	freePages     = figure("store_free_pages", "Pages of the file that the next writes use.")
	pendingPages  = figure("store_pending_pages", "Pages that are free once the open transactions end.")
	backupAge     = figure("backup_age_seconds", "Time since the newest backup in the data folder was made; not there without one.")
	backupFailing = figure("backup_failing", "1 when the daily backup cannot be made.")

	certificateLeft    = figure("certificate_remaining_seconds", "Time until the end of the certificate of a domain, negative after it; not there without one.", "domain")
	certificateFailing = figure("certificate_failing", "1 while a domain has no certificate, or one that ends soon and is not renewed, else 0.", "domain")
)

func figure(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("vigia_"+name, help, labels, nil)
}

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
	s.counter(cycles, float64(count))
	if !ended.IsZero() {
		s.gauge(cycleDuration, took.Seconds())
		s.age(cycleAge, ended)
	}
	e := p.Snapshot()
	if e == nil {
		return
	}
	if !e.IssuedAt.IsZero() {
		s.age(estimatesAge, e.IssuedAt)
	}
	s.boolean(estimatesHold, len(e.Trails) > 0 && s.now.Before(e.ValidUntil))
	for i := range e.Models {
		m := &e.Models[i]
		s.boolean(modelOK, m.State == "ok", m.Model)
		if !m.Run.IsZero() {
			s.age(modelAge, m.Run, m.Model)
		}
	}
}

func (p *collector) collectProvider(s sink) {
	used, limit := p.Weight()
	s.gauge(weightDay, used)
	if limit > 0 {
		s.gauge(weightLimit, limit)
	}
}

func (p *collector) collectMessages(s sink) {
	for c := range subscription.Channel(subscription.NumChannels) {
		f, name := p.Channel(c), c.String()
		s.gauge(outbox, float64(f.Waiting), name, "waiting")
		s.gauge(outbox, float64(f.Sending), name, "sending")
		s.gauge(outbox, float64(f.Recording), name, "recording")
		for _, state := range channelStates {
			s.boolean(channelState, f.State == state.api, name, state.name)
		}
		for as, result := range results {
			s.counter(deliveries, float64(f.Results.Settled[as]), name, result)
		}
		s.counter(deliveries, float64(f.Results.PutOff), name, "postponed")
	}
}

func (p *collector) collectFile(s sink) {
	f := p.File()
	s.gauge(fileBytes, float64(f.Bytes))
	s.boolean(fileWritable, f.Writable)
	s.gauge(openReads, float64(f.OpenReads))
	s.gauge(freePages, float64(f.FreePages))
	s.gauge(pendingPages, float64(f.PendingPages))
}

func (p *collector) collectBackups(s sink) {
	if p.Backups == nil {
		return
	}
	last, failing := p.Backups()
	if !last.IsZero() {
		s.age(backupAge, last)
	}
	s.boolean(backupFailing, failing)
}

func (p *collector) collectCertificates(s sink) {
	if p.Certificates == nil {
		return
	}
	for _, c := range p.Certificates() {
		s.boolean(certificateFailing, c.Failing, c.Domain)
		if !c.Expires.IsZero() {
			s.gauge(certificateLeft, c.Expires.Sub(s.now).Seconds(), c.Domain)
		}
	}
}

// sink takes figures, as they are at one instant.
type sink struct {
	to  chan<- prometheus.Metric
	now time.Time
}

func (s sink) gauge(what *prometheus.Desc, value float64, labels ...string) {
	s.to <- prometheus.MustNewConstMetric(what, prometheus.GaugeValue, value, labels...)
}

func (s sink) counter(what *prometheus.Desc, value float64, labels ...string) {
	s.to <- prometheus.MustNewConstMetric(what, prometheus.CounterValue, value, labels...)
}

// boolean sends 1 for true and 0 for false.
func (s sink) boolean(what *prometheus.Desc, is bool, labels ...string) {
	value := 0.0
	if is {
		value = 1
	}
	s.gauge(what, value, labels...)
}

// age sends the seconds since an instant, 0 when the clock was set back behind it.
func (s sink) age(what *prometheus.Desc, at time.Time, labels ...string) {
	s.gauge(what, max(0, s.now.Sub(at).Seconds()), labels...)
}
