package mailtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"strings"
	"time"
)

// Mail is a mail as its reader has it. What cannot be read is empty; Raw always has
// all of it.
type Mail struct {
	At      time.Time // when it came
	Sender  string    // of the envelope
	From    string    // of the header, decoded
	To      string    // of the envelope; several are separated by commas
	Subject string
	Text    string // the text/plain part, lines ending with \n
	HTML    string // the text/html part
	Raw     []byte
}

// Read reads what a mail program would show of a mail of two alternative parts.
func Read(raw []byte) (Mail, error) {
	m := Mail{Raw: raw}
	message, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return m, fmt.Errorf("reading a mail: %w", err)
	}
	words := new(mime.WordDecoder)
	var err1, err2 error
	m.From, err1 = words.DecodeHeader(message.Header.Get("From"))
	m.Subject, err2 = words.DecodeHeader(message.Header.Get("Subject"))
	_, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err := errors.Join(err1, err2, err); err != nil {
		return m, fmt.Errorf("reading the header of a mail: %w", err)
	}
	for parts := multipart.NewReader(message.Body, parameters["boundary"]); ; {
		part, err := parts.NextPart() // which undoes quoted-printable
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil {
			return m, fmt.Errorf("reading a part of a mail: %w", err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return m, fmt.Errorf("reading a part of a mail: %w", err)
		}
		text := strings.ReplaceAll(string(data), "\r\n", "\n")
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			m.HTML = text
		} else {
			m.Text = text
		}
	}
}
