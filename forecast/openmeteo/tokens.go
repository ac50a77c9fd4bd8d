package openmeteo

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// streamingFault is how the provider ends an answer that it could not finish.
const streamingFault = "Unexpected error while streaming data"

var errTooLong = errors.New("too many bytes")

// boundedReader ends a body that is longer than an answer can be, or that holds one
// token of more than bytesPerToken, which jsontext would keep in memory.
type boundedReader struct {
	from     io.Reader
	left     int64        // bytes that may still be read
	read     int64        // bytes read so far
	consumed func() int64 // bytes of them that the decoder is done with
	err      error        // the first one, which stays
}

func (r *boundedReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.from.Read(p)
	r.left -= int64(n)
	r.read += int64(n)
	r.err = err
	if (err == nil || err == io.EOF) && (r.left < 0 || r.read-r.consumed() > bytesPerToken) {
		r.err = errTooLong
	}
	if n > 0 && r.err != errTooLong {
		return n, nil
	}
	return n, r.err
}

// open begins to read a body of at most so many bytes.
func (d *decoder) open(body io.Reader, most int64) {
	d.body = &boundedReader{from: body, left: most}
	d.json = jsontext.NewDecoder(d.body)
	d.body.consumed = d.json.InputOffset
}

// fault turns an error of reading into one of ours.
func (d *decoder) fault(err error) *Error {
	unread := bytes.Clone(d.json.UnreadBuffer())
	syntax, isSyntax := errors.AsType[*jsontext.SyntacticError](err)
	if isSyntax {
		rest, _ := io.ReadAll(io.LimitReader(d.body, int64(len(streamingFault)))) // what came of it is enough
		unread = append(unread, rest...)
	}
	switch {
	case errors.Is(err, io.EOF):
		return errorf(Malformed, "an empty answer")
	case bytes.Contains(unread, []byte(streamingFault)):
		return errorf(Malformed, "the provider broke off: %s", streamingFault)
	case errors.Is(err, errTooLong):
		return errorf(Malformed, "the answer is longer than it can be")
	case !isSyntax:
		return &Error{Kind: Malformed, Reason: "the answer broke off", Err: err}
	case d.json.InputOffset() == 0 && looksLikePage(unread):
		return &Error{Kind: ServerFault, Reason: "a web page instead of data"}
	case errors.Is(err, jsontext.ErrDuplicateName):
		return errorf(Mismatch, "%s appears twice", syntax.JSONPointer.LastToken())
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errorf(Malformed, "the answer ends early, at byte %d", syntax.ByteOffset)
	}
	return errorf(Malformed, "%v, at byte %d", syntax.Err, syntax.ByteOffset)
}

func unexpected(got jsontext.Token, wanted string) *Error {
	return errorf(Malformed, "%v where %s should be", got.Kind(), wanted)
}

// read reads a token of one of some kinds, which is valid until the one after it is read.
func (d *decoder) read(wanted string, kinds ...jsontext.Kind) (jsontext.Token, *Error) {
	t, err := d.json.ReadToken()
	switch {
	case err != nil:
		return t, d.fault(err)
	case !slices.Contains(kinds, t.Kind()):
		return t, unexpected(t, wanted)
	}
	return t, nil
}

// object reads an object and calls each after every name; each must read the value.
func (d *decoder) object(each func(name string) *Error) *Error {
	if _, err := d.read("an object", jsontext.KindBeginObject); err != nil {
		return err
	}
	for {
		name, err := d.read("a name", jsontext.KindString, jsontext.KindEndObject)
		if err != nil || name.Kind() == jsontext.KindEndObject {
			return err
		}
		if err = each(name.String()); err != nil {
			return err
		}
	}
}

// array reads an array and calls each before every item; each must read the item.
func (d *decoder) array(each func() *Error) *Error {
	if _, err := d.read("an array", jsontext.KindBeginArray); err != nil {
		return err
	}
	for {
		switch d.json.PeekKind() {
		case jsontext.KindEndArray, jsontext.KindInvalid:
			_, err := d.read("an item", jsontext.KindEndArray)
			return err
		}
		if err := each(); err != nil {
			return err
		}
	}
}

// number reads a number, infinite when a float64 cannot hold it.
func (d *decoder) number() (float64, *Error) {
	t, err := d.read("a number", jsontext.KindNumber)
	if err != nil {
		return 0, err
	}
	x, _ := t.Float() // the only error is that of the range
	return x, nil
}

// numberOrNull reads a number, or null as NaN.
func (d *decoder) numberOrNull() (float64, *Error) {
	if d.json.PeekKind() == jsontext.KindNull {
		return math.NaN(), d.skip()
	}
	return d.number()
}

func (d *decoder) text() (string, *Error) {
	t, err := d.read("a text", jsontext.KindString)
	if err != nil {
		return "", err
	}
	return t.String(), nil
}

// skip reads a value of any form.
func (d *decoder) skip() *Error {
	if err := d.json.SkipValue(); err != nil {
		return d.fault(err)
	}
	return nil
}

// finish demands that nothing but white space is left.
func (d *decoder) finish() *Error {
	t, err := d.json.ReadToken()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return d.fault(err)
	}
	return unexpected(t, "the end of the answer")
}
