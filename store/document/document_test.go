package document

import (
	"errors"
	"strings"
	"testing"
)

const most = 1 << 20

var form = Form{MaxBytes: most}

// example is a document of a required name, and a list of objects with a flag.
type example struct {
	Name string `json:"nombre" check:"120"`
	List []struct {
		Yes bool `json:"si"`
	} `json:"lista" check:"optional 0 10"`
}

func read(text string) (read example, err error) {
	d, err := Open("prueba.json", []byte(text), form)
	if err != nil {
		return read, err
	}
	d.JSON(&read)
	return read, d.Err()
}

func faultsOf(t *testing.T, text string) []Fault {
	t.Helper()
	_, err := read(text)
	var faults *FaultsError
	if !errors.As(err, &faults) {
		t.Fatalf("error = %v, want a *FaultsError", err)
	}
	return faults.Faults
}

func TestEverythingIsRead(t *testing.T) {
	got, err := read("\uFEFF{\"nombre\": \"a\", \"lista\": [{\"si\": true}, {\"si\": false}]}")
	if err != nil || got.Name != "a" || len(got.List) != 2 || !got.List[0].Yes || got.List[1].Yes {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestPlacesOfFaults(t *testing.T) {
	_, err := read("{\n \"lista\": [{\"si\": 1},\n  {\"no\": true}], \"nombre\": null}")
	want := `prueba.json no es válido y no se usa nada de él (errores: 4)
prueba.json:2:19: lista[0].si: se esperaba true o false y hay un número
prueba.json:3:3: lista[1].si: falta este campo obligatorio
prueba.json:3:4: lista[1].no: campo desconocido; se admiten: si
prueba.json:3:28: nombre: falta este campo obligatorio`
	if err == nil || err.Error() != want {
		t.Errorf("said %v\nwant %s", err, want)
	}
}

func TestSyntax(t *testing.T) {
	tests := []struct {
		name, text   string
		line, column int
		say          string
	}{
		{"nothing", "", 1, 1, "vacío"},
		{"blanks", " \n\t ", 1, 1, "vacío"},
		{"other shape", "[1]", 1, 1, "se esperaba un objeto"},
		{"other value", " null", 1, 2, "hay null"},
		{"comma too many", "{\n \"parques\": [1,]\n}", 2, 16, "sobra la coma"},
		{"comma missing", "{\"a\": 1\n \"b\": 2}", 2, 2, "comas y comillas"},
		{"cut off", "{\"a\": [1, 2", 1, 12, "antes de tiempo"},
		{"more after the end", "{}\n{}", 2, 1, "sobra texto"},
		{"comma after the end", "{} ,", 1, 4, "sobra texto"},
		{"comment", "{ // nota\n}", 1, 3, "JSON mal formado"},
		{"bare NaN", `{"latitud": NaN}`, 1, 13, "JSON mal formado"},
		{"other encoding", "{\"año\xf1\": 1}", 1, 6, "UTF-8"},
		{"control character", "{\"a\": \"x\ny\"}", 1, 9, "JSON mal formado"},
		{"too deep", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), 1, 10_001, "demasiados niveles"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			faults := faultsOf(t, test.text)
			f := faults[0]
			if len(faults) != 1 || f.Line != test.line || f.Column != test.column || !strings.Contains(f.Problem, test.say) {
				t.Errorf("faults = %+v, want %d:%d %q", faults, test.line, test.column, test.say)
			}
		})
	}
}

func TestDeepUnknownFieldIsOneFault(t *testing.T) {
	deep := strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000)
	if faults := faultsOf(t, `{"extra": `+deep+`, "nombre": "a"}`); len(faults) != 1 || faults[0].Field != "extra" {
		t.Errorf("faults = %d, want one", len(faults))
	}
}

func TestMessagesShowNothingRaw(t *testing.T) {
	_, err := read("{\"\\u001b[31m\\n\": 1, \"nombre\": \"a\"}")
	if err == nil || strings.ContainsAny(err.Error(), "\x1b") || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("message = %q, want the key quoted", err)
	}
}

func TestTooLarge(t *testing.T) {
	if faults := faultsOf(t, strings.Repeat(" ", most+1)); len(faults) != 1 || !strings.Contains(faults[0].Problem, "1 MB") {
		t.Errorf("faults = %+v", faults)
	}
}

func TestManyFaultsEndTheReading(t *testing.T) {
	for name, text := range map[string]string{
		"list":   `{"lista": [` + strings.Repeat("0,", MaxFaults+4) + `0], "nombre": 0}`,
		"object": `{` + strings.Repeat(`"x":{},`, MaxFaults) + `"y":[]}`,
	} {
		_, err := read(text)
		var faults *FaultsError
		if !errors.As(err, &faults) || len(faults.Faults) != MaxFaults || !strings.HasSuffix(err.Error(), "se detuvo aquí") {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}

func TestLongTextsAreCutInMessages(t *testing.T) {
	long := strings.Repeat("ñ", 1<<18)
	if _, err := read(`{"nombre": "` + long + `", "` + long + `": 1}`); err == nil || len(err.Error()) > 1000 {
		t.Errorf("a message of %d bytes", len(err.Error()))
	}
}
