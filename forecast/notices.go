package forecast

import (
	"vigia/forecast/noticefeed"
	"vigia/forecast/verification"
	"vigia/store/notices"
)

// openNotices prepares what is published, with the official notices that the store holds,
// and the poller of their feeds.
func (e *Engine) openNotices() {
	e.holder = &holder{publisher: e.o.Publisher}
	e.notices = noticefeed.New(noticefeed.Options{
		URLs: e.o.NoticeURLs, UserAgent: e.o.UserAgent, Catalogue: e.o.Catalogue, Store: e.o.Store, Clock: e.o.Clock, Log: e.o.Log,
		Publish: e.holder.setFeeds,
	})
	e.holder.feeds = e.notices.Status()
	var err error
	if e.holder.notices, err = e.o.Store.Notices(); err != nil {
		e.logUnread("official notices not read; they count as unknown until they come again", err)
	}
}

// ImportNotices keeps official notices that the operator imports while the service runs,
// in place of all that were known of their kind, and shows them.
func (e *Engine) ImportNotices(batch notices.Batch) error {
	if err := e.o.Store.SaveNotices(batch); err != nil {
		return err
	}
	e.holder.setNotices(batch)
	return nil
}

// ImportObservations takes in observations while the service runs: see
// [verification.Observations.Import]. A cycle under way is not waited for; the next snapshot
// shows what they come to.
func (e *Engine) ImportObservations(name string, data []byte) (verification.Imported, error) {
	return e.verification.Import(name, data)
}
