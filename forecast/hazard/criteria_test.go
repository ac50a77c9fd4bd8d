package hazard

import (
	"reflect"
	"testing"
)

func TestCriteriaAreThoseInForce(t *testing.T) {
	r := DefaultRules()
	amber, red := r.Criteria(Wind, Terrain{Exposure: Ridge})
	if want := [][]Criterion{{{Quantity: GustQuantity, Sign: "≥", Threshold: 60}}, {{Quantity: MeanWindQuantity, Sign: "≥", Threshold: 45}}}; !reflect.DeepEqual(amber, want) {
		t.Errorf("amber wind on a ridge: %v", amber)
	}
	if len(red) != 2 || red[0][0].Threshold != 90 {
		t.Errorf("red wind on a ridge: %v", red)
	}
	if amber, _ = r.Criteria(Wind, Terrain{Exposure: Forest}); len(amber) != 1 {
		t.Errorf("the mean wind counts under trees: %v", amber)
	}
	if amber, red = r.Criteria(DebrisFlow, Terrain{Exposure: Forest, Zone: Central}); amber != nil || red != nil {
		t.Error("debris flows under trees")
	}
	amber, _ = r.Criteria(Fire, Terrain{Fuel: true})
	if len(amber) != 2 || amber[0][0].Quantity != LocalHour || amber[0][1].Sign != "≤" || amber[0][2].Quantity != IgnitionQuantity {
		t.Errorf("fire: %v", amber)
	}
	if amber, _ = r.Exit().Criteria(Cold, Terrain{Exposure: Forest}); amber[0][0].Threshold != -9 || amber[0][0].Sign != "≤" {
		t.Errorf("cold by the rules of leaving: %v", amber)
	}
	if _, red = r.Criteria(Cold, Terrain{Exposure: Ridge, HeightM: 5000}); red[0][0].Threshold != -40 {
		t.Errorf("cold at 5,000 m: %v", red)
	}
	if r.Applies(DebrisFlow, Terrain{Exposure: Crossing, Zone: Central}) || !r.Applies(DebrisFlow, Terrain{Exposure: Crossing, Zone: Central, Basin: true}) {
		t.Error("debris flows are of crossings below a high basin")
	}
}
