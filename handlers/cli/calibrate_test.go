package cli

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast"
	"vigia/forecast/openmeteo"
	"vigia/handlers/cli/clitest"
	"vigia/store"
)

func TestCalibrateOverSimulatedWeather(t *testing.T) {
	provider, url := clitest.Weather(t)
	data, parks := t.TempDir(), clitest.FewParks(t)
	calibrate := func(more ...string) (int, string, string) {
		return clitest.RunApart(t, append([]string{"calibrate", "--history-url", url, "--data", data, "--catalogue", parks}, more...)...)
	}
	status, table, bar := calibrate("--days", "5")
	if status != 0 || !strings.Contains(table, "(5 días)") || !strings.Contains(table, "los-andes/portezuelo") || !strings.Contains(bar, "] 100 %") {
		t.Errorf("%d\n%s\n%s", status, table, bar)
	}
	status, lines, _ := calibrate("--csv", "--days", "5", "--models", "ecmwf_ifs")
	if status != 0 || !strings.HasPrefix(lines, "parque,sendero,amenaza,") || !strings.Contains(lines, "los-andes,portezuelo,todas,80,") {
		t.Errorf("%d\n%s", status, lines)
	}
	if status, _, said := calibrate("--to", "2999-01-01"); status != 2 || !strings.Contains(said, "--to 2999-01-01: must be a day up to") {
		t.Errorf("a day to come: %d, %s", status, said)
	}
	// One place, eight days, four models with the wind aloft of three, and one: booked in the file as it was asked.
	file, err := store.Open(filepath.Join(data, "vigia.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	booked := forecast.OpenLedger(clockwork.NewRealClock(), openmeteo.FreeLimits, file, slog.New(slog.DiscardHandler)).Usage(time.Now())
	if asked := provider.Weight(); asked != 9 || booked.Month < asked {
		t.Errorf("%v was asked, %v is booked", asked, booked.Month)
	}
}
