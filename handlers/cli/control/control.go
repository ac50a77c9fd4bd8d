// Package control lets commands send requests to the running service, which alone can
// open the data: over a socket in the folder of the data, which only the service's own
// user and root can use.
//
// A command calls [Ask] with the name of a request, parameters and perhaps a document →
// HTTP over the socket → the [Server] of the service calls the [Handler] of the request →
// its answer comes back as lines of text, its failure as an error. No key or token passes
// over the socket, and no address but one that the operator gives: copies of the data stay
// in the folder, and the answer names them.
package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	socketName  = "control.sock"
	longestPath = 107 // of a socket, as the smallest of the systems has it less its end
	maxAnswer   = 1 << 20
	maxHead     = 64 << 10
	headTime    = 10 * time.Second
	endTime     = 5 * time.Second // left to requests under way when the service ends
)

// MaxDocument is the longest document that a request can have, in bytes. The longest
// that is used is one of observations.
const MaxDocument = 33 << 20

// ErrNotRunning is returned when no running service has the data of the folder.
var ErrNotRunning = errors.New("no running service answers")

// Handler carries out a request. Its answer and the text of its error are lines of text
// for the operator.
type Handler func(ctx context.Context, params url.Values, document io.Reader) (answer string, err error)

// Server answers on the socket of a folder.
type Server struct {
	handlers map[string]Handler
	log      *slog.Logger
	listener net.Listener
}

// Listen makes the socket, of mode 0600. The caller must have locked the data: a socket
// that is there already was left by a process that has ended, and is replaced. It is an
// error that something else has its name.
func Listen(folder string, handlers map[string]Handler, log *slog.Logger) (*Server, error) {
	path := filepath.Join(folder, socketName)
	listener, err := listen(path)
	if err != nil {
		return nil, fmt.Errorf("make the control socket %s: %w", path, err)
	}
	return &Server{handlers: handlers, log: log, listener: listener}, nil
}

// config has Linux make the file of the socket with mode 0600, so that it is never open to
// other users of the machine.
var config = net.ListenConfig{Control: func(_, _ string, socket syscall.RawConn) error {
	return socket.Control(func(fd uintptr) { _ = syscall.Fchmod(int(fd), 0o600) })
}}

func listen(path string) (net.Listener, error) {
	if there, err := os.Lstat(path); err == nil {
		if there.Mode()&os.ModeSocket == 0 {
			return nil, errors.New("something else has this name")
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	if len(path) > longestPath {
		return nil, fmt.Errorf("the path has %d bytes and a socket's may have %d: choose a shorter --data", len(path), longestPath)
	}
	listener, err := config.Listen(context.Background(), "unix", path) // whose Close removes the file
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil { // for other systems than Linux
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// Run answers until ctx ends. Then the requests under way are cancelled and have endTime
// to stop. A socket that breaks is logged: the service goes on without. Run returns nil.
func (s *Server) Run(ctx context.Context) error {
	server := &http.Server{
		// A time limit for the document would end long requests too.
		Handler: s, ReadHeaderTimeout: headTime, MaxHeaderBytes: maxHead,
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(s.listener) }()
	select {
	case err := <-ended:
		s.log.Error("the control socket broke: commands that ask the running service do not work until a restart", "error", err)
		<-ctx.Done()
	case <-ctx.Done():
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	if err := errors.Join(server.Shutdown(bounded), server.Close()); err != nil {
		s.log.Warn("a request was cut off at the end", "error", err)
	}
	return nil
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handle, known := s.handlers[r.URL.Path]
	if !known || r.Method != http.MethodPost {
		http.Error(w, "the running service is of another version and does not know this; restart it", http.StatusNotFound)
		return
	}
	answer, err := handle(r.Context(), r.URL.Query(), http.MaxBytesReader(w, r.Body, MaxDocument))
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if err != nil {
		w.WriteHeader(http.StatusUnprocessableEntity)
		answer = err.Error()
	}
	_, _ = io.WriteString(w, answer)
}

// Ask sends a request to the service that runs on the data of a folder, and returns its
// answer. The error is ErrNotRunning when none runs; a failure of the service comes as an
// error with its words.
func Ask(ctx context.Context, folder, request string, params url.Values, document io.Reader) (string, error) {
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dial(ctx, filepath.Join(folder, socketName))
	}}
	target := url.URL{Scheme: "http", Host: "vigia", Path: request, RawQuery: params.Encode()}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), document)
	if err != nil {
		return "", fmt.Errorf("make the request %s: %w", request, err)
	}
	response, err := transport.RoundTrip(post)
	if err != nil {
		return "", unanswered(folder, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return "", unanswered(folder, err)
	}
	if response.StatusCode != http.StatusOK {
		return "", errors.New(string(answer))
	}
	return string(answer), nil
}

func dial(ctx context.Context, name string) (net.Conn, error) {
	if len(name) > longestPath {
		return nil, ErrNotRunning // no service could listen there
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", name)
	// The socket is not there, is no socket, or was left by a process that has ended.
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOTDIR) {
		return nil, ErrNotRunning
	}
	return conn, err
}

// unanswered returns why the service did not answer.
func unanswered(folder string, err error) error {
	switch {
	case errors.Is(err, ErrNotRunning), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("the control socket in %s is not for this user: run it as the user of the service, or as root: %w", folder, err)
	}
	return fmt.Errorf("the service that runs on %s did not answer: %w", folder, err)
}
