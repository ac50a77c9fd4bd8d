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
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast"
	"vigia/forecast/calibration"
	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/forecast/simulate"
	"vigia/forecast/verification"
	"vigia/handlers"
	"vigia/handlers/cli"
	"vigia/handlers/cli/systemd"
	"vigia/handlers/feeds"
	"vigia/handlers/forms"
	"vigia/handlers/https"
	"vigia/handlers/metrics"
	"vigia/handlers/site"
	"vigia/notify"
	"vigia/notify/mail"
	captured "vigia/notify/simulate"
	"vigia/store"
	"vigia/store/backups"
	"vigia/store/catalogue"
	"vigia/store/notices"
	"vigia/store/subscription"
	"vigia/web"
)

// build describes from what the program was built.
var build = cli.ReadBuild()

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// run runs a command and returns the exit status: 2 for a wrong call, 1 for a failure at
// run time.
func run(ctx context.Context, args, environ []string, out, errs io.Writer) int {
	return cli.Run(ctx, cli.Program{CanonicalModel: openmeteo.CanonicalModel, Commands: map[string]cli.Command{
		"demo": demo, "serve": serve, "check": check, "test-mail": testMail, "import": importDocument, "calibrate": calibrate,
		"catalogue": cli.Catalogue, "backup": cli.Backup, "restore": cli.Restore, "compact": cli.Compact, "unblock": cli.Unblock,
		"systemd": cli.Systemd, "version": cli.Version, "help": cli.Help,
	}}, args, environ, out, errs)
}

