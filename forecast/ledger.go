package forecast

import (
	"errors"
	"log/slog"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/openmeteo"
	"vigia/store"
)

// OpenLedger returns the ledger of the provider's weight, which goes on with the count
// in the file and saves each change there.
func OpenLedger(clock clockwork.Clock, limits openmeteo.Limits, file *store.Store, log *slog.Logger) *openmeteo.Ledger {
	ledger := openmeteo.NewLedger(clock, limits)
	ledger.Log, ledger.OnChange = log, file.SaveLedger
	state, err := file.Ledger()
	if err == nil {
		err = ledger.UnmarshalBinary(state)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		log.Warn("the count of the provider's weight begins anew", "error", err)
	}
	return ledger
}
