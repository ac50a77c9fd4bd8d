package site_test

import (
	"html"
	"net/http/httptest"
	"regexp"
	"testing"

	"vigia/handlers/feeds"
)

// The examples that the page asks for without a script are answered.
func TestReferenceExamplesAreAnswered(t *testing.T) {
	server := newFront(t, nil).Server()
	page := content(t, feeds.Among(newSite(t))(newSnapshot(t), now).Page("/api").Body())
	examples := regexp.MustCompile(`class="abrir" href="([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(examples) != 12 {
		t.Errorf("%d examples", len(examples))
	}
	for _, m := range examples {
		r := httptest.NewRequest("GET", html.UnescapeString(m[1]), nil)
		w := httptest.NewRecorder()
		server.Config.Handler.ServeHTTP(w, r)
		if w.Code != 200 {
			t.Errorf("%s: %d", m[1], w.Code)
		}
	}
}
