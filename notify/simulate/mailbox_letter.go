package simulate

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
	"time"
)

// Letter is a mail as its reader has it. What cannot be read is empty; Raw always
// has all of it.
type Letter struct {
	At      time.Time // when it came
	Sender  string    // of the envelope
	From    string    // of the header, decoded
	To      string    // of the envelope; several are separated by commas
	Subject string
	Text    string // the first text/plain part, lines ending with \n
	HTML    string // the first text/html part
	Raw     []byte
}

const (
	maxParts = 32 // of a letter
	maxDepth = 4  // of parts within parts
)

// ReadLetter reads what a mail program would show of a letter. An error says that
// it has not even headers; all but the envelope is read as far as it can be.
func ReadLetter(raw []byte) (Letter, error) {
	l := Letter{Raw: raw}
	message, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return l, fmt.Errorf("reading a letter: %w", err)
	}
	l.From, l.Subject = decodedHeader(message.Header, "From"), decodedHeader(message.Header, "Subject")
	reader := letterReader{letter: &l, left: maxParts}
	reader.part(textproto.MIMEHeader(message.Header), message.Body, 0)
	return l, nil
}

func decodedHeader(h mail.Header, name string) string {
	text, err := new(mime.WordDecoder).DecodeHeader(h.Get(name))
	if err != nil {
		return h.Get(name)
	}
	return text
}

// letterReader walks through the parts of a letter.
type letterReader struct {
	letter *Letter
	left   int // parts that may still be read
}

func (r *letterReader) part(header textproto.MIMEHeader, body io.Reader, depth int) {
	kind, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		kind = "text/plain"
	}
	switch {
	case strings.HasPrefix(kind, "multipart/") && depth < maxDepth:
		r.parts(multipart.NewReader(body, parameters["boundary"]), depth+1)
	case kind == "text/plain" && r.letter.Text == "":
		r.letter.Text = readText(header, body, parameters["charset"])
	case kind == "text/html" && r.letter.HTML == "":
		r.letter.HTML = readText(header, body, parameters["charset"])
	}
}

func (r *letterReader) parts(parts *multipart.Reader, depth int) {
	for ; r.left > 0; r.left-- {
		part, err := parts.NextRawPart()
		if err != nil {
			return
		}
		r.part(part.Header, part, depth)
	}
}

// readText undoes a part's encoding. A charset that is neither UTF-8 nor Latin-1
// is taken for UTF-8, with its ill-formed bytes replaced.
func readText(header textproto.MIMEHeader, body io.Reader, charset string) string {
	switch strings.ToLower(header.Get("Content-Transfer-Encoding")) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	data, _ := io.ReadAll(body) // what came before an error is shown
	if strings.EqualFold(charset, "iso-8859-1") {
		runes := make([]rune, len(data))
		for i, b := range data {
			runes[i] = rune(b)
		}
		data = []byte(string(runes))
	}
	return strings.ReplaceAll(strings.ToValidUTF8(string(data), "\uFFFD"), "\r\n", "\n")
}
