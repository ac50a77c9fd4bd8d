// Command vigia is an early-information service for hikers in Chile's protected
// parks: it turns the forecasts of several global weather models into a hazard
// estimate for each trail, every hour, and serves them as a website and an API.
//
// This file is the wiring and the only place that knows every package: settings
// → store, provider, catalogue → the hourly cycle → the server.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast"
	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/forecast/offline"
	"vigia/forecast/openmeteo"
	sky "vigia/forecast/simulate"
	"vigia/handlers"
	"vigia/handlers/https"
	"vigia/handlers/metrics"
	"vigia/handlers/site"
	"vigia/notify"
	"vigia/notify/push"
	"vigia/notify/relay"
	people "vigia/notify/simulate"
	"vigia/notify/systemd"
	"vigia/store"
	"vigia/store/backups"
	"vigia/store/catalogue"
	"vigia/store/notices"
	"vigia/store/settings"
	"vigia/store/subscription"
	"vigia/web"
)

// version is the service's own label, as the compiler wrote it.
var version = offline.ReadBuild().Version

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// run carries out a command and gives the exit status: 2 for a wrong call, 1
// for a failure at run time.
func run(ctx context.Context, args, environ []string, out, errs io.Writer) int {
	name, rest := "help", args
	if len(args) > 0 {
		name, rest = args[0], args[1:]
	}
	inJournal := settings.InJournal(errs, environ)
	s, err := settings.Parse(name, rest, environ, os.ReadFile, openmeteo.CanonicalModel)
	if err != nil {
		settings.Complain(errs, inJournal, err.Error())
		return 2
	}
	commands := map[string]func(context.Context, *settings.Settings, offline.Terminal) error{
		"demo": demo, "serve": serve, "check": check, "test-mail": testMail, "catalogue": offline.Catalogues,
		"backup": offline.Backup, "restore": offline.Restore, "compact": offline.Compact, "import": offline.Imports, "calibrate": offline.Calibrate,
		"systemd": offline.Unit, "version": offline.ShowVersion, "help": offline.Help,
	}
	t := offline.Terminal{Out: out, Errs: errs, Log: s.NewLog(errs, inJournal), Clock: clockwork.NewRealClock(), Environ: environ, UserAgent: "vigia/" + version}
	if err := commands[s.Command](ctx, s, t); err != nil {
		settings.Complain(errs, inJournal, fmt.Sprintf("vigia %s: %v", s.Command, err))
		if usage := (*settings.UsageError)(nil); errors.As(err, &usage) {
			return 2
		}
		return 1
	}
	return 0
}

