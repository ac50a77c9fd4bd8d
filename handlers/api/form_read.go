package api

import (
	"io"
	"mime"
	"net/http"
	"strings"
)

// longestForm is the longest body of a request for a subscription, in bytes.
const longestForm = 8 << 10

// formKeys are the members of the body of POST /suscriptores. What a browser's own
// PushSubscription gives is taken whole; its expirationTime is not kept.
var formKeys = []knownKey{
	{"canal", nil}, {"email", nil},
	{"webpush", []knownKey{{"endpoint", nil}, {"expirationTime", nil}, {"keys", []knownKey{{"p256dh", nil}, {"auth", nil}}}}},
	{"parques", nil}, {"senderos", nil}, {"nivel_minimo", nil}, {"amenazas", nil},
	{"silencio", spanKeys}, {"viaje", spanKeys},
	{"idioma", nil}, {"consentimiento", nil},
}

var spanKeys = []knownKey{{"desde", nil}, {"hasta", nil}}

// readForm reads the body of a request as a form. What is of the wrong type is
// noted in the form; what is no JSON document of these members is a fault.
func readForm(r *http.Request) (*Form, *Fault) {
	if fault := unsupported(r.Header); fault != nil {
		return nil, fault
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, longestForm+1))
	switch {
	case err != nil:
		return nil, badJSON("el cuerpo no llegó entero")
	case len(body) > longestForm:
		return nil, &Fault{Status: http.StatusRequestEntityTooLarge, Code: "cuerpo_demasiado_grande", Text: "el cuerpo admite como máximo 8192 bytes"}
	case len(body) == 0:
		return nil, badJSON("falta el cuerpo: envíe un objeto JSON con Content-Length")
	}
	return parseForm(body)
}

// unsupported refuses what is not plain JSON.
func unsupported(h http.Header) *Fault {
	f := &Fault{Status: http.StatusUnsupportedMediaType, Code: "tipo_no_admitido"}
	if len(h["Content-Encoding"]) > 0 {
		f.Text = "no se admite Content-Encoding; envíe el cuerpo sin comprimir"
		return f
	}
	f.Text = "solo se admite JSON en UTF-8; envíe un solo Content-Type: application/json"
	lines := h["Content-Type"]
	if len(lines) != 1 {
		return f
	}
	kind, parameters, err := mime.ParseMediaType(lines[0])
	if err != nil || kind != "application/json" {
		return f
	}
	for name, value := range parameters {
		if name != "charset" || !strings.EqualFold(value, "utf-8") {
			return f
		}
	}
	return nil
}

func parseForm(body []byte) (*Form, *Fault) {
	root, fault := parseDocument(body, formKeys)
	if fault != nil {
		return nil, fault
	}
	f := &Form{}
	f.Channel = f.text(root, "canal")
	f.Email = f.text(root, "email")
	f.readPush(root)
	f.Parks = f.texts(root, "parques")
	f.Trails = f.texts(root, "senderos")
	f.MinLevel = f.text(root, "nivel_minimo")
	f.Hazards = f.texts(root, "amenazas")
	f.Quiet = f.span(root, "silencio")
	f.Trip = f.span(root, "viaje")
	f.Language = f.text(root, "idioma")
	f.Consent = root.member("consentimiento").kind == trueJSON
	return f, nil
}

// text reads a member that is a text; "" when it is left out or null.
func (f *Form) text(in *node, field string) string {
	n := in.member(lastOf(field))
	switch {
	case n.kind == nullJSON:
	case n.kind != textJSON:
		f.wrong(field, "debe ser un texto")
	case n.text == "":
		f.wrong(field, "no puede quedar vacío")
	}
	return n.text
}

// texts reads a member that is a list of texts; nil when it is left out or null.
func (f *Form) texts(in *node, field string) []string {
	n := in.member(field)
	if n.kind == nullJSON {
		return nil
	}
	texts := make([]string, 0, len(n.items))
	for _, item := range n.items {
		if item.kind == textJSON {
			texts = append(texts, item.text)
		}
	}
	if n.kind != listJSON || len(texts) != len(n.items) {
		f.wrong(field, "debe ser una lista de textos")
	}
	return texts
}

// object reads a member that is an object; nil when there is none.
func (f *Form) object(in *node, field string) *node {
	n := in.member(lastOf(field))
	switch n.kind {
	case objectJSON:
		return n
	case nullJSON:
	default:
		f.wrong(field, "debe ser un objeto")
	}
	return nil
}

func (f *Form) span(root *node, field string) *SpanForm {
	n := f.object(root, field)
	if n == nil {
		return nil
	}
	return &SpanForm{From: f.text(n, field+".desde"), To: f.text(n, field+".hasta")}
}

func (f *Form) readPush(root *node) {
	n := f.object(root, "webpush")
	if n == nil {
		return
	}
	f.Push = &PushForm{Endpoint: f.text(n, "webpush.endpoint")}
	if k := n.member("expirationTime").kind; k != nullJSON && k != numberJSON {
		f.wrong("webpush.expirationTime", "debe ser un número o null")
	}
	if keys := f.object(n, "webpush.keys"); keys != nil {
		f.Push.Key, f.Push.Auth = f.text(keys, "webpush.keys.p256dh"), f.text(keys, "webpush.keys.auth")
	}
}

// lastOf gives the member's own name of a field's path.
func lastOf(field string) string { return field[strings.LastIndexByte(field, '.')+1:] }

// invalid is the fault of a form, with all that is wrong with it.
func invalid(faults []FieldFault) *Fault {
	texts := make([]string, len(faults))
	for i, f := range faults {
		texts[i] = "«" + f.Field + "»: " + f.Text
	}
	return &Fault{Status: http.StatusUnprocessableEntity, Code: "datos_no_validos", Text: strings.Join(texts, "; ")}
}
