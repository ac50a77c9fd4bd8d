// Command vigia is an early-information service for hikers in Chile's protected
// parks: it turns the forecasts of several global weather models into a hazard
// estimate for each trail, every hour, and serves them as a website and an API.
//
// This file is the wiring and the only place that knows every package: settings
// → store, provider, catalogue → the hourly cycle → the server.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast"
	"vigia/forecast/hazard"
	"vigia/forecast/offline"
	"vigia/forecast/openmeteo"
	"vigia/forecast/simulate"
	"vigia/handlers"
	"vigia/handlers/site"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/notices"
	"vigia/store/settings"
)

// version is the service's own label; the commit comes from the build.
const version = "v0.1.0-alpha"

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
	s, err := settings.Parse(name, rest, environ, os.ReadFile, openmeteo.CanonicalModel)
	if err != nil {
		fmt.Fprintln(errs, err)
		return 2
	}
	commands := map[string]func(context.Context, *settings.Settings, offline.Terminal) error{
		"demo": demo, "serve": serve, "check": offline.Check, "catalogue": offline.Catalogues, "backup": offline.Backup,
		"import": offline.Imports, "calibrate": offline.Calibrate, "version": showVersion, "help": help,
	}
	if err := commands[s.Command](ctx, s, offline.Terminal{Out: out, Errs: errs, Log: s.NewLog(errs), Clock: clockwork.NewRealClock(), UserAgent: "vigia/" + version}); err != nil {
		fmt.Fprintf(errs, "vigia %s: %v\n", s.Command, err)
		if usage := (*settings.UsageError)(nil); errors.As(err, &usage) {
			return 2
		}
		return 1
	}
	return 0
}

// demo runs the whole service on made-up weather, in a folder that goes away.
func demo(ctx context.Context, s *settings.Settings, t offline.Terminal) error {
	folder, err := os.MkdirTemp("", "vigia-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	defer os.RemoveAll(folder)
	clock := simulate.NewClock(s.Speed)
	base, closeWeather, err := simulate.Listen(ctx, simulate.Options{Seed: s.Seed, Clock: clock, Log: t.Log})
	if err != nil {
		return fmt.Errorf("serve the simulated weather: %w", err)
	}
	defer closeWeather()
	fmt.Fprintln(t.Out, "DEMOSTRACIÓN: los datos son simulados y no valen para ninguna decisión.")
	s.Data, s.ProviderURL, s.ArchiveURL = folder, base, base
	return serveWith(ctx, s, t, clock, openmeteo.Limits{}, true)
}

// serve runs the service on the real provider.
func serve(ctx context.Context, s *settings.Settings, t offline.Terminal) error {
	return serveWith(ctx, s, t, clockwork.NewRealClock(), offline.Limits(s), false)
}

// serveWith puts the parts together and runs them until ctx ends: first no new
// requests and no cycle, then the file is closed.
func serveWith(ctx context.Context, s *settings.Settings, t offline.Terminal, clock clockwork.Clock, limits openmeteo.Limits, simulated bool) error {
	parks, err := offline.Catalogue(s)
	if err != nil {
		return err
	}
	saveMemory(len(parks.Trails))
	file, err := offline.Open(s, clock, t.Log)
	if err != nil {
		return err
	}
	defer file.Close()
	listener, err := net.Listen("tcp", s.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w (another program may hold it; choose another with --listen)", s.Listen, err)
	}
	defer listener.Close()
	if s.BaseURL == "" && simulated {
		s.BaseURL = "http://" + reachable(listener.Addr())
	}
	greet(s, t, listener.Addr(), parks) // who comes from now on waits for the first edition
	server, err := newServer(s, clock, t.Log, simulated)
	if err != nil {
		return err
	}
	engine, err := newEngine(s, clock, t, limits, parks, file, server, simulated)
	if err != nil {
		return err
	}
	engine.Show()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cycles := make(chan error, 1)
	go func() {
		defer cancel() // without cycles there is nothing to serve
		cycles <- engine.Run(ctx)
	}()
	return errors.Join(server.Serve(ctx, listener), waitFor(cycles, cancel))
}

// saveMemory has the collector work harder where the heap would grow past what a
// catalogue of this size needs: a small machine has more time than memory. The
// runtime's own GOMEMLIMIT goes before.
func saveMemory(trails int) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(40+trails/5) << 20)
	}
}