// demo runs the whole service on simulated weather, in a temporary folder, and captures
// what it sends.
func demo(ctx context.Context, env *cli.Env) error {
	folder, err := os.MkdirTemp("", "vigia-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	defer os.RemoveAll(folder)
	env.Clock = simulate.NewClock(env.Speed)
	base, closeWeather, err := simulate.Listen(ctx, simulate.Options{Seed: uint64(env.Seed), Clock: env.Clock})
	if err != nil {
		return fmt.Errorf("serve the simulated weather: %w", err)
	}
	defer closeWeather()
	env.Log.Info("serving simulated weather", "url", base)
	fmt.Fprintln(env.Out, "DEMOSTRACIÓN: los datos son simulados y no valen para ninguna decisión.")
	env.Simulate(folder, base)
	return (&service{Env: env, captured: captured.New(env.Clock)}).run(ctx)
}

// serve runs the service on the real provider. SIGHUP is ignored: settings are read at
// the start, and not every service manager restarts a service that a hangup ends.
func serve(ctx context.Context, env *cli.Env) error {
	signal.Ignore(syscall.SIGHUP)
	return (&service{Env: env, limits: openmeteo.LimitsFor(env.ProviderKey)}).run(ctx)
}

// service is the running service, of demo and serve alike.
type service struct {
	*cli.Env
	limits   openmeteo.Limits  // of the provider's weight
	captured *captured.Capture // demo: what was sent; nil in the real service

	parks    *catalogue.Catalogue
	manager  *systemd.Manager
	file     *store.Store
	notifier *notify.Notifier

	listeners    *handlers.Listeners
	certificates *https.Certificates // nil leaves TLS to a proxy
	requests     *metrics.Requests   // nil without metrics
	server       *handlers.Server
	backups      *backups.Keeper // nil in the demo, whose folder goes away
}

// run opens what the service needs, from the file to the listeners, and runs it until ctx
// ends. Then requests and the cycle end first, then the sending of messages, and then the
// file is closed.
func (v *service) run(ctx context.Context) (err error) {
	if v.parks, err = v.LoadCatalogue(); err != nil {
		return err
	}
	if v.manager, err = systemd.New(clockwork.NewRealClock(), v.Log); err != nil {
		return err
	}
	if v.file, err = v.OpenToServe(); err != nil {
		return err
	}
	defer v.file.Close()
	if v.listeners, err = handlers.Listen(v.Listen, v.RedirectAddress(), v.MetricsListen, v.Log); err != nil {
		return err
	}
	defer v.listeners.Close()
	if v.captured != nil {
		v.BaseURL = cmp.Or(v.BaseURL, v.listeners.Address())
	}
	work, sending, err := v.assemble()
	if err != nil {
		return err
	}
	return cli.RunStages(ctx, work, sending)
}

// assemble connects the hourly cycle, the notifier and the HTTP server. It returns what
// runs: what makes and serves estimates, and what sends messages, which ends after it.
func (v *service) assemble() (work, sending []cli.Part, err error) {
	if v.notifier, err = v.newNotifier(); err != nil {
		return nil, nil, err
	}
	schedule := forecast.NewSchedule(v.Clock, v.Log)
	if v.captured == nil {
		v.backups = backups.New(backups.Options{Store: v.file, Folder: v.Data, Clock: v.Clock, Log: v.Log})
	}
	if v.server, err = v.newServer(schedule.States); err != nil {
		return nil, nil, err
	}
	v.PrintStart(v.parks, v.listeners.Address(), v.listeners.MetricsURL(metrics.Path)) // requests wait for the first publication from now on
	ledger := forecast.OpenLedger(v.Clock, v.limits, v.file, v.Log)
	engine, err := v.engine(ledger, v.manager.Reporting(v.server))
	if err != nil {
		return nil, nil, err
	}
	engine.Show()
	schedule.Add(append(engine.Jobs(),
		forecast.Job{Name: "archivo", Every: 5 * time.Second, Do: v.file.Recover},
		forecast.Job{Name: "borrado", Every: time.Minute, Do: v.notifier.Erase})...)
	alive := []systemd.Check{{Name: "a read of the file", Run: func() error { v.file.Answer(); return nil }}}
	work = append(work, v.serving(engine, ledger))
	if v.backups != nil {
		alive = append(alive, systemd.Check{Name: "the hourly cycle", Run: engine.Stuck}) // the demo's clock is too fast for it
		work = append(work, v.commands(engine).Listen())
		schedule.Add(forecast.Job{Name: "respaldo", Every: time.Minute, Later: true, Do: v.backups.Look})
	}
	work = append(work, schedule.Run, func(ctx context.Context) error { return v.manager.Run(ctx, alive...) })
	return work, []cli.Part{v.notifier.Run}, nil
}

// commands returns the service as commands reach it over the control socket.
func (v *service) commands(engine *forecast.Engine) *cli.Service {
	return &cli.Service{
		File: v.file, Parks: v.parks, Backups: v.backups, Data: v.Data, Clock: v.Clock, Log: v.Log, SaveNotices: engine.ImportNotices, Unblock: v.notifier.Unblock,
		ImportObservations: func(name string, data []byte) (string, error) {
			done, err := engine.ImportObservations(name, data)
			return done.Report(name), err
		},
	}
}

// newNotifier connects the notifier with the mail relay and the push services.
func (v *service) newNotifier() (*notify.Notifier, error) {
	setup := notify.Setup{
		Options: notify.Options{
			Store: v.file, Catalogue: v.parks, Clock: v.Clock, Log: v.Log, BaseURL: v.BaseURL, Contact: v.Contact, PushRate: v.PushRate,
		},
		Folder: v.Data, Relay: relay(v.Env), PushHosts: v.PushHosts,
	}
	if v.captured != nil {
		setup.Capture = v.captured
	}
	return notify.Open(setup)
}

// newServer makes the pages and the server with all its routes.
func (v *service) newServer(jobs func() []store.JobStatus) (*handlers.Server, error) {
	zone, err := time.LoadLocation("America/Santiago") // of pages that are of no park
	if err != nil {
		return nil, fmt.Errorf("find the time zone of the pages: %w", err)
	}
	pages, err := site.New(site.Options{
		BaseURL: v.BaseURL, Contact: v.Contact, OperatorName: v.OperatorName, OperatorAddress: v.OperatorAddress,
		Version: build.Version, Location: zone, Subscriptions: v.notifier, Demo: v.captured != nil,
	})
	if err != nil {
		return nil, fmt.Errorf("read the pages: %w", err)
	}
	var demo forms.Demo
	if v.captured != nil {
		demo = forms.Demo{Caught: v.caught, Join: v.join}
	}
	o := handlers.Options{
		Clock: v.Clock, Log: v.Log, BaseURL: v.BaseURL, Contact: v.Contact, Version: build.Version,
		TrustedProxies: v.TrustedProxies, RateLimit: v.RateLimit,
		Subscriptions: v.notifier, File: v.file, Jobs: jobs, PushHosts: v.PushHosts, Policy: web.PolicyVersion,
		Pages: feeds.Among(pages), Forms: forms.New(pages, demo).AddRoutes, NotFoundPage: pages.NotFound(v.captured != nil), Assets: pages.Assets(),
	}
	if v.backups != nil {
		o.Backups = v.backups
	}
	if len(v.Domains) > 0 {
		if v.certificates, err = https.New(https.Options{
			Domains: v.Domains, Authority: v.ACMEURL, Folder: filepath.Join(v.Data, "certs"), HTTPS: v.listeners.Public.Addr(), HTTP: v.listeners.RedirectAddr(),
			UserAgent: v.UserAgent, Clock: v.Clock, Log: v.Log,
		}); err != nil {
			return nil, err
		}
		o.Certificates = v.certificates
	}
	if v.MetricsListen != "" {
		v.requests = metrics.NewRequests()
		o.Meter = v.requests
	}
	return handlers.New(o), nil
}

// serving returns what serves the public and the metrics.
func (v *service) serving(engine *forecast.Engine, ledger *openmeteo.Ledger) cli.Part {
	o := metrics.Options{
		Clock: v.Clock, Version: build.Version, Commit: build.Commit, Requests: v.requests, Publication: v.server,
		Engine: engine, Notifier: v.notifier, File: v.file, Weight: ledger.Today,
	}
	if v.backups != nil {
		o.Backups = v.backups.Last
	}
	if v.certificates != nil {
		o.Certificates = v.certificates.States
	}
	return func(ctx context.Context) error {
		if v.certificates != nil {
			v.certificates.Manage(ctx)
		}
		var figures http.Handler
		if v.requests != nil {
			figures = metrics.New(o)
		}
		return v.server.Serve(ctx, v.listeners, figures)
	}
}

// engine makes what runs the hourly cycle.
func (v *service) engine(ledger *openmeteo.Ledger, publisher forecast.Publisher) (*forecast.Engine, error) {
	provider, err := client(v.Env, v.ProviderURL, ledger)
	if err != nil {
		return nil, err
	}
	archive, err := client(v.Env, v.ArchiveURL, ledger)
	if err != nil {
		return nil, err
	}
	return forecast.New(forecast.Options{
		Store: v.file, Provider: provider, Archive: archive, Usage: func() openmeteo.Usage { return ledger.Usage(v.Clock.Now()) },
		Catalogue: v.parks, Rules: hazard.DefaultRules(), Models: v.Models, Clock: v.Clock, Log: v.Log,
		Publisher: publisher, Notifier: v.notifier, Simulated: v.captured != nil, UserAgent: v.UserAgent,
		NoticeURLs: [notices.NumKinds]string{notices.Volcanoes: v.VolcanoURL, notices.Closures: v.ClosuresURL},
		Progress:   func(step string) { fmt.Fprintln(v.Out, " ·", step) },
	})
}

// caught returns what the demo sent, for its pages.
func (v *service) caught() (c forms.Caught) {
	for _, mail := range v.captured.Mails() {
		c.Mails = append(c.Mails, forms.CaughtMail(mail))
	}
	for _, push := range v.captured.Pushes() {
		c.Pushes = append(c.Pushes, forms.CaughtPush(push))
	}
	return c
}

// join subscribes a simulated browser of the demo to a park.
func (v *service) join(park string, in subscription.Language) error {
	return v.captured.Subscribe(v.notifier, park, in, subscription.Consent{At: v.Clock.Now(), Policy: web.PolicyVersion})
}

// client returns a client of the provider, or of one of its archives.
func client(env *cli.Env, base string, ledger *openmeteo.Ledger) (*openmeteo.Client, error) {
	return openmeteo.New(openmeteo.Options{
		BaseURL: base, Key: env.ProviderKey, UserAgent: env.UserAgent, Clock: env.Clock, Ledger: ledger, Log: env.Log,
	})
}

// check checks settings and data, and tries to log in at the mail relay.
func check(ctx context.Context, env *cli.Env) error {
	weight := func(places int) (perDay, allowed float64) {
		return openmeteo.WeightADay(env.Models, places), openmeteo.LimitsFor(env.ProviderKey).Day
	}
	return errors.Join(cli.Check(ctx, env, weight), mail.Check(ctx, relay(env), env.Out))
}

// testMail sends one message and prints what the relay answered.
func testMail(ctx context.Context, env *cli.Env) error {
	return mail.SendTest(ctx, relay(env), env.BaseURL, env.Contact, env.Args[0], env.Out)
}

// relay returns the mail relay of the settings.
func relay(env *cli.Env) mail.Options {
	return mail.Options{
		Host: env.SMTPHost, Port: env.SMTPPort, User: env.SMTPUser, Password: env.SMTPPassword, From: env.SMTPFrom, TLS: env.SMTPTLS,
		DKIMKey: env.DKIMKey, DKIMSelector: env.DKIMSelector, Clock: env.Clock, Log: env.Log,
	}
}

// importDocument takes in notices or observations.
func importDocument(ctx context.Context, env *cli.Env) error {
	return cli.Import(ctx, env, func(file *store.Store, parks *catalogue.Catalogue, name string, data []byte) (string, error) {
		done, err := verification.Observations{
			Store: file, Catalogue: parks, Rules: hazard.DefaultRules(), Log: env.Log, Now: env.Clock.Now(), Name: name, Data: data,
		}.Import()
		return done.Report(name), err
	})
}

// calibrate prints how often the rules would have led to which state.
func calibrate(ctx context.Context, env *cli.Env) error {
	return cli.Calibrate(env, func(file *store.Store, parks *catalogue.Catalogue, first, last time.Time) error {
		archive, err := client(env, env.HistoryURL, forecast.OpenLedger(env.Clock, openmeteo.LimitsFor(env.ProviderKey), file, env.Log))
		if err != nil {
			return err
		}
		return calibration.Calibration{
			Archive: archive, Catalogue: parks, Rules: hazard.DefaultRules(), Models: env.Models, First: first, Last: last, Clock: env.Clock,
		}.Print(ctx, env.Out, env.Errs, env.CSV)
	})
}
