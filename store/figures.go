package store

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// FileFigures tell how it stands with the file, for the operator.
type FileFigures struct {
	Bytes        int64     // size; 0 when it cannot be known
	Writable     bool      // it can be written
	OpenReads    int       // read transactions open now; they pin pages
	FreePages    int       // pages that the next writes use
	PendingPages int       // pages that are free once the open transactions end
	LastBackup   time.Time // when the newest copy of the folder backups was made; zero when there is none
}

// Figures reads them without a transaction: nobody has to wait for it.
func (s *Store) Figures() FileFigures {
	stats := s.Stats()
	return FileFigures{
		Bytes: s.Size(), Writable: s.Err() == nil, OpenReads: stats.OpenTxN,
		FreePages: stats.FreePageN, PendingPages: stats.PendingPageN,
		LastBackup: newestCopy(filepath.Join(filepath.Dir(s.path), "backups"), "vigia-", ".db"),
	}
}

// newestCopy tells when the newest of the copies in a folder was made.
func newestCopy(folder, prefix, suffix string) (newest time.Time) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return newest // there are none yet
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && info.ModTime().After(newest) &&
			strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), suffix) {
			newest = info.ModTime()
		}
	}
	return newest
}

// ChannelFigures tell how it stands with a channel of messages, for the operator.
type ChannelFigures struct {
	State     string // no_configurado, ok, con_demoras or detenido
	Waiting   int    // messages in the outbox: due, put off or kept for a later hour
	Sending   int    // under way
	Recording int    // sent, or settled without, and not yet recorded
	Results   ChannelResults
}

// ChannelResults count what came of messages since the process began.
type ChannelResults struct {
	Settled [FailedOutcome + 1]uint64 // by outcome
	PutOff  uint64                    // tries after which another one follows
}
