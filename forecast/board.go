package forecast

import (
	"sync"

	"vigia/store"
	"vigia/store/notices"
)

// board is where editions are shown together with the official notices, which come
// at other times and from elsewhere: either appears at once, beside what is there
// of the other.
type board struct {
	publisher Publisher

	mu      sync.Mutex // one publication at a time; guards what follows
	edition *store.Edition
	notices notices.Set
	feeds   [notices.NumKinds]store.FeedStatus
}

// publish shows a new edition with the notices that hold.
func (b *board) publish(edition *store.Edition) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.edition = edition
	b.show()
}

// post takes news of the feeds and the batches that came, and shows them with the
// last edition.
func (b *board) post(feeds [notices.NumKinds]store.FeedStatus, batches []notices.Batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(batches) == 0 && feeds == b.feeds {
		return
	}
	b.feeds = feeds
	for _, batch := range batches {
		b.notices[batch.Kind] = batch
	}
	if b.edition != nil {
		b.show()
	}
}

// take takes a batch that came from elsewhere than a feed.
func (b *board) take(batch notices.Batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notices[batch.Kind] = batch
	if b.edition != nil {
		b.show()
	}
}

// show publishes a copy, since those published before are immutable.
func (b *board) show() {
	edition := *b.edition
	edition.Notices, edition.Feeds = b.notices, b.feeds
	b.publisher.Publish(&edition)
}
