package openmeteo

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json"
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
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	unread := bytes.Clone(d.json.UnreadBuffer())
	syntax, isSyntax := errors.AsType[*jsontext.SyntacticError](err)
	if isSyntax {
		rest, _ := io.ReadAll(io.LimitReader(d.body, int64(len(streamingFault)))) // what came of it is enough
		unread = append(unread, rest...)
	}
	meaning, isMeaning := errors.AsType[*json.SemanticError](err)
	switch {
	case errors.Is(err, io.EOF):
		return errorf(Malformed, "an empty answer")
	case bytes.Contains(unread, []byte(streamingFault)):
		return errorf(Malformed, "the provider broke off: %s", streamingFault)
	case errors.Is(err, errTooLong):
		return errorf(Malformed, "the answer is longer than it can be")
	case isMeaning && !isSyntax:
		return errorf(Malformed, "%v where %s should be", meaning.JSONKind, meaning.JSONPointer.LastToken())
	case !isSyntax:
		return &Error{Kind: Malformed, Reason: "the answer broke off", Err: err}
	case d.json.InputOffset() == 0 && looksLikePage(unread):
		return &Error{Kind: ServerFault, Reason: "a web page instead of data"}
	case errors.Is(err, jsontext.ErrDuplicateName):
		return errorf(Mismatch, "%s appears twice", syntax.JSONPointer.LastToken())
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errorf(Malformed, "the answer ends early, at byte %d", syntax.ByteOffset)
	}
	return errorf(Malformed, "%s: %v, at byte %d", syntax.JSONPointer, syntax.Err, syntax.ByteOffset)
}
