package forecast

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/notices"
)

// Official notices are polled each hour from the feeds that the operator names.
// An answer is read whole or not at all ([notices.Read]); one that fails in any way
// changes nothing that is known, and shows on the health page.
const (
	pollEvery = time.Hour
	// pollAgain is how soon a feed that failed is asked again.
	pollAgain = 10 * time.Minute
)

// takeUpNotices prepares the feeds and shows what the store holds.
func (e *Engine) takeUpNotices() {
	e.board = &board{publisher: e.o.Publisher}
	held, err := e.o.Store.Notices()
	if err != nil {
		e.o.Log.Error("official notices not read; they count as unknown until they come again", "error", err)
	}
	e.board.notices = held
	for kind, address := range e.o.NoticeURLs {
		if address != "" {
			e.feeds = append(e.feeds, newFeed(notices.Kind(kind), address, e.o.UserAgent))
			e.board.feeds[kind].Configured = true
		}
	}
}

// followNotices polls the feeds until the context ends.
func (e *Engine) followNotices(ctx context.Context) {
	if len(e.feeds) == 0 {
		return
	}
	ticker := e.o.Clock.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		e.guard("polling the notices", func() { e.pollNotices(ctx) })
		select {
		case <-ctx.Done():
			return
		case <-ticker.Chan():
		}
	}
}

// pollNotices asks the feeds that are due, keeps what came in one transaction and
// shows it. If the file cannot be written it is shown all the same.
func (e *Engine) pollNotices(ctx context.Context) {
	status := e.board.feeds // written by this goroutine alone
	var batches []notices.Batch
	for _, f := range e.feeds {
		if !f.isDue(e.now()) {
			continue
		}
		batch, err := f.poll(ctx, e.o.Catalogue, e.o.Clock.Now)
		if ctx.Err() != nil {
			return
		}
		e.noteFeed(ctx, f, &status[f.kind], err)
		if err == nil {
			batches = append(batches, batch)
		}
	}
	if len(batches) > 0 {
		if err := e.o.Store.SaveNotices(batches...); err != nil {
			e.o.Log.Log(ctx, store.LogLevel(err), "official notices shown but not kept", "error", err)
		}
	}
	e.board.post(status, batches)
}

// noteFeed notes how a poll went; the log has the first failure and the first
// success after it.
func (e *Engine) noteFeed(ctx context.Context, f *feed, status *store.FeedStatus, err error) {
	now := e.now()
	if err == nil {
		if status.LastError != "" {
			e.o.Log.Info("official notices come again", "kind", f.kind.String())
		}
		status.LastError, f.dueAt = "", now.Add(pollEvery)
		return
	}
	level := slog.LevelDebug
	if status.LastError == "" {
		level = slog.LevelWarn
	}
	status.LastError, f.dueAt = plainFeed(err), now.Add(pollAgain)
	e.o.Log.Log(ctx, level, "official notices not renewed; those known stay as they are", "kind", f.kind.String(), "error", firstFaults(err))
}

// isDue tells whether the feed is to be asked. A time to wait for that is longer
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

// plainFeed tells in Spanish, for the operator's pages, what went wrong. It repeats
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
