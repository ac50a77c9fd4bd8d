package openmeteo

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// maxSmall is the number of bytes of an answer that is read as a whole: metadata or heights.
const maxSmall = 64 * 1024

// refusalText is what the provider may answer with status 200 in the place of data.
type refusalText struct {
	Error  bool   `json:"error"`
	Reason string `json:"reason"`
}

// readSmall reads an answer of one JSON object into a struct that embeds refused. what
// names it in errors, in the plural.
func readSmall(body io.Reader, what string, into any, refused *refusalText) *Error {
	text, err := io.ReadAll(io.LimitReader(body, maxSmall+1))
	switch {
	case err != nil:
		return &Error{Kind: Malformed, Reason: "the " + what + " broke off", Err: err}
	case len(text) > maxSmall:
		return errorf(Malformed, "the %s are longer than they can be", what)
	case looksLikePage(text):
		return &Error{Kind: ServerFault, Reason: "a web page instead of data"}
	}
	if json.Unmarshal(text, into) != nil {
		if bytes.Contains(bytes.ToLower(text), []byte("nan")) { // the provider writes it so
			return errorf(Malformed, "among the %s is one that is not a number (NaN)", what)
		}
		return errorf(Malformed, "the %s are not what they should be", what)
	}
	if refused.Error {
		return refusalError(http.StatusOK, refused.Reason)
	}
	return nil
}
