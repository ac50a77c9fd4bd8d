package handlers

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"

	"vigia/handlers/forms"
	"vigia/handlers/site"
)

// hostileRoute is a route with a method that it takes.
type hostileRoute struct {
	method, path string
	api          bool
}

// takesAny tells of the one-click cancelling of mails, to which no body is wrong.
func (r hostileRoute) takesAny() bool { return strings.Contains(r.path, "/baja/") }

// everyRoute is all of them: those of the API from its document, which other tests hold
// against the router, and those of the forms.
func everyRoute(t *testing.T, token string) (all []hostileRoute) {
	t.Helper()
	for _, o := range openDocument(t).operations() {
		all = append(all, hostileRoute{strings.ToUpper(o.method), realPath(o.path), true})
	}
	pages, err := site.New(site.Options{Subscriptions: newFakeSubscriptions()})
	if err != nil {
		t.Fatal(err)
	}
	posts := 0
	forms.New(pages, forms.Demo{}).AddRoutes(func(method, pattern, _ string, _ httprouter.Handle) {
		if method == "POST" {
			posts++
		}
		all = append(all, hostileRoute{method, strings.ReplaceAll(pattern, ":token", token), false})
	}, forms.Deps{})
	if len(all) < 30 || posts < 5 {
		t.Fatalf("only %d routes, %d forms: the tests would try nothing", len(all), posts)
	}
	return append(all, hostileRoute{"GET", "/", false}, hostileRoute{"POST", "/", false}, hostileRoute{"POST", "/nada", false}, hostileRoute{"PUT", "/api/v1/nada", true})
}

// hostileRequest is one that no route should take.
type hostileRequest struct {
	name string
	// send writes the request; what a connection does not take ends it.
	send func(w io.Writer, r hostileRoute)
	// want are the statuses for a method with a body; nil is any of 4xx.
	want []string
	// harmless is a request that a route without a body may answer as any other.
	harmless bool
	half     bool // the client says that it sends nothing more
}

const gigabyte = 1 << 30

// kindOf is the type of body that a route takes.
func kindOf(r hostileRoute) string {
	if r.api {
		return "application/json"
	}
	return urlencoded
}

// withBody sends a request with a stated length and a body.
func withBody(length int64, body string, headers ...string) func(io.Writer, hostileRoute) {
	return func(w io.Writer, r hostileRoute) {
		fmt.Fprintf(w, "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n%s",
			r.method, r.path, kindOf(r), length, strings.Join(headers, ""), body)
	}
}

