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
	"vigia/forecast/snapshot"
	"vigia/forecast/verification"
	"vigia/handlers"
	"vigia/handlers/cli"
	"vigia/handlers/cli/systemd"
	"vigia/handlers/feeds"
	"vigia/handlers/forms"
	"vigia/handlers/https"
	"vigia/handlers/mapfile"
	"vigia/handlers/metrics"
	"vigia/handlers/site"
	"vigia/notify"
	"vigia/notify/mail"
	captured "vigia/notify/simulate"
	"vigia/store"
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
		"catalogue": aboutCatalogue, "backup": cli.Backup, "restore": cli.Restore, "compact": cli.Compact, "unblock": cli.Unblock,
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

	parks        *catalogue.Catalogue
	manager      *systemd.Manager
	file         *store.Store
	backups      *store.Backups // nil in the demo, whose folder goes away
	lastBackup   func() (at time.Time, failing bool)
	listeners    *handlers.Listeners
	notifier     *notify.Notifier
	schedule     *forecast.Schedule
	certificates *https.Certificates // nil leaves TLS to a proxy
	requests     *metrics.Requests   // nil without metrics
	server       *handlers.Server
	ledger       *openmeteo.Ledger
	engine       *forecast.Engine
}

// run opens what the service needs, from the file to the listeners, connects its parts and
// runs them until ctx ends. Requests wait for the first publication. At the end requests and the cycle
// end first, then the sending of messages, and then the file is closed.
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
	} else {
		v.backups = store.NewBackups(v.file)
		v.lastBackup = v.backups.Last
	}
	for _, connect := range []func() error{v.connectNotifier, v.connectServer, v.connectEngine} {
		if err := connect(); err != nil {
			return err
		}
	}
	v.PrintStart(v.parks, v.listeners.Address(), v.listeners.MetricsURL(metrics.Path))
	v.engine.Show()
	return cli.RunStages(ctx, v.work(), []cli.Part{v.notifier.Run})
}

// connectNotifier connects the notifier with the mail relay and the push services.
func (v *service) connectNotifier() (err error) {
	o := notify.Options{
		Store: v.file, Catalogue: v.parks, Clock: v.Clock, Log: v.Log, BaseURL: v.BaseURL, Contact: v.Contact, PushRate: v.PushRate,
		Folder: v.Data, Relay: relay(v.Env), PushHosts: v.PushHosts, Sun: func(park int) snapshot.Sun { return v.server.Sun(park) }, // made after this
	}
	if v.captured != nil {
		o.Capture = v.captured
	}
	v.notifier, err = notify.Open(o)
	return err
}

// connectServer makes the pages and the server with all its routes.
func (v *service) connectServer() error {
	zone, err := time.LoadLocation("America/Santiago") // of pages that are of no park
	if err != nil {
		return fmt.Errorf("find the time zone of the pages: %w", err)
	}
	region, err := v.OpenMap()
	if err != nil {
		return err
	}
	pages, err := site.New(site.Options{
		BaseURL: v.BaseURL, Contact: v.Contact, OperatorName: v.OperatorName, OperatorAddress: v.OperatorAddress,
		Version: build.Version, Location: zone, Subscriptions: v.notifier, Demo: v.captured != nil, Region: regionOf(region),
	})
	if err != nil {
		return fmt.Errorf("read the pages: %w", err)
	}
	v.schedule = forecast.NewSchedule(v.Clock, v.Log)
	o := handlers.Options{
		Clock: v.Clock, Log: v.Log, BaseURL: v.BaseURL, Contact: v.Contact, Version: build.Version,
		TrustedProxies: v.TrustedProxies, RateLimit: v.RateLimit, Subscriptions: v.notifier, PushHosts: v.PushHosts, Policy: web.PolicyVersion,
		FileFault: v.file.Fault, Jobs: v.schedule.States, Backups: v.lastBackup,
		Pages: feeds.Among(pages), Forms: forms.New(pages, v.demoPages()).AddRoutes, NotFoundPage: pages.NotFound(v.captured != nil), Words: pages.Words,
		Assets: pages.Assets(),
	}
	if region != nil {
		o.Region, o.RegionPath = region, mapfile.Path
	}
	if len(v.Domains) > 0 {
		v.certificates = https.New(https.Options{
			Domains: v.Domains, Authority: v.ACMEURL, Folder: filepath.Join(v.Data, "certs"), HTTPS: v.listeners.Public.Addr(), HTTP: v.listeners.RedirectAddr(),
			UserAgent: v.UserAgent, Clock: v.Clock, Log: v.Log,
		})
		o.Certificates = v.certificates
	}
	if v.MetricsListen != "" {
		v.requests = metrics.NewRequests()
		o.Meter = v.requests
	}
	v.server = handlers.New(o)
	return nil
}

