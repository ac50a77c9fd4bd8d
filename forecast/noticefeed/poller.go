// Package noticefeed polls the feeds of official notices (closures, volcanoes) that the
// operator names.
//
// Data passes through it once an hour ([Poller.Poll]): each feed that is due is asked → its
// answer is read whole or not at all ([notices.Read]) → what came is kept in one transaction
// and handed on to be published. An answer that fails in any way changes nothing that is
// known, and shows in the feed's status.
package noticefeed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/notices"
)

const (
	pollEvery = time.Hour
	// pollAgain is how soon a feed that failed is asked again.
	pollAgain = 10 * time.Minute
)

// Options are what a Poller needs.
type Options struct {
	// URLs are the feeds by their kind, "" for none.
	URLs      [notices.NumKinds]string
	UserAgent string
	Catalogue *catalogue.Catalogue
	Store     *store.Store
	Clock     clockwork.Clock
	Log       *slog.Logger
	// Publish takes the state of the feeds and the batches that came.
	Publish func(Status, []notices.Batch)
}

// Status is the state of the feeds by their kind.
type Status = [notices.NumKinds]store.FeedStatus

// Poller polls feeds.
type Poller struct {
	o      Options
	feeds  []*feed
	status Status
}

// New makes a poller for the feeds that have an address.
func New(o Options) *Poller {
	p := &Poller{o: o}
	for kind, address := range o.URLs {
		if address != "" {
			p.feeds = append(p.feeds, newFeed(notices.Kind(kind), address, o.UserAgent))
			p.status[kind].Configured = true
		}
	}
	return p
}

// Status returns the state of the feeds. It must not be called while Poll runs.
func (p *Poller) Status() Status { return p.status }

// Configured reports whether there is any feed.
func (p *Poller) Configured() bool { return len(p.feeds) > 0 }

// Poll asks the feeds that are due, keeps what came in one transaction and publishes it. If
// the file cannot be written it is published all the same. The error is why a feed is not
// up to date.
func (p *Poller) Poll(ctx context.Context) error {
	var batches []notices.Batch
	for _, f := range p.feeds {
		if !f.isDue(p.now()) {
			continue
		}
		batch, err := f.poll(ctx, p.o.Catalogue, p.o.Clock.Now)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.note(ctx, f, err)
		if err == nil {
			batches = append(batches, batch)
		}
	}
	if len(batches) > 0 {
		if err := p.o.Store.SaveNotices(batches...); err != nil {
			p.o.Log.Log(ctx, store.LogLevel(err), "official notices shown but not kept", "error", err)
		}
	}
	p.o.Publish(p.status, batches)
	for _, f := range p.feeds {
		if problem := p.status[f.kind].LastError; problem != "" {
			return errors.New(problem)
		}
	}
	return nil
}

// now returns the time of the wall clock alone.
func (p *Poller) now() time.Time { return p.o.Clock.Now().Round(0) }

// note notes how a poll went; the log has the first failure and the first
// success after it.
func (p *Poller) note(ctx context.Context, f *feed, err error) {
	now, status := p.now(), &p.status[f.kind]
	if err == nil {
		if status.LastError != "" {
			p.o.Log.Info("official notices come again", "kind", f.kind.String())
		}
		status.LastError, f.dueAt = "", now.Add(pollEvery)
		return
	}
	level := slog.LevelDebug
	if status.LastError == "" {
		level = slog.LevelWarn
	}
	status.LastError, f.dueAt = plainFeed(err), now.Add(pollAgain)
	p.o.Log.Log(ctx, level, "official notices not renewed; those known stay as they are", "kind", f.kind.String(), "error", firstFaults(err))
}

// isDue reports whether the feed is to be asked. A time to wait for that is longer
// than any that is given comes of a clock that was set back.
func (f *feed) isDue(now time.Time) bool {
	return !now.Before(f.dueAt) || f.dueAt.Sub(now) > pollEvery
}

// poll asks the feed once. Without news the last answer is read again, so that the
// notices are those of the source, confirmed now, whatever was imported between.
func (f *feed) poll(ctx context.Context, c *catalogue.Catalogue, now func() time.Time) (notices.Batch, error) {
	answer, err := f.fetch(ctx)
	if err != nil {
		return notices.Batch{}, err
	}
	batch, err := notices.Read(f.kind, notices.Document{Name: "feed of " + f.kind.String(), Data: answer.body, OnlyJSON: true}, c, now())
	if err != nil {
		return notices.Batch{}, err
	}
	f.last = answer
	return batch, nil
}

// plainFeed returns in Spanish, for the operator's pages, what went wrong. It repeats
// nothing of what the source said.
func plainFeed(err error) string {
	if faults := (*notices.FaultsError)(nil); errors.As(err, &faults) {
		first := faults.Faults[0]
		where := fmt.Sprintf("línea %d", first.Line)
		if len(faults.Faults) > 1 {
			where = fmt.Sprintf("%d errores, el primero en la línea %d", len(faults.Faults), first.Line)
		}
		return "la fuente respondió con un documento que no es válido (" + where + "); se mantiene lo anterior"
	}
	if failure := (*feedError)(nil); errors.As(err, &failure) {
		return failure.plain + "; se mantiene lo anterior"
	}
	return "error interno; se mantiene lo anterior"
}

// firstFaults shortens an error for the log.
func firstFaults(err error) error {
	const most = 5
	if faults := (*notices.FaultsError)(nil); errors.As(err, &faults) && len(faults.Faults) > most {
		return fmt.Errorf("%w\n… and %d more", &notices.FaultsError{Name: faults.Name, Faults: faults.Faults[:most]}, len(faults.Faults)-most)
	}
	return err
}