// demo runs the whole service on made-up weather, in a folder that goes away, with
// a mailbox and a push service of its own: nothing leaves the machine.
func demo(ctx context.Context, s *settings.Settings, t offline.Terminal) error {
	folder, err := os.MkdirTemp("", "vigia-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	defer os.RemoveAll(folder)
	t.Clock = sky.NewClock(s.Speed)
	base, closeWeather, err := sky.Listen(ctx, sky.Options{Seed: s.Seed, Clock: t.Clock, Log: t.Log})
	if err != nil {
		return fmt.Errorf("serve the simulated weather: %w", err)
	}
	defer closeWeather()
	crowd, err := people.Gather(t.Clock)
	if err != nil {
		return fmt.Errorf("serve the simulated mailbox and browsers: %w", err)
	}
	defer crowd.Close()
	fmt.Fprintln(t.Out, "DEMOSTRACIÓN: los datos son simulados y no valen para ninguna decisión.")
	s.Data, s.ProviderURL, s.ArchiveURL = folder, base, base
	s.SMTPHost, s.SMTPPort, s.SMTPTLS, s.SMTPFrom = crowd.Mailbox.Host(), crowd.Mailbox.Port(), "none", "alertas@vigia.example"
	s.Contact = cmp.Or(s.Contact, "operador@vigia.example")
	s.PushHosts = []string{crowd.Browsers.Origin()}
	return (&service{Settings: s, Terminal: t, crowd: crowd}).run(ctx)
}

// serve runs the service on the real provider.
func serve(ctx context.Context, s *settings.Settings, t offline.Terminal) error {
	return (&service{Settings: s, Terminal: t, limits: offline.Limits(s)}).run(ctx)
}

// service is what serving puts together.
type service struct {
	*settings.Settings
	offline.Terminal
	limits openmeteo.Limits
	crowd  *people.Crowd // demo: those who are told; nil in the real service

	parks        *catalogue.Catalogue
	hosts        subscription.PushHosts
	file         *store.Store
	ledger       *openmeteo.Ledger // of the provider's weight
	doors        *handlers.Doors
	certificates *https.Certificates // nil leaves TLS to a proxy
	requests     *metrics.Requests   // nil without metrics
	manager      *systemd.Manager    // who started the service; nil is nobody who listens
	saved        *backups.Keeper     // nil in the demo, whose folder goes away
}

// run puts the parts together and runs them until ctx ends: first no new requests
// and no cycle, then no more messages, then the file is closed.
func (v *service) run(ctx context.Context) (err error) {
	if v.parks, err = offline.Catalogue(v.Settings); err != nil {
		return err
	}
	if v.hosts, err = subscription.ParsePushHosts(v.PushHosts); err != nil {
		return fmt.Errorf("--push-hosts: %w", err)
	}
	if v.manager, err = systemd.FromEnvironment(v.Environ, clockwork.NewRealClock(), v.Log); err != nil {
		return err
	}
	saveMemory(len(v.parks.Trails))
	if v.file, err = offline.Open(v.Settings, v.Clock, v.Log); err != nil {
		return err
	}
	defer v.file.Close()
	if v.crowd == nil {
		v.saved = backups.New(backups.Options{Store: v.file, Folder: v.Data, Clock: v.Clock, Log: v.Log})
	}
	if v.doors, err = handlers.OpenDoors(v.Listen, v.RedirectAddress(), v.MetricsListen, v.Log); err != nil {
		return err
	}
	defer v.doors.Close()
	if v.BaseURL == "" && v.crowd != nil {
		v.BaseURL = "http://" + reachable(v.doors.Public.Addr())
	}
	if v.certificates, err = v.newCertificates(); err != nil {
		return err
	}
	notifier, err := v.newNotifier()
	if err != nil {
		return err
	}
	server, err := v.newServer(notifier)
	if err != nil {
		return err
	}
	v.greet(v.doors.Public.Addr()) // who comes from now on waits for the first edition
	engine, err := v.newEngine(server, notifier)
	if err != nil {
		return err
	}
	engine.Show()
	parts := []func(context.Context) error{engine.Run, notifier.Run, func(ctx context.Context) error { return server.ServeDoors(ctx, v.doors) },
		func(ctx context.Context) error { return v.manager.Run(ctx, v.signsOfLife(engine)...) }}
	if v.certificates != nil {
		parts = append(parts, v.certificates.Run)
	}
	if v.doors.Metrics != nil {
		figures := v.newMetrics(server, engine, notifier)
		parts = append(parts, func(ctx context.Context) error { return handlers.ServeApart(ctx, v.doors.Metrics, figures, v.Log) })
	}
	if v.saved != nil {
		desk := &offline.Service{File: v.file, Parks: v.parks, Engine: engine, Backups: v.saved, Data: v.Data, Clock: v.Clock}
		parts = append(parts, desk.Upkeep(v.Log)...)
	}
	return together(ctx, parts...)
}

// newCertificates makes what gets the certificates of the domains, nil without any.
func (v *service) newCertificates() (*https.Certificates, error) {
	if len(v.Domains) == 0 {
		return nil, nil
	}
	return https.New(https.Options{
		Domains: v.Domains, Authority: v.ACMEURL, Folder: filepath.Join(v.Data, "certs"), HTTP01: v.doors.Redirect != nil,
		UserAgent: v.UserAgent, Clock: v.Clock, Log: v.Log,
	})
}

// together runs parts until ctx ends or one of them does, and waits for all.
func together(ctx context.Context, parts ...func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, len(parts))
	for _, part := range parts {
		go func() {
			defer cancel() // without one there is no service
			ended <- part(ctx)
		}()
	}
	var errs []error
	for range parts {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}

// signsOfLife is what the service manager's watchdog asks.
func (v *service) signsOfLife(engine *forecast.Engine) []systemd.Question {
	questions := []systemd.Question{{About: "a read of the file", Ask: v.file.Answer}}
	if v.crowd == nil { // the clock of the demo runs too fast to tell what hangs
		questions = append(questions, systemd.Question{About: "the hourly cycle", Ask: engine.Stuck})
	}
	return questions
}

// saveMemory has the collector work harder where the heap would grow past what a
// catalogue of this size needs: a small machine has more time than memory. The
// runtime's own GOMEMLIMIT goes before.
func saveMemory(trails int) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(40+trails/5) << 20)
	}
}

