package https

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode"
)

// mostRead bounds what is read of an authority's answer, in bytes. Chains of
// certificates are the longest and have a tenth of it.
const mostRead = 256 << 10

// witness notes what an authority complains of. autocert tells of the last thing
// that failed alone, and nothing of renewals; an operator wants to know that the
// name leads elsewhere, or that port 80 is closed.
type witness struct {
	via  http.RoundTripper
	life context.Context // requests end with it
	note func(what string)
}

// RoundTrip asks, and looks at the answer.
func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(w.life, cancel)()
	answer, err := w.via.RoundTrip(r.WithContext(ctx))
	if err != nil {
		w.note(plain(fmt.Sprintf("the authority cannot be reached: %v", err)))
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostRead))
	if err != nil {
		w.note(plain(fmt.Sprintf("the authority's answer broke off: %v", err)))
		return nil, err
	}
	if said := complaint(answer.StatusCode, body); said != "" {
		w.note(plain(said))
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, nil
}

// problem is an authority's way to say no (RFC 7807, RFC 8555 section 6.7).
type problem struct{ Type, Detail string }

// complaint finds what an answer complains of, "" for nothing. Proofs that failed
// are told of in answers that are otherwise fine.
func complaint(status int, body []byte) string {
	var said struct {
		problem
		Error      *problem
		Challenges []struct {
			Type  string
			Error *problem
		}
	}
	if err := json.Unmarshal(body, &said); err != nil && status < 400 {
		return "" // a certificate, or nothing
	}
	for _, challenge := range said.Challenges {
		if challenge.Error != nil {
			return fmt.Sprintf("%s failed (the name must lead to this machine, with ports 443 and 80 open to everybody): %s", challenge.Type, challenge.Error.Detail)
		}
	}
	switch {
	case said.Error != nil:
		return said.Error.Detail
	case status < 400 || strings.HasSuffix(said.Type, ":badNonce"): // asked again by itself
		return ""
	case said.Detail != "":
		return said.Detail
	}
	return fmt.Sprintf("the authority answers with status %d", status)
}

// plain keeps what others say to one line of bearable length.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > 500 {
		return string(runes[:500]) + "…"
	}
	return text
}