// endless is a body of a gigabyte.
func endless(w io.Writer) {
	block := bytes.Repeat([]byte("x"), 64<<10)
	for sent := 0; sent < gigabyte; sent += len(block) {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// head sends a request line and header lines as they are given.
func head(lines string) func(io.Writer, hostileRoute) {
	return func(w io.Writer, r hostileRoute) {
		fmt.Fprintf(w, "%s %s HTTP/1.1\r\n%s\r\n", r.method, r.path, lines)
	}
}

func bomb() string {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(make([]byte, 5<<20))
	z.Close()
	return packed.String()
}

func hostileRequests() []hostileRequest {
	packed := bomb()
	const multipart = "Content-Type: multipart/form-data; boundary=b\r\n"
	multi := func(body string) func(io.Writer, hostileRoute) {
		return func(w io.Writer, r hostileRoute) {
			fmt.Fprintf(w, "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%sContent-Length: %d\r\n\r\n%s", r.method, r.path, multipart, len(body), body)
		}
	}
	return []hostileRequest{
		{name: "a gigabyte", want: []string{"413"}, send: func(w io.Writer, r hostileRoute) { withBody(gigabyte, "")(w, r); endless(w) }},
		{name: "a gigabyte in chunks", want: []string{"411"}, send: func(w io.Writer, r hostileRoute) {
			fmt.Fprintf(w, "%s %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n", r.method, r.path, gigabyte)
			endless(w)
		}},
		{name: "chunks without end", want: []string{"411"}, send: head("Host: x\r\nTransfer-Encoding: chunked\r\n")},
		{name: "chunks of no length", want: []string{"411"}, send: func(w io.Writer, r hostileRoute) {
			head("Host: x\r\nTransfer-Encoding: chunked\r\n")(w, r)
			io.WriteString(w, "zz\r\n\r\n")
		}},
		{name: "a gigabyte after asking", want: []string{"413"}, send: withBody(gigabyte, "", "Expect: 100-continue\r\n")},
		{name: "another expectation", want: []string{"417"}, send: withBody(1, "x", "Expect: a miracle\r\n")},
		{name: "less than was said", half: true, harmless: true, send: withBody(8000, "{")},
		{name: "nothing of what was said", half: true, harmless: true, send: withBody(8000, "")},
		{name: "more than was said", harmless: true, send: withBody(2, "{}"+strings.Repeat("\x00garbage\r\n", 2000))},
		{name: "two lengths", want: []string{"400"}, send: withBody(2, "{}", "Content-Length: 3\r\n")},
		{name: "a length below nothing", want: []string{"400"}, send: withBody(-1, "")},
		{name: "no number", want: []string{"400"}, send: head("Host: x\r\nContent-Length: 0x10\r\n")},
		{name: "length and chunks", want: []string{"411"}, send: withBody(5, "0\r\n\r\n", "Transfer-Encoding: chunked\r\n")},
		{name: "a bomb", harmless: true, send: func(w io.Writer, r hostileRoute) {
			withBody(int64(len(packed)), packed, "Content-Encoding: gzip\r\n")(w, r)
		}},
		{name: "10,000 deep", want: []string{"413"}, send: withBody(20_000, strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000))},
		{name: "4,000 deep", harmless: true, send: withBody(8000, strings.Repeat("[", 4000)+strings.Repeat("]", 4000))},
		{name: "4,000 deep in objects", harmless: true, send: withBody(8000, strings.Repeat(`{"a":`, 1600))},
		{name: "no text", harmless: true, send: withBody(8000, strings.Repeat("\xff\x00%zz&;", 1200))},
		{name: "4,000 fields", harmless: true, send: withBody(8000, strings.Repeat("a&", 4000))},
		{name: "a multipart without end", harmless: true, send: multi("--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click")},
		{name: "a multipart of heads", harmless: true, send: multi("--b\r\n" + strings.Repeat("X: y\r\n", 1300))},
		{name: "a multipart of nothing", harmless: true, send: multi(strings.Repeat("--b\r\n", 1600))},
		{name: "a line of a megabyte", want: []string{"431"}, send: func(w io.Writer, r hostileRoute) {
			io.WriteString(w, r.method+" "+r.path+"?"+strings.Repeat("a", 1<<20)+" HTTP/1.1\r\nHost: x\r\n\r\n")
		}},
		{name: "a header of a megabyte", want: []string{"431"}, send: head("Host: x\r\nX: " + strings.Repeat("a", 1<<20) + "\r\n")},
		{name: "10,000 headers", want: []string{"431"}, send: head("Host: x\r\n" + strings.Repeat("A: b\r\n", 10_000))},
		{name: "a header folded for ever", want: []string{"400", "431"}, send: head("Host: x\r\nA: b\r\n" + strings.Repeat(" c\r\n", 50_000))},
		{name: "no host", want: []string{"400"}, send: head("")},
		{name: "two hosts", want: []string{"400"}, send: head("Host: x\r\nHost: y\r\n")},
		{name: "a nameless header", want: []string{"400"}, send: head("Host: x\r\n: y\r\n")},
		{name: "a space before a colon", want: []string{"400"}, send: head("Host: x\r\nContent-Length : 5\r\n")},
		{name: "garbage", want: []string{"400"}, send: func(w io.Writer, _ hostileRoute) {
			io.WriteString(w, strings.Repeat("\x16\x03\x01\xff", 5000)+"\r\n\r\n")
		}},
		{name: "a method of a thousand letters", want: []string{"405", "404"}, send: func(w io.Writer, r hostileRoute) {
			fmt.Fprintf(w, "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", strings.Repeat("A", 1000), r.path)
		}},
	}
}

// exchange sends a hostile request and gives all that comes back until the server ends the
// connection, and how much it took.
func exchange(t *testing.T, address string, a hostileRequest, r hostileRoute) (answer string, taken int) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return "", 0
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(15 * time.Second))
	counted := &meteredWriter{to: c}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		a.send(counted, r)
		if a.half {
			c.(*net.TCPConn).CloseWrite()
		}
	}()
	got, err := io.ReadAll(c)
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		t.Errorf("%s, %s %s: the connection goes on", a.name, r.method, r.path)
	}
	c.Close()
	<-sent
	return string(got), counted.bytes
}