// newNotifier makes who tells people: by e-mail where a relay is set, and by Web
// Push where the public address is known.
func (v *service) newNotifier() (*notify.Notifier, error) {
	keys, err := notify.OpenKeys(filepath.Join(v.Data, "vigia.key"))
	if err != nil {
		return nil, err
	}
	o := notify.Options{
		Store: v.file, Keys: keys, Catalogue: v.parks, Clock: v.Clock, Log: v.Log,
		BaseURL: v.BaseURL, Contact: v.Contact, Simulated: v.crowd != nil,
	}
	if v.SMTPHost != "" {
		if o.Mail, err = relay.Open(v.Settings, relay.Terminal{Out: v.Out, Log: v.Log, Clock: v.Clock}); err != nil {
			return nil, err
		}
	}
	if v.BaseURL != "" {
		if o.Push, err = push.New(push.Options{
			Public: keys.VAPIDPublic, Private: keys.VAPIDPrivate, Subject: v.Contact, AsWritten: v.hosts.AsWritten, Clock: v.Clock, Log: v.Log,
		}); err != nil {
			return nil, err
		}
	}
	return notify.New(o)
}

func (v *service) newServer(notifier *notify.Notifier) (*handlers.Server, error) {
	zone, err := time.LoadLocation("America/Santiago")
	if err != nil {
		return nil, fmt.Errorf("find the time zone of the pages: %w", err)
	}
	o := site.Options{BaseURL: v.BaseURL, Contact: v.Contact, Version: version, Location: zone, Desk: notifier}
	if v.crowd != nil {
		o.Demo = v.caught
		o.DemoSubscribe = func(park string, in subscription.Language) error { return v.joinCrowd(notifier, park, in) }
	}
	pages, err := site.New(o)
	if err != nil {
		return nil, fmt.Errorf("read the pages: %w", err)
	}
	served := handlers.Options{
		Clock: v.Clock, Log: v.Log, BaseURL: v.BaseURL, Contact: v.Contact, Version: version,
		TrustedProxies: v.TrustedProxies, RateLimit: v.RateLimit,
		Desk: notifier, File: v.file, PushHosts: v.hosts, Policy: web.PolicyVersion,
		Pages: pages.Pages, Forms: pages.Router, NotFoundPage: pages.NotFound(v.crowd != nil), Assets: pages.Assets(),
	}
	if v.certificates != nil {
		served.Certificates = v.certificates
	}
	if v.MetricsListen != "" {
		v.requests = metrics.NewRequests()
		served.Meter = v.requests
	}
	if v.saved != nil {
		served.Backups = v.saved
	}
	return handlers.New(served), nil
}

// caught gives the demo's pages what its crowd was told.
func (v *service) caught() (c site.Caught) {
	for _, l := range v.crowd.Mailbox.Letters() {
		c.Mails = append(c.Mails, site.CaughtMail{At: l.At, From: l.From, To: l.To, Subject: l.Subject, Text: l.Text, HTML: l.HTML, Raw: l.Raw})
	}
	for _, n := range v.crowd.Browsers.Notes() {
		push := site.CaughtPush{At: n.At, Topic: n.Topic, Urgency: n.Urgency, TTL: n.TTL}
		if err := json.Unmarshal(n.Payload, &push.Payload); err != nil {
			v.Log.Error("a push that the demo sent cannot be read", "error", err)
		}
		c.Pushes = append(c.Pushes, push)
	}
	return c
}

// joinCrowd subscribes a browser of the demo's crowd to a park, to be told in a
// language.
func (v *service) joinCrowd(notifier *notify.Notifier, park string, in subscription.Language) error {
	endpoint, key, auth := v.crowd.Browsers.NewBrowser()
	target, err := subscription.ParseTarget(endpoint, key, auth, v.hosts)
	if err != nil {
		return fmt.Errorf("subscribe a browser of the demo: %w", err)
	}
	preferences := subscription.Preferences{Parks: []string{park}, Conditions: subscription.Conditions{MinLevel: alert.Caution}, Language: in}
	_, err = notifier.Subscribe(&subscription.Subscription{
		Channel: subscription.WebPush, Target: target, Preferences: preferences,
		Consent: subscription.Consent{At: v.Clock.Now(), Policy: web.PolicyVersion},
	})
	return err
}

