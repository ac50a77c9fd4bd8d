package site

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vigia/forecast/hazard"
	"vigia/web/wording"
)

// otherRules are rules with the names of those in force and a value of its own in
// every place, and those values by place.
func otherRules(t *testing.T) (*hazard.Rules, map[string]float64) {
	t.Helper()
	raw, err := os.ReadFile("../../forecast/hazard/thresholds.json")
	if err != nil {
		t.Fatal(err)
	}
	var file any
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	changed, err := json.Marshal(shifted(file))
	if err != nil {
		t.Fatal(err)
	}
	changed = []byte(strings.Replace(string(changed), `"version":"2026.12.1"`, `"version":"3000.1.7"`, 1))
	rules, err := hazard.ParseRules(changed)
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string]float64)
	for _, threshold := range rules.Thresholds() {
		if threshold.HasValue {
			values[threshold.Key] = threshold.Value
		}
	}
	return rules, values
}

// shifted returns a JSON value with its numbers changed, whole ones to whole ones, but
// for what stands for no limit.
func shifted(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for k := range v {
			v[k] = shifted(v[k])
		}
	case []any:
		for i := range v {
			v[i] = shifted(v[i])
		}
	case float64:
		switch {
		case v == 999:
			return v
		case v == float64(int(v)):
			return v + 3
		default:
			return v + 0.03125
		}
	}
	return value
}

// section is what is read under the heading of a hazard.
func section(page string, h hazard.Hazard) string {
	_, rest, _ := strings.Cut(page, `<h3 id="peligro-`+h.String()+`">`)
	text, _, _ := strings.Cut(rest, "</section>")
	text, _, _ = strings.Cut(text, `<p class="menor">`) // where the numbers come from names others
	return readable(text)
}

// ownerOf is the hazard under which a value of the rules is shown.
func ownerOf(key string) (hazard.Hazard, bool) {
	first, _, _ := strings.Cut(key, ".")
	if strings.HasPrefix(first, "nieve_") {
		first = "nieve"
	}
	h, err := hazard.ParseHazard(first)
	return h, err == nil
}

var number = regexp.MustCompile(`−?\d+(?:[.,]\d+)?`)

func TestMethodShowsTheRulesInForce(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	e := short(newSnapshot(t))
	var values map[string]float64
	e.Rules, values = otherRules(t)
	for _, root := range []string{"", "/en"} {
		page := pageOf(t, e, now, root+"/metodo")
		if !strings.Contains(page, "3000.1.7") {
			t.Errorf("%s: the version of the rules is not on the page", root)
		}
		for key, value := range values {
			where := readable(page)
			h, ok := ownerOf(key)
			if ok {
				where = section(page, h)
			}
			if value != 999 && key != "aluvion.sur_resta_h0" && !shows(where, value) {
				t.Errorf("%s: %s is %v, which is not in: %s", root, key, value, where)
			}
		}
		// What is lowered in the southern zone is shown as it is compared.
		for _, h0 := range []string{"aluvion.amarillo.0.h0", "aluvion.rojo.1.h0"} {
			if lower := values[h0] - values["aluvion.sur_resta_h0"]; !shows(section(page, hazard.DebrisFlow), lower) {
				t.Errorf("%s: no %v m in the southern zone", root, lower)
			}
		}
	}
}

// shows reports whether a value stands in a text, as it is or in per cent.
func shows(text string, value float64) bool {
	for _, found := range number.FindAllString(text, -1) {
		x, err := strconv.ParseFloat(strings.NewReplacer(",", ".", "−", "-").Replace(found), 64)
		if err == nil && (x == value || value < 2 && (x-100*value)*(x-100*value) < 0.01) {
			return true
		}
	}
	return false
}

// No figure of a table is any other than those of the rules.
func TestMethodShowsNoOtherFigures(t *testing.T) {
	e := short(newSnapshot(t))
	e.Rules, _ = otherRules(t)
	page := pageOf(t, e, now, "/metodo")
	for i := range hazard.NumHazards {
		h := hazard.Hazard(i)
		known := map[string]bool{}
		for x := range hazard.NumExposures {
			for _, z := range hazard.Zones() {
				for _, condition := range conditions {
					amber, red := e.Rules.Criteria(h, terrain(condition, z, hazard.Exposure(x)))
					for _, criteria := range append(amber, red...) {
						for _, c := range criteria {
							value := c.Threshold
							if c.Quantity == hazard.IgnitionQuantity {
								value *= 100
							}
							known[strconv.FormatFloat(value, 'f', -1, 64)] = true
						}
					}
				}
			}
		}
		table, _, _ := strings.Cut(page[strings.Index(page, `aria-labelledby="peligro-`+h.String()+`"`):], "</table>")
		shown := regexp.MustCompile(`[≥>≤<] (−?[\d.,]+)`).FindAllStringSubmatch(readable("<"+table), -1)
		if len(shown) == 0 {
			t.Errorf("%s: no thresholds", h)
		}
		for _, m := range shown {
			if value := strings.NewReplacer(",", ".", "−", "-").Replace(m[1]); !known[value] {
				t.Errorf("%s: %s is of no rule: %v", h, m[0], known)
			}
		}
	}
}

func TestMethodTellsPlacesApart(t *testing.T) {
	words := viewOf(t, newSnapshot(t), now)
	for h, want := range map[hazard.Hazard][]string{
		hazard.Wind:       {"cresta, paso o flanco de volcán, glaciar o nieve permanente", "bosque", "demás lugares"},
		hazard.Cold:       {"desde 5000 m de altitud", "cresta, paso o flanco de volcán, glaciar o nieve permanente, altiplano", "demás lugares"},
		hazard.Rain:       {"zona: árida", "zona: centro, sur, austral; vado o quebrada", "zona: centro, sur, austral; demás lugares"},
		hazard.DebrisFlow: {"zona: centro; vado o quebrada", "zona: sur; vado o quebrada", "donde no se nombra, este peligro no se estima"},
		hazard.Blizzard:   {"en todas partes"},
	} {
		var got []string
		for _, row := range words.ruleRows(hazard.DefaultRules(), h) {
			got = append(got, row.Place)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %q", h, got)
		}
	}
}

// The Spanish page and the API say the same of where the numbers come from.
func TestMethodNamesThePublishedSources(t *testing.T) {
	words := wording.Spanish
	for _, threshold := range hazard.DefaultRules().Thresholds() {
		h, ok := ownerOf(threshold.Key)
		if ok && h != hazard.Snow && words.Text("metodo.fuente."+h.String()) != threshold.Source {
			t.Errorf("%s: the API says %q", h, threshold.Source)
		}
	}
}

func TestMethodWithoutRulesAndModels(t *testing.T) {
	e := empty(newSnapshot(t).Catalogue)
	text := readable(pageOf(t, short(e), now, "/metodo"))
	for _, want := range []string{"Todavía no hay reglas que mostrar.", "Todavía no hay noticias de ningún modelo."} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
