package systemd

import (
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/catalogue"
)

func TestDescribe(t *testing.T) {
	at := time.Date(2026, 11, 21, 14, 3, 0, 0, time.UTC)
	known := store.TrailForecast{Hours: []hazard.Estimate{{State: hazard.Green}}}
	unknown := store.TrailForecast{Hours: []hazard.Estimate{{}}}
	e := &store.Snapshot{
		Catalogue: &catalogue.Catalogue{Trails: make([]catalogue.Trail, 3)}, IssuedAt: at, ValidUntil: at.Add(77 * time.Minute),
		Trails: []store.TrailForecast{known, unknown, {}},
		Models: []store.ModelStatus{{Model: "ecmwf_ifs", State: "ok"}, {Model: "dwd_icon_global", State: "vencido"}},
		Alerts: []alert.Alert{{End: at.Add(time.Hour)}, {End: at.Add(-time.Hour)}, {End: at.Add(time.Hour), Cancelled: true}},
	}
	const want = "14:03 UTC: estimates for 1 of 3 trails, valid until 15:20; 1 of 2 models, not dwd_icon_global; 1 alerts"
	if got := describe(e); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	none := &store.Snapshot{Catalogue: e.Catalogue, Reason: hazard.NoRuns, StoreError: "x"}
	if got := describe(none); got != "no estimates (sin_corridas); 0 of 0 models; 0 alerts; THE FILE CANNOT BE READ OR WRITTEN, see the log" {
		t.Error(got)
	}
}
