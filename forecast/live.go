package forecast

import (
	"vigia/store/notices"
)

// TakeNotices keeps official notices that the operator imports while the service runs,
// in place of all that were known of their kind, and shows them.
func (e *Engine) TakeNotices(batch notices.Batch) error {
	if err := e.o.Store.SaveNotices(batch); err != nil {
		return err
	}
	e.board.take(batch)
	return nil
}

// TakeObservations takes in observations while the service runs: see
// [Observations.Import]. A cycle under way is not waited for; the next edition shows
// what they come to.
func (e *Engine) TakeObservations(name string, data []byte) (Imported, error) {
	report, summary, err := Observations{
		Store: e.o.Store, Catalogue: e.o.Catalogue, Rules: e.o.Rules, Log: e.o.Log, Now: e.now(), Name: name, Data: data,
	}.take()
	if err == nil {
		e.imported.Store(summary)
	}
	return report, err
}

// takeUpImported has the next edition show what was imported since the last.
func (e *Engine) takeUpImported() {
	summary := e.imported.Swap(nil)
	if summary != nil && (e.verification == nil || !summary.CalculatedAt.Before(e.verification.CalculatedAt)) {
		e.verification = summary
	}
}
