package clitest

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// FewParks writes a catalogue of one park, los-andes, small enough for the provider's
// limit a minute, and returns its path.
func FewParks(t testing.TB) string {
	t.Helper()
	return WriteFile(t, "parques.json", `{"parques":[{"slug":"los-andes","nombre":"Los Andes","tipo":"parque_nacional","region":"Valparaíso",
		"latitud":-33.43,"longitud":-70.09,"altitud_m":2514,"zona_horaria":"America/Santiago"}],
		"senderos":[{"slug":"portezuelo","parque":"los-andes","nombre":"Portezuelo","tipo":"ida_y_vuelta","zona_clima":"centro","remota":false,"combustible":false,
		"puntos":[{"nombre":"portezuelo","latitud":-33.427067,"longitud":-70.08652,"altitud_m":2514,"exposicion":"cresta_paso","critico":true}]}]}`)
}

// WriteFile writes a file in a folder of its own and returns its path.
func WriteFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Send makes a request and returns its status and body.
func Send(t testing.TB, method, url, contentType, body string) (int, string) {
	t.Helper()
	response, text := Ask(t, method, url, contentType, body, nil)
	return response.StatusCode, text
}

// Ask makes a request, with more headers, and returns the answer and its body.
func Ask(t testing.TB, method, url, contentType, body string, headers http.Header) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(request.Header, headers)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

// Text returns a page, which must be there.
func Text(t testing.TB, url string) string {
	t.Helper()
	status, page := Send(t, http.MethodGet, url, "", "")
	if status != http.StatusOK {
		t.Fatalf("GET %s: %d", url, status)
	}
	return page
}

// Get makes a GET, which must have a status, and reads the data of the API's answer.
func Get(t testing.TB, url string, status int, data any) {
	t.Helper()
	got, body := Send(t, http.MethodGet, url, "", "")
	if got != status {
		t.Fatalf("GET %s: %d, want %d: %.300s", url, got, status, body)
	}
	envelope := struct{ Data any }{data}
	if err := json.Unmarshal([]byte(body), &envelope); err != nil {
		t.Fatalf("GET %s: %v: %.300s", url, err, body)
	}
}

// Poll asks for a minute at the most until a condition holds.
func Poll(t testing.TB, what string, holds func() bool) {
	t.Helper()
	PollFor(t, time.Minute, what, holds)
}

// PollFor asks for a span at the most until a condition holds.
func PollFor(t testing.TB, span time.Duration, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(span)
	for !holds() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("%s: not within %v", what, span)
		}
	}
}
