package forecast

import (
	"sync"

	"vigia/store"
	"vigia/store/notices"
)

// holder holds what is published: estimates and, from elsewhere and at other times, official
// notices. Either is published at once, beside what is there of the other.
type holder struct {
	publisher Publisher

	mu      sync.Mutex // one publication at a time; guards what follows
	snap    *store.Snapshot
	notices notices.Set
	feeds   [notices.NumKinds]store.FeedStatus
}

// publish publishes a new snapshot with the notices that hold.
func (h *holder) publish(snap *store.Snapshot) {
	h.change(func() bool { h.snap = snap; return true })
}

// setFeeds publishes the state of the feeds and the batches that came. It is called every
// few seconds.
func (h *holder) setFeeds(feeds [notices.NumKinds]store.FeedStatus, batches []notices.Batch) {
	h.change(func() bool {
		changed := feeds != h.feeds || len(batches) > 0
		h.feeds = feeds
		for _, batch := range batches {
			h.notices[batch.Kind] = batch
		}
		return changed
	})
}

// setNotices publishes a batch that came from elsewhere than a feed.
func (h *holder) setNotices(batch notices.Batch) {
	h.change(func() bool { h.notices[batch.Kind] = batch; return true })
}

// change publishes what set changed, once there is a snapshot: a copy, since those
// published before are immutable.
func (h *holder) change(set func() bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !set() || h.snap == nil {
		return
	}
	snap := *h.snap
	snap.Notices, snap.Feeds = h.notices, h.feeds
	h.publisher.Publish(&snap)
}