// regionOf returns what the pages say of the operator's own map, nil without one.
func regionOf(f *mapfile.File) *site.Region {
	if f == nil {
		return nil
	}
	return &site.Region{Path: mapfile.Path, MaxZoom: f.MaxZoom(), Bounds: f.Bounds(), Attribution: f.Attribution}
}

// demoPages returns what the pages of the demo show and do, nothing in the real service.
func (v *service) demoPages() forms.Demo {
	if v.captured == nil {
		return forms.Demo{}
	}
	return forms.Demo{
		Caught: func() (c forms.Caught) {
			for _, mail := range v.captured.Mails() {
				c.Mails = append(c.Mails, forms.CaughtMail(mail))
			}
			for _, push := range v.captured.Pushes() {
				c.Pushes = append(c.Pushes, forms.CaughtPush(push))
			}
			return c
		},
		Join: func(park string, in subscription.Language) error {
			return v.captured.Subscribe(v.notifier, park, in, subscription.Consent{At: v.Clock.Now(), Policy: web.PolicyVersion})
		},
	}
}

// connectEngine makes what runs the hourly cycle.
func (v *service) connectEngine() error {
	v.ledger = forecast.OpenLedger(v.Clock, v.limits, v.file, v.Log)
	provider, err := client(v.Env, v.ProviderURL, v.ledger)
	if err != nil {
		return err
	}
	archive, err := client(v.Env, v.ArchiveURL, v.ledger)
	if err != nil {
		return err
	}
	v.engine, err = forecast.New(forecast.Options{
		Store: v.file, Provider: provider, Archive: archive, Usage: func() openmeteo.Usage { return v.ledger.Usage(v.Clock.Now()) },
		Catalogue: v.parks, Rules: hazard.DefaultRules(), Models: v.Models, Clock: v.Clock, Log: v.Log,
		Publisher: v.manager.Reporting(v.server), Notifier: v.notifier, Simulated: v.captured != nil, WindAloft: v.WindAloft, Ensembles: v.Ensembles, UserAgent: v.UserAgent,
		NoticeURLs: [notices.NumKinds]string{notices.Volcanoes: v.VolcanoURL, notices.Closures: v.ClosuresURL},
		Progress:   func(step string) { fmt.Fprintln(v.Out, " ·", step) },
	})
	return err
}

// work returns the parts that make and serve estimates.
func (v *service) work() []cli.Part {
	v.schedule.Add(append(v.engine.Jobs(),
		forecast.Job{Name: "archivo", Every: 5 * time.Second, Do: v.file.Recover},
		forecast.Job{Name: "borrado", Every: time.Minute, Do: v.notifier.Erase})...)
	alive := []systemd.Check{{Name: "a read of the file", Run: func() error { v.file.Probe(); return nil }}}
	work := []cli.Part{v.serve}
	if v.backups != nil {
		alive = append(alive, systemd.Check{Name: "the hourly cycle", Run: v.engine.Stuck}) // the demo's clock is too fast for it
		work = append(work, v.commands().Listen(v.Data, v.Log))
		v.schedule.Add(forecast.Job{Name: "respaldo", Every: time.Minute, Later: true, Do: v.backups.MakeDue})
	}
	return append(work, v.schedule.Run, func(ctx context.Context) error { return v.manager.Run(ctx, alive...) })
}

