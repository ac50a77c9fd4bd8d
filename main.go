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
	"syscall"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/offline"
	"vigia/forecast/openmeteo"
	sky "vigia/forecast/simulate"
	"vigia/handlers/front"
	"vigia/handlers/site"
	"vigia/notify"
	"vigia/notify/senders"
	people "vigia/notify/simulate"
	"vigia/notify/systemd"
	"vigia/store"
	"vigia/store/backups"
	"vigia/store/catalogue"
	"vigia/store/settings"
	"vigia/store/subscription"
	"vigia/web"
)

// build is what the program was made of, as the compiler wrote it down.
var build = offline.ReadBuild()

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
	t := offline.Terminal{Out: out, Errs: errs, Log: s.NewLog(errs, inJournal), Clock: clockwork.NewRealClock(), Environ: environ, UserAgent: "vigia/" + build.Version}
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
	limits openmeteo.Limits // of the provider's weight
	crowd  *people.Crowd    // demo: those who are told; nil in the real service

	parks    *catalogue.Catalogue
	hosts    subscription.PushHosts
	manager  *systemd.Manager // who started the service; nil is nobody who listens
	memory   *offline.Memory
	file     *store.Store
	public   *front.Front
	notifier *notify.Notifier
}

// run opens what the service stands on, from the file to the doors, and runs it until
// ctx ends: then first no new requests and no cycle, then no more messages, then the
// file is closed.
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
	v.memory = offline.SaveMemory(len(v.parks.Trails))
	if v.file, err = offline.Open(v.Settings, v.Clock, v.Log); err != nil {
		return err
	}
	defer v.file.Close()
	if v.public, err = front.Open(front.Options{
		Settings: v.Settings, Out: v.Out, Log: v.Log, Clock: v.Clock, UserAgent: v.UserAgent, Version: build.Version, Commit: build.Commit,
		Parks: v.parks, Hosts: v.hosts, Crowd: v.memory.Crowd,
	}); err != nil {
		return err
	}
	defer v.public.Close()
	if v.crowd != nil {
		v.BaseURL = cmp.Or(v.BaseURL, v.public.Address())
	}
	parts, err := v.assemble()
	if err != nil {
		return err
	}
	return together(ctx, parts...)
}

// assemble ties the hourly cycle, those who tell people and what the public meets to
// each other, and gives what runs.
func (v *service) assemble() ([]func(context.Context) error, error) {
	var err error
	if v.notifier, err = senders.Notifier(v.Settings, speaker(v.Terminal), senders.Parts{
		Store: v.file, Catalogue: v.parks, Hosts: v.hosts, Simulated: v.crowd != nil,
	}); err != nil {
		return nil, err
	}
	behind := front.Behind{Desk: v.notifier, File: v.file, Caught: v.caught, Join: v.join}
	var saved *backups.Keeper // nil in the demo, whose folder goes away
	if v.crowd == nil {
		saved = backups.New(backups.Options{Store: v.file, Folder: v.Data, Clock: v.Clock, Log: v.Log})
		behind = front.Behind{Desk: v.notifier, File: v.file, Backups: saved}
	}
	server, err := v.public.Furnish(behind)
	if err != nil {
		return nil, err
	}
	v.public.Greet() // who comes from now on waits for the first edition
	ledger := offline.Ledger(v.Clock, v.limits, v.file, v.Log)
	engine, err := offline.Engine(v.Settings, v.Terminal, offline.Parts{
		Store: v.file, Catalogue: v.parks, Ledger: ledger, Publisher: v.manager.Announcing(server), Notifier: v.notifier, Simulated: v.crowd != nil,
	})
	if err != nil {
		return nil, err
	}
	engine.Show()
	vital := []systemd.Question{{About: "a read of the file", Ask: func() error { v.file.Answer(); return nil }}}
	parts := append(v.public.Parts(front.Watched{Engine: engine, Notifier: v.notifier, File: v.file, Weight: ledger.Today}), engine.Run, v.notifier.Run)
	if saved != nil {
		vital = append(vital, systemd.Question{About: "the hourly cycle", Ask: engine.Stuck}) // the demo's clock is too fast to tell
		data := &offline.Service{File: v.file, Parks: v.parks, Engine: engine, Backups: saved, Data: v.Data, Clock: v.Clock}
		parts = append(parts, data.Upkeep(v.Log)...)
	}
	return append(parts,
		func(ctx context.Context) error { return v.memory.Follow(ctx, v.Clock, v.file.Size) },
		func(ctx context.Context) error { return v.manager.Run(ctx, vital...) }), nil
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

// caught gives the demo's pages what its crowd was told.
func (v *service) caught() (c site.Caught) {
	for _, letter := range v.crowd.Mailbox.Letters() {
		c.Mails = append(c.Mails, site.CaughtMail(letter))
	}
	for _, note := range v.crowd.Browsers.Notes() {
		c.Pushes = append(c.Pushes, site.CaughtPush(note))
	}
	return c
}

// join subscribes a browser of the demo's crowd to a park.
func (v *service) join(park string, in subscription.Language) error {
	return senders.Join(v.notifier, v.crowd, v.hosts, park, in, subscription.Consent{At: v.Clock.Now(), Policy: web.PolicyVersion})
}

// check tells what would hold, and tries to log in at the mail relay.
func check(ctx context.Context, s *settings.Settings, t offline.Terminal) error {
	return errors.Join(offline.Check(ctx, s, t), senders.Check(ctx, s, speaker(t)))
}

// testMail sends one message and says what the relay answered.
func testMail(ctx context.Context, s *settings.Settings, t offline.Terminal) error {
	return senders.Test(ctx, s, speaker(t))
}

// speaker is the terminal of a command as those who send have it.
func speaker(t offline.Terminal) senders.Terminal {
	return senders.Terminal{Out: t.Out, Log: t.Log, Clock: t.Clock}
}