func (v *service) newEngine(server *handlers.Server, notifier *notify.Notifier) (*forecast.Engine, error) {
	v.ledger = offline.Ledger(v.Clock, v.limits, v.file, v.Log)
	ask := func(base string) (*openmeteo.Client, error) {
		return openmeteo.New(openmeteo.Options{
			BaseURL: base, Key: v.ProviderKey, UserAgent: v.UserAgent, Clock: v.Clock, Ledger: v.ledger, Log: v.Log,
		})
	}
	provider, err := ask(v.ProviderURL)
	if err != nil {
		return nil, err
	}
	archive, err := ask(v.ArchiveURL)
	if err != nil {
		return nil, err
	}
	return forecast.New(forecast.Options{
		Store: v.file, Provider: provider, Archive: archive, Usage: func() openmeteo.Usage { return v.ledger.Usage(v.Clock.Now()) },
		Catalogue: v.parks, Rules: hazard.DefaultRules(), Models: v.Models, Clock: v.Clock, Log: v.Log,
		Publisher: v.manager.Announcing(server), Notifier: notifier, Simulated: v.crowd != nil, UserAgent: v.UserAgent,
		NoticeURLs: [notices.NumKinds]string{notices.Volcanoes: v.VolcanoURL, notices.Closures: v.ClosuresURL},
		Progress:   func(step string) { fmt.Fprintln(v.Out, " ·", step) },
	})
}

// newMetrics makes the page of figures.
func (v *service) newMetrics(server *handlers.Server, engine *forecast.Engine, notifier *notify.Notifier) http.Handler {
	o := metrics.Options{
		Clock: v.Clock, Version: version, Commit: offline.ReadBuild().Commit, Requests: v.requests, Publication: server, Engine: engine, Notifier: notifier, File: v.file,
		Weight: func() (used, limit float64) {
			usage := v.ledger.Usage(v.Clock.Now())
			return usage.Day, usage.Limits.Day
		},
	}
	if v.saved != nil {
		o.Backups = v.saved.Last
	}
	if v.certificates != nil {
		o.Certificates = v.certificates.States
	}
	return metrics.New(o)
}

// greet says on one screen where the service is and what it does without.
func (v *service) greet(at net.Addr) {
	address := "http://" + reachable(at)
	if v.certificates != nil {
		address = v.BaseURL
	}
	fmt.Fprintf(v.Out, "Vigía %s: %d parques, %d senderos. Abra %s\n", version, len(v.parks.Parks), len(v.parks.Trails), address)
	if v.doors.Metrics != nil {
		fmt.Fprintf(v.Out, "Métricas en http://%s%s\n", v.doors.Metrics.Addr(), metrics.Path)
	}
	if v.BaseURL == "" {
		fmt.Fprintln(v.Out, "Sin --base-url: los enlaces absolutos quedan vacíos y nadie puede suscribirse. Indique la dirección pública, p. ej. --base-url https://parques.example.cl")
	}
	if v.SMTPHost == "" {
		fmt.Fprintln(v.Out, "Sin --smtp-host: no hay suscripciones por correo. Indique un servidor de correo con --smtp-host y --smtp-from (vigia help serve)")
	}
	fmt.Fprintln(v.Out, "Para terminar: Ctrl-C.")
}

// reachable gives an address that a browser on this machine can open.
func reachable(at net.Addr) string {
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", tcp.Port)
	}
	return at.String()
}

// check tells what would hold, and tries to log in at the mail relay.
func check(ctx context.Context, s *settings.Settings, t offline.Terminal) error {
	return errors.Join(offline.Check(ctx, s, t), relay.Check(ctx, s, relay.Terminal{Out: t.Out, Log: t.Log, Clock: t.Clock}))
}

// testMail sends one message and says what the relay answered.
func testMail(ctx context.Context, s *settings.Settings, t offline.Terminal) error {
	return relay.Test(ctx, s, relay.Terminal{Out: t.Out, Log: t.Log, Clock: t.Clock})
}