// waitFor ends the cycles and gives what they end with.
func waitFor(cycles <-chan error, cancel context.CancelFunc) error {
	cancel()
	return <-cycles
}

func newServer(s *settings.Settings, clock clockwork.Clock, log *slog.Logger, simulated bool) (*handlers.Server, error) {
	zone, err := time.LoadLocation("America/Santiago")
	if err != nil {
		return nil, fmt.Errorf("find the time zone of the pages: %w", err)
	}
	pages, err := site.New(site.Options{BaseURL: s.BaseURL, Contact: s.Contact, Version: version, Location: zone})
	if err != nil {
		return nil, fmt.Errorf("read the pages: %w", err)
	}
	return handlers.New(handlers.Options{
		Clock: clock, Log: log, BaseURL: s.BaseURL, Contact: s.Contact, Version: version,
		TrustedProxies: s.TrustedProxies, RateLimit: s.RateLimit,
		Pages: pages.Pages, NotFoundPage: pages.NotFound(simulated), Assets: pages.Assets(),
	}), nil
}

func newEngine(s *settings.Settings, clock clockwork.Clock, t offline.Terminal, limits openmeteo.Limits,
	parks *catalogue.Catalogue, file *store.Store, server *handlers.Server, simulated bool) (*forecast.Engine, error) {
	ledger := offline.Ledger(clock, limits, file, t.Log)
	provider, err := openmeteo.New(openmeteo.Options{
		BaseURL: s.ProviderURL, Key: s.ProviderKey, UserAgent: t.UserAgent, Clock: clock, Ledger: ledger, Log: t.Log,
	})
	if err != nil {
		return nil, err
	}
	archive, err := openmeteo.New(openmeteo.Options{
		BaseURL: s.ArchiveURL, Key: s.ProviderKey, UserAgent: t.UserAgent, Clock: clock, Ledger: ledger, Log: t.Log,
	})
	if err != nil {
		return nil, err
	}
	return forecast.New(forecast.Options{
		Store: file, Provider: provider, Archive: archive, Usage: func() openmeteo.Usage { return ledger.Usage(clock.Now()) },
		Catalogue: parks, Rules: hazard.DefaultRules(), Models: s.Models, Clock: clock, Log: t.Log,
		Publisher: server, Simulated: simulated, UserAgent: t.UserAgent,
		NoticeURLs: [notices.NumKinds]string{notices.Volcanoes: s.VolcanoURL, notices.Closures: s.ClosuresURL},
		Progress:   func(step string) { fmt.Fprintln(t.Out, " ·", step) },
	})
}

// greet says on one screen where the service is and what it does without.
func greet(s *settings.Settings, t offline.Terminal, at net.Addr, parks *catalogue.Catalogue) {
	fmt.Fprintf(t.Out, "Vigía %s: %d parques, %d senderos. Abra http://%s\n", version, len(parks.Parks), len(parks.Trails), reachable(at))
	if s.BaseURL == "" {
		fmt.Fprintln(t.Out, "Sin --base-url: los enlaces absolutos quedan vacíos. Indique la dirección pública, p. ej. --base-url https://parques.example.cl")
	}
	fmt.Fprintln(t.Out, "Para terminar: Ctrl-C.")
}

// reachable gives an address that a browser on this machine can open.
func reachable(at net.Addr) string {
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", tcp.Port)
	}
	return at.String()
}

func showVersion(_ context.Context, _ *settings.Settings, t offline.Terminal) error {
	commit, goVersion := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		goVersion = info.GoVersion
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				commit = setting.Value
			}
		}
	}
	fmt.Fprintf(t.Out, "vigia %s, commit %s, %s\n", version, commit, goVersion)
	return nil
}

func help(_ context.Context, s *settings.Settings, t offline.Terminal) error {
	about := ""
	if len(s.Args) > 0 {
		about = s.Args[0]
	}
	_, err := fmt.Fprint(t.Out, settings.Help(about))
	return err
}