// commands returns the service as commands reach it over the control socket.
func (v *service) commands() *cli.Service {
	return &cli.Service{
		UseFile:   func(_ bool, do func(*store.Store) (string, error)) (string, error) { return do(v.file) },
		Catalogue: func() (*catalogue.Catalogue, error) { return v.parks, nil }, Clock: v.Clock,
		MakeBackup: v.backups.Make, SaveNotices: v.engine.ImportNotices, Unblock: v.notifier.Unblock,
		ImportObservations: func(_ *store.Store, _ *catalogue.Catalogue, name string, data []byte) (string, error) {
			done, err := v.engine.ImportObservations(name, data)
			return done.Report(name), err
		},
	}
}

// serve serves the public and the metrics.
func (v *service) serve(ctx context.Context) error {
	o := metrics.Options{
		Clock: v.Clock, Version: build.Version, Commit: build.Commit, Requests: v.requests, Snapshot: v.server.Snapshot, LastCycle: v.engine.LastCycle,
		Channel: v.notifier.Figures, File: v.file.Figures, Weight: v.ledger.Today, Backups: v.lastBackup,
	}
	if v.certificates != nil {
		o.Certificates = v.certificates.States
		v.certificates.Manage(ctx)
	}
	if v.requests == nil {
		return v.server.Serve(ctx, v.listeners, nil)
	}
	return v.server.Serve(ctx, v.listeners, metrics.New(o))
}

// client returns a client of the provider, or of one of its archives.
func client(env *cli.Env, base string, ledger *openmeteo.Ledger) (*openmeteo.Client, error) {
	return openmeteo.New(openmeteo.Options{
		BaseURL: base, Key: env.ProviderKey, UserAgent: env.UserAgent, Clock: env.Clock, Ledger: ledger, Log: env.Log,
	})
}

// check checks settings and data, and tries to log in at the mail relay.
func check(ctx context.Context, env *cli.Env) error {
	weight := func(parks *catalogue.Catalogue) (w cli.Weight) {
		plan, limits := openmeteo.Plan{Models: env.Models, WindAloft: env.WindAloft, Ensembles: env.Ensembles}, openmeteo.LimitsFor(env.ProviderKey)
		fitting, perDay := plan.Fit(parks.Sites(), len(parks.Locations), limits)
		return cli.Weight{PerDay: perDay, Allowed: limits.Day, NoEnsembles: plan.Ensembles && !fitting.Ensembles}
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
	parks, err := env.LoadCatalogue()
	if err != nil {
		return err
	}
	first, last, err := env.Span(env.Clock.Now())
	if err != nil {
		return err
	}
	return ask(env, env.HistoryURL, func(archive *openmeteo.Client) error {
		return calibration.Calibration{
			Archive: archive, Catalogue: parks, Rules: hazard.DefaultRules(), Models: env.Models, First: first, Last: last, Clock: env.Clock, WindAloft: env.WindAloft,
		}.Print(ctx, env.Out, env.Errs, env.CSV)
	})
}

// aboutCatalogue prints or checks a catalogue, or compares its heights with the terrain's.
func aboutCatalogue(ctx context.Context, env *cli.Env) error {
	if env.Args[0] != "heights" {
		return cli.Catalogue(ctx, env)
	}
	return ask(env, env.ProviderURL, func(c *openmeteo.Client) error { return cli.CompareHeights(ctx, env, c.Elevations) })
}

// ask passes a client of the provider, or of one of its archives, to a command. The command
// has the file, which counts the provider's weight, to itself.
func ask(env *cli.Env, base string, do func(*openmeteo.Client) error) error {
	file, err := env.OpenFile()
	if err != nil {
		return err
	}
	defer file.Close()
	asked, err := client(env, base, forecast.OpenLedger(env.Clock, openmeteo.LimitsFor(env.ProviderKey), file, env.Log))
	if err != nil {
		return err
	}
	return do(asked)
}
