package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vigia/store/catalogue"
	"vigia/store/subscription"
)

// readForm reads the body of a request as a form. What is of the wrong kind is noted in
// the form; what is not JSON of its members is a fault.
func readForm(r *http.Request) (*subscription.Form, *Fault) {
	if fault := unsupported(r.Header); fault != nil {
		return nil, fault
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, LongestBody+1))
	switch {
	case err != nil:
		return nil, badJSON("el cuerpo no llegó entero")
	case len(body) > LongestBody:
		return nil, bodyTooLarge
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

// formReader reads a form and notes what has the wrong kind.
type formReader struct {
	NewSubscription
	faults []subscription.FormFault
}

// parseForm reads one JSON object strictly: a name once, of the form's names, in UTF-8.
func parseForm(body []byte) (*subscription.Form, *Fault) {
	d := jsontext.NewDecoder(bytes.NewReader(body))
	if kind := d.PeekKind(); kind != jsontext.KindBeginObject && kind != jsontext.KindInvalid {
		return nil, badJSON("el cuerpo debe ser un objeto JSON: {…}")
	}
	f := &formReader{}
	kinds := json.JoinUnmarshalers(
		json.UnmarshalFromFunc(f.readText), json.UnmarshalFromFunc(readConsent),
		expect[[]string](f, jsontext.KindBeginArray, "debe ser una lista de textos"),
		expect[float64](f, jsontext.KindNumber, "debe ser un número o null"),
		expect[PushForm](f, jsontext.KindBeginObject, "debe ser un objeto"),
		expect[PushKeys](f, jsontext.KindBeginObject, "debe ser un objeto"),
		expect[ClockSpan](f, jsontext.KindBeginObject, "debe ser un objeto"),
		expect[DateSpan](f, jsontext.KindBeginObject, "debe ser un objeto"),
	)
	if err := json.UnmarshalDecode(d, &f.NewSubscription, json.WithUnmarshalers(kinds), json.RejectUnknownMembers(true)); err != nil {
		return nil, jsonFault(body, err)
	}
	if rest := bytes.TrimLeft(body[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, badJSON("sobra contenido después del objeto, en %s", place(body, len(body)-len(rest)))
	}
	return f.form(), nil
}

// form returns what was read, to be checked.
func (f *formReader) form() *subscription.Form {
	form := &subscription.Form{
		Channel: f.Channel, Email: f.Email, Parks: f.Parks, Trails: f.Trails, MinLevel: f.MinLevel, Hazards: f.Hazards,
		Quiet: (*subscription.Span)(f.Quiet), Trip: (*subscription.Span)(f.Trip), Language: f.Language, Consent: f.Consent, Unread: f.faults,
	}
	if p := f.Push; p != nil {
		form.Push = &subscription.PushForm{Endpoint: p.Endpoint, P256dh: p.Keys.P256dh, Auth: p.Keys.Auth, Proof: p.Proof}
	}
	return form
}

// addFault notes what is wrong with a field, once.
func (f *formReader) addFault(at jsontext.Pointer, text string) {
	fault := subscription.FormFault{Field: fieldAt(at), Text: text}
	if !slices.Contains(f.faults, fault) {
		f.faults = append(f.faults, fault)
	}
}

// expect returns what notes a value of T of another kind in the form, and skips it. null
// stands for what was left out.
func expect[T any](f *formReader, kind jsontext.Kind, text string) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(d *jsontext.Decoder, _ *T) error {
		switch d.PeekKind() {
		case kind, jsontext.KindNull, jsontext.KindInvalid:
			return errors.ErrUnsupported // so that it is read as usual
		}
		if err := d.SkipValue(); err != nil {
			return err
		}
		f.addFault(d.StackPointer(), text)
		return nil
	})
}

// readText reads a text, which is not empty, or an item of a list of texts.
func (f *formReader) readText(d *jsontext.Decoder, text *string) error {
	within, _ := d.StackIndex(d.StackDepth())
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	kind, field := value.Kind(), d.StackPointer()
	if kind == jsontext.KindString {
		unquoted, err := jsontext.AppendUnquote(nil, value)
		if err != nil {
			return err
		}
		*text = string(unquoted)
	}
	switch {
	case within == jsontext.KindBeginArray && kind != jsontext.KindString:
		f.addFault(field.Parent(), "debe ser una lista de textos")
	case within == jsontext.KindBeginArray, kind == jsontext.KindNull:
	case kind != jsontext.KindString:
		f.addFault(field, "debe ser un texto")
	case *text == "":
		f.addFault(field, "no puede quedar vacío")
	}
	return nil
}

// readConsent reads true; anything else is no consent, which is noted when the form is checked.
func readConsent(d *jsontext.Decoder, consent *bool) error {
	value, err := d.ReadValue()
	*consent = value.Kind() == jsontext.KindTrue
	return err
}

// jsonFault returns the fault of a body that cannot be read.
func jsonFault(body []byte, err error) *Fault {
	syntax, semantic := (*jsontext.SyntacticError)(nil), (*json.SemanticError)(nil)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return badJSON("el JSON termina antes de tiempo: falta cerrar un texto, una lista o un objeto")
	case errors.Is(err, io.EOF):
		return badJSON("el cuerpo está vacío; envíe un objeto JSON")
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return badJSON("«%s» viene más de una vez; indíquelo una sola", fieldAt(syntax.JSONPointer))
	case errors.As(err, &syntax) && !utf8.Valid(body):
		return badJSON("el cuerpo no es UTF-8 válido en %s", place(body, int(syntax.ByteOffset)))
	case errors.As(err, &syntax):
		return badJSON("JSON mal escrito en %s", place(body, int(syntax.ByteOffset)))
	case errors.As(err, &semantic) && errors.Is(err, json.ErrUnknownName):
		return unknownMember(semantic)
	}
	return badJSON("el cuerpo no se puede leer como JSON")
}

func badJSON(format string, values ...any) *Fault {
	return &Fault{Status: http.StatusBadRequest, Code: "json_no_valido", Text: fmt.Sprintf(format, values...)}
}

// unknownMember returns the fault of a member that an object does not have, with those
// that it has.
func unknownMember(err *json.SemanticError) *Fault {
	var names []string
	for i := range err.GoType.NumField() {
		if name := err.GoType.Field(i).Tag.Get("json"); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	of := "los campos"
	if within := err.JSONPointer.Parent(); within != "" {
		of += " de «" + fieldAt(within) + "»"
	}
	return badJSON("el campo «%s» no existe; %s son: %s", fieldAt(err.JSONPointer), of, strings.Join(names, ", "))
}

// fieldAt returns the field at a place of the body, such as silencio.desde. A name that
// does not look like one of ours is not repeated.
func fieldAt(p jsontext.Pointer) string {
	var names []string
	for name := range p.Tokens() {
		if !catalogue.LooksLikeSlug(name) {
			name = "…"
		}
		names = append(names, name)
	}
	return strings.Join(names, ".")
}

// place returns the line and the column of a byte of the body, in characters from 1.
func place(body []byte, at int) string {
	before := body[:min(max(at, 0), len(body))]
	line := bytes.Count(before, []byte("\n"))
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("la línea %d, columna %d", line+1, column+1)
}

// invalid is the fault of a form, with all that is wrong with it.
func invalid(faults []subscription.FormFault) *Fault {
	texts := make([]string, len(faults))
	for i, f := range faults {
		texts[i] = "«" + f.Field + "»: " + f.Text
	}
	return &Fault{Status: http.StatusUnprocessableEntity, Code: "datos_no_validos", Text: strings.Join(texts, "; ")}
}
