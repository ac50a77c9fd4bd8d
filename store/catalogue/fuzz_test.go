package catalogue

import (
	"errors"
	"strings"
	"testing"

	"vigia/store/document"
)

// FuzzParse: nothing makes Parse panic; a refusal names at least one fault, with
// places that exist; what is accepted is indexed right.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		least, full, "", "{}", "[]", "null", "\uFEFF" + least, least + "{}", full[:700],
		`{"parques":[{}],"senderos":[{"puntos":[{}]}],"volcanes":[{"parques":[{}]}]}`,
		`{"a":[[[{"b":1e400}]]],"parques":null,"senderos":"x"}`,
		strings.ReplaceAll(full, "-71", "-0.0"), strings.ReplaceAll(full, "Playa", `\ud83c\udf0a`),
		lined(coordinates("[-71.41, -36.91]", "[-71.40, -36.90]", "[]", "[1e9, null]")), lined(`"linea_archivo": "a.gpx"`),
		strings.ReplaceAll(least, "cerro", "\xff"), strings.ReplaceAll(full, `"nube"`, `"nandu"`),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("fuzz", data)
		if err == nil {
			checkIndex(t, c)
			return
		}
		var faults *document.FaultsError
		if !errors.As(err, &faults) || len(faults.Faults) == 0 || c != nil {
			t.Fatalf("refused with %v and catalogue %v", err, c)
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, fault := range faults.Faults {
			if fault.Line < 1 || fault.Line > lines || fault.Column < 1 || fault.Problem == "" {
				t.Fatalf("fault %+v in a file of %d lines", fault, lines)
			}
		}
	})
}
