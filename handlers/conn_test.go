package handlers

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"
)

// pipeConn is a oneWriteConn on a real connection with what arrives at the other
// end.
func pipeConn(t *testing.T) (*oneWriteConn, net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	far, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	near, err := oneWriteListener{l}.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.Close(); near.Close() })
	return near.(*oneWriteConn), far
}

func TestHeldBackOnlyWhenMoreFollows(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
	for _, c := range []struct {
		name     string
		announce int
		first    string
		held     bool
	}{
		{"head and part", 10, head + "01234", true},
		{"head alone", 10, head, true},
		{"all of it", 10, head + "0123456789", false},
		{"not announced", 0, head + "01234", false},
		{"no head", 10, "01234", false},
	} {
		near, far := pipeConn(t)
		near.expect(c.announce)
		n, err := near.Write([]byte(c.first))
		if n != len(c.first) || err != nil || (near.held != nil) != c.held {
			t.Errorf("%s: %d %v, held %q", c.name, n, err, near.held)
		}
		if n, err = near.Write([]byte("rest")); n != 4 || err != nil || near.held != nil {
			t.Errorf("%s: rest: %d %v", c.name, n, err)
		}
		near.Close()
		if got, _ := io.ReadAll(far); string(got) != c.first+"rest" {
			t.Errorf("%s: %q arrived", c.name, got)
		}
	}
}

// Bodies of every size around the server's buffers arrive whole, many on one
// connection, whether net/http writes them in one piece or several.
func TestEverySizeArrives(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 2048)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := newResponse(w, r)
		n, _ := strconv.Atoi(r.URL.Path[1:])
		v.Header()["Content-Length"] = []string{strconv.Itoa(n)}
		v.Write(content[:n])
		v.release()
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler, ConnContext: withConn}
	ended := make(chan struct{})
	go func() { server.Serve(oneWriteListener{l}); close(ended) }()
	defer func() { server.Shutdown(context.Background()); <-ended }()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for n := range 300 {
		for _, size := range []int{n, 1900 + n, 3800 + n, 7900 + n, len(content) - n} {
			response, err := client.Get("http://" + l.Addr().String() + "/" + strconv.Itoa(size))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || !bytes.Equal(got, content[:size]) {
				t.Fatalf("%d bytes: %d arrived, %v", size, len(got), err)
			}
		}
	}
}
