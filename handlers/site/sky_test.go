package site

import (
	"os"
	"strings"
	"testing"

	"vigia/forecast/hazard"
)

// Each code that has a word has a symbol that is drawn, and no other code has any.
func TestEverySkyHasItsSymbol(t *testing.T) {
	v := viewOf(t, newSnapshot(t), now)
	drawn, err := os.ReadFile("../../web/templates/cielo.html")
	if err != nil {
		t.Fatal(err)
	}
	for code := range 256 {
		for _, night := range []bool{false, true} {
			s, word := v.sky(uint8(code), night), v.Sky(uint8(code))
			if (s.Key == "") != (word == "") || s.Word != word {
				t.Errorf("%d: the symbol %q for %q", code, s.Key, word)
			}
			if s.Key != "" && !strings.Contains(string(drawn), `<symbol id="c-`+s.Key+`"`) {
				t.Errorf("%d: %q is not drawn", code, s.Key)
			}
		}
	}
	if s := v.sky(hazard.NoCode, false); s != (sky{}) {
		t.Errorf("a missing sky is %+v", s)
	}
	for key, codes := range map[string][]uint8{
		"despejado": {0}, "nubes": {1, 2}, "nublado": {3}, "niebla": {45, 48}, "llovizna": {53}, "hielo": {56, 67}, "lluvia": {61, 65},
		"nieve": {71, 77, 86}, "chubascos": {80, 82}, "tormenta": {95, 99},
	} {
		for _, code := range codes {
			if got := v.sky(code, false).Key; got != key {
				t.Errorf("%d is %s, not %s", code, got, key)
			}
		}
	}
}
