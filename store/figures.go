package store

// FileFigures are the state of the file, for the operator.
type FileFigures struct {
	Bytes        int64 // size; 0 when it cannot be known
	Writable     bool  // the last write went through, and the next one may
	OpenReads    int   // read transactions open now; they pin pages
	FreePages    int   // pages that the next writes use
	PendingPages int   // pages that are free once the open transactions end
}

// Figures reads them without a transaction: nobody has to wait for it.
func (s *Store) Figures() FileFigures {
	stats := s.Stats()
	return FileFigures{
		Bytes: s.Size(), Writable: s.WriteError() == nil, OpenReads: stats.OpenTxN,
		FreePages: stats.FreePageN, PendingPages: stats.PendingPageN,
	}
}

// ChannelFigures are the state of a channel of messages, for the operator.
type ChannelFigures struct {
	State     string // no_configurado, ok, con_demoras, error or detenido
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