type meteredWriter struct {
	to    io.Writer
	bytes int
}

func (m *meteredWriter) Write(p []byte) (int, error) {
	n, err := m.to.Write(p)
	m.bytes += n
	return n, err
}

// judge checks what came back.
func judge(t *testing.T, a hostileRequest, r hostileRoute, answer string) {
	what := fmt.Sprintf("%s, %s %s", a.name, r.method, r.path)
	head, body, whole := strings.Cut(answer, "\r\n\r\n")
	if !whole || len(head) < 12 {
		t.Errorf("%s: no answer but %.100q", what, answer)
		return
	}
	status := head[9:12]
	fine := status[0] == '4'
	if a.want != nil {
		fine = slices.Contains(a.want, status) || a.want[0] == "405" && status == "404"
	} else if a.harmless && (r.method == "GET" || r.method == "DELETE" || r.takesAny()) {
		fine = fine || status[0] == '2' || status == "503"
	}
	if !fine {
		t.Errorf("%s: %.200s", what, answer)
	}
	// What net/http refuses itself is a line of text.
	own := strings.Contains(head, "X-Content-Type-Options: nosniff")
	if r.api && own && !strings.HasSuffix(r.path, "/openapi.json") {
		var envelope struct{ Data, Error, TS any }
		if err := json.NewDecoder(strings.NewReader(body)).Decode(&envelope); err != nil || envelope.TS == nil || status[0] == '4' && envelope.Error == nil {
			t.Errorf("%s: not in the API's form: %.200s", what, answer)
		}
	}
	if !own && !slices.Contains([]string{"400", "417", "431"}, status) {
		t.Errorf("%s: %s is not ours", what, status)
	}
}

// Whatever is sent to whatever route, the answer is one of 4xx in the form of the rest,
// the connection ends, little is taken, and nothing of it is kept in memory.
func TestHostileRequestsToEveryRoute(t *testing.T) {
	s, subs := withForms(t, nil)
	token := subscribed(t, subs, "torres-del-paine")
	address := strings.TrimPrefix(s.url, "http://")
	routes := everyRoute(t, token)
	s.get("/")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var most, count int
	var mu sync.Mutex
	var tasks sync.WaitGroup
	places := make(chan struct{}, 48)
	for _, a := range hostileRequests() {
		for _, r := range routes {
			places <- struct{}{}
			tasks.Go(func() {
				answer, taken := exchange(t, address, a, r)
				judge(t, a, r, answer)
				mu.Lock()
				most, count = max(most, taken), count+1
				mu.Unlock()
				<-places
			})
		}
	}
	tasks.Wait()
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("%d requests; of one at most %d KB were taken; the heap grew by %d KB and was never above %d MB", count, most>>10,
		(int64(after.HeapAlloc)-int64(before.HeapAlloc))>>10, after.HeapSys>>20)
	if most > 16<<20 {
		t.Errorf("%d bytes of a request were taken", most)
	}
	if after.HeapAlloc > before.HeapAlloc+16<<20 {
		t.Errorf("the heap had %d bytes before and %d after", before.HeapAlloc, after.HeapAlloc)
	}
	if said := s.logged(); strings.Contains(said, "panic") || strings.Contains(said, "request failed") || strings.Contains(said, "127.0.0.1") {
		t.Errorf("logged: %.2000s", said)
	}
	if len(subs.Asked) > 0 {
		t.Errorf("%d requests for a subscription came of it", len(subs.Asked))
	}
}

// Whoever sends too much gets that answer, and is not cut off with the answer on its way.
func TestARefusalArrivesWhole(t *testing.T) {
	s := newStand(t, newSnapshot(), nil)
	for _, size := range []int{9_000, 100_000, 200_000, 1_000_000} {
		for range 10 {
			c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			_, sent := io.WriteString(c, fmt.Sprintf("POST /api/v1/suscriptores HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", size)+strings.Repeat("x", size))
			text, err := io.ReadAll(c)
			c.Close()
			if err := errors.Join(sent, err); err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 413 ") {
				t.Fatalf("%d bytes: %v, %.40q", size, err, text)
			}
		}
	}
}
