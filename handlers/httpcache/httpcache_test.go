package httpcache

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

var now = time.Date(2026, 11, 21, 13, 5, 0, 7e6, time.UTC)

const stamp = "2026-11-21T13:05:00.007Z"

func serve(b *Body, method string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	b.Serve(w, r, Terms{Now: now, CacheControl: MaxAge(time.Minute), LastModified: LastModified(now), Modified: now})
	return w
}

func unzip(t *testing.T, packed []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	z.Multistream(false) // what follows the first member is an error below
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// payload makes n elements that do not compress to nothing.
func payload(n int) []byte {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	w := []byte{'['}
	for i := range n {
		if i > 0 {
			w = append(w, ',')
		}
		w = strconv.AppendUint(w, random.Uint64(), 10)
	}
	return append(w, ']')
}

func TestBothFormsOfEverySize(t *testing.T) {
	for _, n := range []int{0, 1, 5, 40, 300, 5000, 60000} {
		data := payload(n)
		want := `{"data":` + string(data) + `,"error":null,"ts":"` + stamp + `"}`
		for name, body := range map[string]*Body{"warm": JSON(data), "cold": JSONCold(data)} {
			plain, packed := serve(body, "GET"), serve(body, "GET", "Accept-Encoding", "gzip")
			if plain.Body.String() != want {
				t.Errorf("%s %d: %.100s", name, n, plain.Body)
			}
			got := packed.Body.Bytes()
			if packed.Header().Get("Content-Encoding") == "gzip" {
				got = unzip(t, got)
			} else if n >= 40 {
				t.Errorf("%s %d was not packed", name, n)
			}
			if string(got) != want {
				t.Errorf("%s %d packed: %.100s", name, n, got)
			}
			for _, w := range []*httptest.ResponseRecorder{plain, packed} {
				if w.Header().Get("Content-Length") != strconv.Itoa(w.Body.Len()) || w.Header().Get("Vary") != "Accept-Encoding" {
					t.Errorf("%s %d: header %v of %d bytes", name, n, w.Header(), w.Body.Len())
				}
			}
		}
	}
}

func TestStaticIsTheContent(t *testing.T) {
	for _, content := range []string{"", "x", strings.Repeat("<p>hola</p>", 500)} {
		body := Static("text/html; charset=utf-8", []byte(content))
		if got := serve(body, "GET").Body.String(); got != content {
			t.Errorf("%.20s: %.20s", content, got)
		}
		packed := serve(body, "GET", "Accept-Encoding", "gzip")
		if packed.Header().Get("Content-Encoding") == "gzip" && string(unzip(t, packed.Body.Bytes())) != content {
			t.Errorf("%.20s packed", content)
		}
	}
	if w := serve(Static("image/png", bytes.Repeat([]byte("x"), 5000)), "GET", "Accept-Encoding", "gzip"); w.Header().Get("Content-Encoding") != "" {
		t.Error("a picture was compressed again")
	}
	content := []byte("before")
	body := Static("text/plain", content)
	copy(content, "after!")
	if got := serve(body, "GET").Body.String(); got != "before" {
		t.Errorf("the caller's slice was kept: %s", got)
	}
}

func TestTagIsOfThePayload(t *testing.T) {
	a, b, c := JSON([]byte("[1]")), JSONCold([]byte("[1]")), JSON([]byte("[2]"))
	if a.ETag() != b.ETag() || a.ETag() == c.ETag() || !strings.HasPrefix(a.ETag(), `W/"`) {
		t.Errorf("%s %s %s", a.ETag(), b.ETag(), c.ETag())
	}
	if Error("x: y").ETag() != "" {
		t.Error("an error has a tag")
	}
}

func TestErrorEnvelope(t *testing.T) {
	w := serve(Error("código: «a» \"b\" <c>&\xff\u2028"), "GET")
	want := `{"data":null,"error":"código: «a» \"b\" \u003cc\u003e\u0026\ufffd\u2028","ts":"` + stamp + `"}`
	if w.Body.String() != want {
		t.Errorf("%s", w.Body)
	}
}

func TestTakesGzip(t *testing.T) {
	for value, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "gzip;q=0": false, "gzip; q=0.0": false, "gzip;q=0.001": true,
		"*": true, "*;q=0": false, "identity": false, "identity, gzip": true, "gzip;q=0.5, identity": true,
		"gzip;q=0.5, identity;q=0.5": true, "identity;q=0, *": true, "br, deflate": false, "gzip;q=0, *": false,
		"deflate, gzip;q=1.0, *;q=0.5": true, "gzip;q=x": false, "gzip;q=2": false, "gzip;x=1": false, "x-gzip": true,
		",,gzip,": true, "gzip;q=NaN": false,
	} {
		if got := takesGzip([]string{value}); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
	if !takesGzip([]string{"br", "gzip"}) || takesGzip(nil) {
		t.Error("several lines, or none")
	}
}

func FuzzTakesGzip(f *testing.F) {
	f.Add("gzip;q=0.5, *;q=0, identity")
	f.Add(";;=,q=")
	f.Fuzz(func(t *testing.T, value string) {
		if takesGzip([]string{value}) && !strings.Contains(strings.ToLower(value), "gzip") && !strings.Contains(value, "*") {
			t.Errorf("%q takes gzip", value)
		}
	})
}

func FuzzMatchesTag(f *testing.F) {
	f.Add(`W/"abc"`, "abc")
	f.Add(`"x", W/"abc", *`, "abc")
	f.Add(`*`, "abc")
	f.Add(`"a`, "a")
	f.Fuzz(func(t *testing.T, value, tag string) {
		if strings.ContainsAny(tag, `"`) {
			return
		}
		match := matchesTag([]string{value}, `W/"`+tag+`"`)
		if match && !strings.Contains(value, `"`+tag+`"`) && !strings.Contains(value, "*") {
			t.Errorf("%q matches %q", value, tag)
		}
		if !matchesTag([]string{`"other", W/"` + tag + `"`}, `W/"`+tag+`"`) && tag != "other" {
			t.Errorf("a list with %q does not match it", tag)
		}
	})
}

func TestMaxAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "public, max-age=0", 1999 * time.Millisecond: "public, max-age=1", 300 * time.Second: "public, max-age=300",
		5 * time.Hour: "public, max-age=3600",
	} {
		if got := MaxAge(d); len(got) != 1 || cap(got) != 1 || got[0] != want {
			t.Errorf("%v: %v", d, got)
		}
	}
}
