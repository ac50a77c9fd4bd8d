// Package front puts together what the public meets, as the settings have it.
//
// [Open] listens first, so that who comes from then on waits instead of being
// refused → [Front.Furnish] makes the pages and the server in front of those who do
// the work → [Front.Parts] gives what runs until the end: the doors, the renewal of
// certificates, the figures.
package front

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/handlers"
	"vigia/handlers/api"
	"vigia/handlers/https"
	"vigia/handlers/metrics"
	"vigia/handlers/site"
	"vigia/store/catalogue"
	"vigia/store/settings"
	"vigia/store/subscription"
	"vigia/web"
)

// Options are what Open needs. All are required.
type Options struct {
	*settings.Settings
	Out             io.Writer // where the operator is greeted
	Log             *slog.Logger
	Clock           clockwork.Clock
	Version, Commit string
	UserAgent       string // by which the certificates' authority knows the program
	Parks           *catalogue.Catalogue
	Hosts           subscription.PushHosts
	Crowd           func(connections int) // is told how many the public has open, in steps
}

// Front is what the public meets. Its doors are open from the start.
type Front struct {
	o            Options
	doors        *handlers.Doors
	certificates *https.Certificates // nil leaves TLS to a proxy
	requests     *metrics.Requests   // nil without metrics
	backups      api.Backups
	server       *handlers.Server // nil before Furnish
}

// Open listens where the settings say and takes up the certificates that are kept.
func Open(o Options) (*Front, error) {
	f := &Front{o: o}
	var err error
	if f.doors, err = handlers.OpenDoors(o.Listen, o.RedirectAddress(), o.MetricsListen, o.Log); err != nil {
		return nil, err
	}
	if len(o.Domains) > 0 {
		f.certificates, err = https.New(https.Options{
			Domains: o.Domains, Authority: o.ACMEURL, Folder: filepath.Join(o.Data, "certs"), HTTP01: f.doors.Redirect != nil,
			UserAgent: o.UserAgent, Clock: o.Clock, Log: o.Log,
		})
		if err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

// Close closes the doors.
func (f *Front) Close() { f.doors.Close() }

// Address is that of the public door for a browser on this machine, without a
// trailing slash.
func (f *Front) Address() string {
	if f.certificates != nil {
		return f.o.BaseURL
	}
	at := f.doors.Public.Addr()
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", tcp.Port)
	}
	return "http://" + at.String()
}

// Greet says on one screen where the service is and what it does without.
func (f *Front) Greet() {
	o := f.o
	fmt.Fprintf(o.Out, "Vigía %s: %d parques, %d senderos. Abra %s\n", o.Version, len(o.Parks.Parks), len(o.Parks.Trails), f.Address())
	if f.doors.Metrics != nil {
		fmt.Fprintf(o.Out, "Métricas en http://%s%s\n", f.doors.Metrics.Addr(), metrics.Path)
	}
	if o.BaseURL == "" {
		fmt.Fprintln(o.Out, "Sin --base-url: los enlaces absolutos quedan vacíos y nadie puede suscribirse. Indique la dirección pública, p. ej. --base-url https://parques.example.cl")
	}
	if o.SMTPHost == "" {
		fmt.Fprintln(o.Out, "Sin --smtp-host: no hay suscripciones por correo. Indique un servidor de correo con --smtp-host y --smtp-from (vigia help serve)")
	}
	fmt.Fprintln(o.Out, "Para terminar: Ctrl-C.")
}

// Behind are those who do the work behind the front.
type Behind struct {
	Desk    api.Desk    // where subscriptions are made
	File    api.File    // where everything is kept
	Backups api.Backups // nil is a service that makes none
	// Caught and Join are the demo's, nil outside it: what was sent, and a new browser
	// that follows a park.
	Caught func() site.Caught
	Join   func(park string, in subscription.Language) error
}

// pageZone is the time of pages that are of no park.
const pageZone = "America/Santiago"

// Furnish makes the pages and the server.
func (f *Front) Furnish(b Behind) (*handlers.Server, error) {
	zone, err := time.LoadLocation(pageZone)
	if err != nil {
		return nil, fmt.Errorf("find the time zone of the pages: %w", err)
	}
	o := f.o
	pages, err := site.New(site.Options{
		BaseURL: o.BaseURL, Contact: o.Contact, Version: o.Version, Location: zone, Desk: b.Desk, Demo: b.Caught, DemoSubscribe: b.Join,
	})
	if err != nil {
		return nil, fmt.Errorf("read the pages: %w", err)
	}
	served := handlers.Options{
		Clock: o.Clock, Log: o.Log, BaseURL: o.BaseURL, Contact: o.Contact, Version: o.Version,
		TrustedProxies: o.TrustedProxies, RateLimit: o.RateLimit,
		Desk: b.Desk, File: b.File, Backups: b.Backups, PushHosts: o.Hosts, Policy: web.PolicyVersion, Crowd: o.Crowd,
		Pages: pages.Pages, Forms: pages.Router, NotFoundPage: pages.NotFound(b.Caught != nil), Assets: pages.Assets(),
	}
	if f.certificates != nil {
		served.Certificates = f.certificates
	}
	if f.doors.Metrics != nil {
		f.requests = metrics.NewRequests()
		served.Meter = f.requests
	}
	f.backups, f.server = b.Backups, handlers.New(served)
	return f.server, nil
}

// Watched is what the figures are read from.
type Watched struct {
	Engine   metrics.Engine
	Notifier metrics.Notifier
	File     metrics.File
	Weight   func() (used, limit float64) // of the provider, in this UTC day; limit 0 for none
}

// Parts gives what runs until its context ends. It wants a furnished front.
func (f *Front) Parts(w Watched) []func(context.Context) error {
	parts := []func(context.Context) error{func(ctx context.Context) error { return f.server.ServeDoors(ctx, f.doors) }}
	if f.certificates != nil {
		parts = append(parts, f.certificates.Run)
	}
	if f.doors.Metrics != nil {
		figures := metrics.New(f.figures(w))
		parts = append(parts, func(ctx context.Context) error { return handlers.ServeApart(ctx, f.doors.Metrics, figures, f.o.Log) })
	}
	return parts
}

// figures says what the page of figures shows.
func (f *Front) figures(w Watched) metrics.Options {
	o := metrics.Options{
		Clock: f.o.Clock, Version: f.o.Version, Commit: f.o.Commit, Requests: f.requests, Publication: f.server,
		Engine: w.Engine, Notifier: w.Notifier, File: w.File, Weight: w.Weight,
	}
	if f.backups != nil {
		o.Backups = f.backups.Last
	}
	if f.certificates != nil {
		o.Certificates = f.certificates.States
	}
	return o
}
