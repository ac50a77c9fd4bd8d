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
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast"
	"vigia/forecast/hazard"
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
	commands := map[string]func(context.Context, *settings.Settings, *terminal) error{
		"demo": demo, "serve": serve, "check": check, "catalogue": catalogues, "backup": backup, "import": imports, "calibrate": calibrate,
		"version": showVersion, "help": help,
	}
	if err := commands[s.Command](ctx, s, &terminal{out, errs, newLog(s, errs)}); err != nil {
		fmt.Fprintf(errs, "vigia %s: %v\n", s.Command, err)
		if usage := (*settings.UsageError)(nil); errors.As(err, &usage) {
			return 2
		}
		return 1
	}
	return 0
}

// terminal is where a command speaks.
type terminal struct {
	out, errs io.Writer
	log       *slog.Logger
}

// newLog writes text where a person reads along, and JSON elsewhere.
func newLog(s *settings.Settings, w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.LogLevel}
	file, isFile := w.(*os.File)
	if isFile && s.LogFormat == "auto" {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return slog.New(slog.NewTextHandler(w, options))
		}
	}
	if s.LogFormat == "text" {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// demo runs the whole service on made-up weather, in a folder that goes away.
func demo(ctx context.Context, s *settings.Settings, t *terminal) error {
	folder, err := os.MkdirTemp("", "vigia-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	defer os.RemoveAll(folder)
	clock := simulate.NewClock(s.Speed)
	base, closeWeather, err := simulate.Listen(ctx, simulate.Options{Seed: s.Seed, Clock: clock, Log: t.log})
	if err != nil {
		return fmt.Errorf("serve the simulated weather: %w", err)
	}
	defer closeWeather()
	fmt.Fprintln(t.out, "DEMOSTRACIÓN: los datos son simulados y no valen para ninguna decisión.")
	s.Data, s.ProviderURL, s.ArchiveURL = folder, base, base
	return serveWith(ctx, s, t, clock, openmeteo.Limits{}, true)
}

// serve runs the service on the real provider.
func serve(ctx context.Context, s *settings.Settings, t *terminal) error {
	return serveWith(ctx, s, t, clockwork.NewRealClock(), limitsOf(s), false)
}

// limitsOf gives the provider's limits: a contract has none that we know of.
func limitsOf(s *settings.Settings) openmeteo.Limits {
	if s.ProviderKey != "" {
		return openmeteo.Limits{}
	}
	return openmeteo.FreeLimits
}

// serveWith puts the parts together and runs them until ctx ends: first no new
// requests and no cycle, then the file is closed.
func serveWith(ctx context.Context, s *settings.Settings, t *terminal, clock clockwork.Clock, limits openmeteo.Limits, simulated bool) error {
	parks, err := readCatalogue(s)
	if err != nil {
		return err
	}
	saveMemory(len(parks.Trails))
	file, err := openStore(s, clock, t.log)
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
	server, err := newServer(s, clock, t.log, simulated)
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

func readCatalogue(s *settings.Settings) (*catalogue.Catalogue, error) {
	if s.Catalogue == "" {
		return catalogue.Default(), nil
	}
	return catalogue.Load(s.Catalogue)
}

// liveFile is where the data of a service lie.
func liveFile(s *settings.Settings) string { return filepath.Join(s.Data, "vigia.db") }

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}

func openStore(s *settings.Settings, clock clockwork.Clock, log *slog.Logger) (*store.Store, error) {
	return openStoreWith(s, store.Options{Clock: clock, Log: log})
}

func openStoreWith(s *settings.Settings, o store.Options) (*store.Store, error) {
	file, err := store.Open(liveFile(s), o)
	if errors.Is(err, store.ErrInUse) {
		return nil, fmt.Errorf("%w: stop the service that has it, or name another folder with --data", err)
	}
	return file, err
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

func newEngine(s *settings.Settings, clock clockwork.Clock, t *terminal, limits openmeteo.Limits,
	parks *catalogue.Catalogue, file *store.Store, server *handlers.Server, simulated bool) (*forecast.Engine, error) {
	ledger := newLedger(clock, limits, file, t.log)
	provider, err := openmeteo.New(openmeteo.Options{
		BaseURL: s.ProviderURL, Key: s.ProviderKey, UserAgent: "vigia/" + version, Clock: clock, Ledger: ledger, Log: t.log,
	})
	if err != nil {
		return nil, err
	}
	archive, err := openmeteo.New(openmeteo.Options{
		BaseURL: s.ArchiveURL, Key: s.ProviderKey, UserAgent: "vigia/" + version, Clock: clock, Ledger: ledger, Log: t.log,
	})
	if err != nil {
		return nil, err
	}
	return forecast.New(forecast.Options{
		Store: file, Provider: provider, Archive: archive, Usage: func() openmeteo.Usage { return ledger.Usage(clock.Now()) },
		Catalogue: parks, Rules: hazard.DefaultRules(), Models: s.Models, Clock: clock, Log: t.log,
		Publisher: server, Simulated: simulated, UserAgent: "vigia/" + version,
		NoticeURLs: [notices.NumKinds]string{notices.Volcanoes: s.VolcanoURL, notices.Closures: s.ClosuresURL},
		Progress:   func(step string) { fmt.Fprintln(t.out, " ·", step) },
	})
}

// newLedger takes up the count of the provider's weight that the file holds.
func newLedger(clock clockwork.Clock, limits openmeteo.Limits, file *store.Store, log *slog.Logger) *openmeteo.Ledger {
	ledger := openmeteo.NewLedger(clock, limits)
	ledger.Log, ledger.OnChange = log, file.SaveLedger
	state, err := file.Ledger()
	if err == nil {
		err = ledger.UnmarshalBinary(state)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		log.Warn("the count of the provider's weight begins anew", "error", err)
	}
	return ledger
}

// greet says on one screen where the service is and what it does without.
func greet(s *settings.Settings, t *terminal, at net.Addr, parks *catalogue.Catalogue) {
	fmt.Fprintf(t.out, "Vigía %s: %d parques, %d senderos. Abra http://%s\n", version, len(parks.Parks), len(parks.Trails), reachable(at))
	if s.BaseURL == "" {
		fmt.Fprintln(t.out, "Sin --base-url: los enlaces absolutos quedan vacíos. Indique la dirección pública, p. ej. --base-url https://parques.example.cl")
	}
	fmt.Fprintln(t.out, "Para terminar: Ctrl-C.")
}

// reachable gives an address that a browser on this machine can open.
func reachable(at net.Addr) string {
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", tcp.Port)
	}
	return at.String()
}

// check tells what would hold, and changes nothing.
func check(_ context.Context, s *settings.Settings, t *terminal) error {
	for _, row := range s.Effective() {
		fmt.Fprintf(t.out, "%-20s %-45s %s\n", row.Name, row.Value, row.Origin)
	}
	parks, err := readCatalogue(s)
	if err != nil {
		return err
	}
	const daysAsked, refreshesADay = 8, 14 // three models four times, one twice
	fmt.Fprintf(t.out, "catalogue: %d parks, %d trails, %d places\n", len(parks.Parks), len(parks.Trails), len(parks.Locations))
	fmt.Fprintf(t.out, "provider: about %.0f of weight a day, the free service allows %.0f\n",
		refreshesADay*openmeteo.Weight(len(parks.Locations), daysAsked), openmeteo.FreeLimits.Day)
	if missing(liveFile(s)) {
		fmt.Fprintln(t.out, "file: none yet, it is made at the first start")
		return nil
	}
	file, err := openStoreWith(s, store.Options{Clock: clockwork.NewRealClock(), Log: t.log, LookOnly: true})
	if errors.Is(err, store.ErrUnready) {
		fmt.Fprintf(t.out, "file: %v\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	fmt.Fprintf(t.out, "file: %d bytes\n", file.Size())
	return file.Check(context.Background())
}

// catalogues prints the built-in catalogue, or checks one of the operator's.
func catalogues(_ context.Context, s *settings.Settings, t *terminal) error {
	if s.Args[0] == "export" {
		return catalogue.Default().Export(t.out)
	}
	parks, err := catalogue.Load(s.Args[1])
	if err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s: %d parks, %d trails, no faults\n", s.Args[1], len(parks.Parks), len(parks.Trails))
	return nil
}

// imports takes in a file whole, or names everything that is wrong with it.
func imports(_ context.Context, s *settings.Settings, t *terminal) error {
	parks, err := readCatalogue(s)
	if err != nil {
		return err
	}
	if s.Args[0] == "observaciones" {
		return observations(s, t, parks)
	}
	kind, _ := notices.KindOf(s.Args[0])
	document, err := notices.Load(s.Args[1])
	if err != nil {
		return err
	}
	batch, err := notices.Read(kind, document, parks, time.Now())
	if err != nil {
		return err
	}
	file, err := openStore(s, clockwork.NewRealClock(), t.log)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.SaveNotices(batch); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s: %d notices of %s, in place of all that were known\n", s.Args[1], batch.Len(), kind)
	return nil
}

// observations takes in what came of the weather, for the verification log.
func observations(s *settings.Settings, t *terminal, parks *catalogue.Catalogue) error {
	data, err := forecast.LoadObservations(s.Args[1])
	if err != nil {
		return err
	}
	file, err := openStore(s, clockwork.NewRealClock(), t.log)
	if err != nil {
		return err
	}
	defer file.Close()
	done, err := forecast.Observations{
		Store: file, Catalogue: parks, Rules: hazard.DefaultRules(), Log: t.log, Now: time.Now(), Name: s.Args[1], Data: data,
	}.Import()
	if err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s: %d observations; %d days of a trail compared, %d without an estimate in the log\n", s.Args[1], done.Rows, done.Compared, done.Without)
	return nil
}

// calibrate tells how often the rules would have given which state.
func calibrate(ctx context.Context, s *settings.Settings, t *terminal) error {
	parks, err := readCatalogue(s)
	if err != nil {
		return err
	}
	clock := clockwork.NewRealClock()
	first, last, err := s.Span(clock.Now())
	if err != nil {
		return err
	}
	file, err := openStore(s, clock, t.log)
	if err != nil {
		return err
	}
	defer file.Close()
	archive, err := openmeteo.New(openmeteo.Options{
		BaseURL: s.HistoryURL, Key: s.ProviderKey, UserAgent: "vigia/" + version, Clock: clock,
		Ledger: newLedger(clock, limitsOf(s), file, t.log), Log: t.log,
	})
	if err != nil {
		return err
	}
	question := forecast.Calibration{
		Archive: archive, Catalogue: parks, Rules: hazard.DefaultRules(), Models: s.Models,
		First: first, Last: last, Clock: clock, Progress: forecast.Bar(t.errs),
	}
	fmt.Fprintf(t.errs, "peso para el proveedor: %.0f; su servicio gratuito admite %.0f al día\n", question.Weight(), openmeteo.FreeLimits.Day)
	rates, err := forecast.Calibrate(ctx, question)
	switch {
	case err != nil:
		return err
	case s.CSV:
		return rates.WriteCSV(t.out)
	}
	return rates.WriteTable(t.out)
}

// backup copies the file of a service that is not running.
func backup(_ context.Context, s *settings.Settings, t *terminal) error {
	if live := liveFile(s); missing(live) {
		return fmt.Errorf("%s does not exist, so there is nothing to copy; name the folder of the data with --data", live)
	}
	file, err := openStore(s, clockwork.NewRealClock(), t.log)
	if err != nil {
		return err
	}
	defer file.Close()
	path := filepath.Join(s.Data, "backups", "vigia-"+time.Now().UTC().Format("20060102T150405Z")+".db")
	if len(s.Args) > 0 {
		path = s.Args[0]
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder of the backup: %w", err)
	}
	if err := file.Backup(path); err != nil {
		return err
	}
	fmt.Fprintln(t.out, path)
	return nil
}

func showVersion(_ context.Context, _ *settings.Settings, t *terminal) error {
	commit, goVersion := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		goVersion = info.GoVersion
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				commit = setting.Value
			}
		}
	}
	fmt.Fprintf(t.out, "vigia %s, commit %s, %s\n", version, commit, goVersion)
	return nil
}

func help(_ context.Context, s *settings.Settings, t *terminal) error {
	about := ""
	if len(s.Args) > 0 {
		about = s.Args[0]
	}
	_, err := fmt.Fprint(t.out, settings.Help(about))
	return err
}
