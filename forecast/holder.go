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
	h.mu.Lock()
	defer h.mu.Unlock()
	h.snap = snap
	h.republish()
}

// setFeeds takes the state of the feeds and the batches that came, and publishes them with
// the last snapshot.
func (h *holder) setFeeds(feeds [notices.NumKinds]store.FeedStatus, batches []notices.Batch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(batches) == 0 && feeds == h.feeds {
		return
	}
	h.feeds = feeds
	for _, batch := range batches {
		h.notices[batch.Kind] = batch
	}
	if h.snap != nil {
		h.republish()
	}
}

// setNotices takes a batch that came from elsewhere than a feed, and publishes it.
func (h *holder) setNotices(batch notices.Batch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notices[batch.Kind] = batch
	if h.snap != nil {
		h.republish()
	}
}

// republish publishes a copy, since those published before are immutable.
func (h *holder) republish() {
	snap := *h.snap
	snap.Notices, snap.Feeds = h.notices, h.feeds
	h.publisher.Publish(&snap)
}
