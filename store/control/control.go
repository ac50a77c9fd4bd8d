// Package control lets commands ask a running service to do something with the data
// that it alone may open: over a socket in the folder of the data, which only the
// service's own user and root can use.
//
// A command calls [Ask] with the name of an errand, what it is about and perhaps a
// document → HTTP over the socket → the [Server] of the service finds the errand and
// does it → what it has to say comes back as lines of text, or its failure as an
// error. No address, key or token passes over the socket: copies of the data stay in
// the folder, and what comes back names them.
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
	"strconv"
	"time"
)

const (
	socketName  = "control.sock"
	longestPath = 107      // of a socket, as the smallest of the systems has it less its end
	maxBody     = 33 << 20 // a document, the largest being one of observations
	maxAnswer   = 1 << 20
	maxHead     = 64 << 10
	headTime    = 10 * time.Second
	endTime     = 5 * time.Second // left to errands under way when the service ends
)

// ErrNobody: no service that runs has the data of the folder.
var ErrNobody = errors.New("no running service answers")

// Errand is something that a service does when it is asked. What it says is lines of
// text for the one who asked, as is the text of its error.
type Errand func(ctx context.Context, about url.Values, document io.Reader) (said string, err error)

// Server answers on the socket of a folder.
type Server struct {
	errands  map[string]Errand
	log      *slog.Logger
	listener net.Listener
	path     string
	folder   *os.File // open while the socket's short name leads through it; nil otherwise
}

// Listen makes the socket, which whoever has locked the data may do: one that is there
// already was left by a process that is no more. Whatever else has its name stays, and
// is an error.
func Listen(folder string, errands map[string]Errand, log *slog.Logger) (*Server, error) {
	s := &Server{errands: errands, log: log, path: filepath.Join(folder, socketName)}
	if err := s.listen(folder); err != nil {
		return nil, fmt.Errorf("make the control socket %s: %w", s.path, err)
	}
	return s, nil
}

func (s *Server) listen(folder string) error {
	if there, err := os.Lstat(s.path); err == nil {
		if there.Mode()&os.ModeSocket == 0 {
			return errors.New("something else has this name")
		}
		if err := os.Remove(s.path); err != nil {
			return err
		}
	}
	name, through, err := shortName(folder)
	if err != nil {
		return err
	}
	s.folder = through
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		return errors.Join(err, s.letGo())
	}
	listener.SetUnlinkOnClose(false) // the name is taken away by Run
	s.listener = listener
	if err := os.Chmod(s.path, 0o600); err != nil {
		return errors.Join(err, s.close())
	}
	return nil
}

// shortName gives a name of a folder's socket that a system call takes, which for a
// long path leads through the folder's open handle.
func shortName(folder string) (name string, through *os.File, err error) {
	if name = filepath.Join(folder, socketName); len(name) <= longestPath {
		return name, nil, nil
	}
	// #nosec G304 -- the folder of data
	if through, err = os.Open(folder); err != nil {
		return "", nil, err
	}
	name = filepath.Join("/proc/self/fd", strconv.Itoa(int(through.Fd())), socketName)
	if _, err := os.Stat(filepath.Dir(name)); err != nil {
		return "", nil, errors.Join(fmt.Errorf("the path has %d bytes and a socket's may have %d: choose a shorter --data", len(folder)+1+len(socketName), longestPath), through.Close())
	}
	return name, through, nil
}

func (s *Server) letGo() error {
	if s.folder == nil {
		return nil
	}
	return s.folder.Close()
}

// close takes the socket away. It is called while the data are still locked, so that
// the name is no other service's.
func (s *Server) close() error {
	return errors.Join(s.listener.Close(), os.Remove(s.path), s.letGo())
}

// Run answers until ctx ends. Then the errands under way are told to stop, and have
// some seconds for it. A socket that breaks is logged: the service goes on without.
func (s *Server) Run(ctx context.Context) error {
	server := &http.Server{
		// A time limit for the document would end long errands too.
		Handler: s, ReadHeaderTimeout: headTime, MaxHeaderBytes: maxHead,
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(&guarded{Listener: s.listener, log: s.log}) }()
	select {
	case err := <-ended:
		s.log.Error("the control socket broke: commands that ask the running service do not work until a restart", "error", err)
		<-ctx.Done()
	case <-ctx.Done():
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	if err := errors.Join(server.Shutdown(bounded), server.Close()); err != nil {
		s.log.Warn("an errand was cut off at the end", "error", err)
	}
	_ = s.close() // a listener closed twice, or a name that is gone, is no loss
	return nil
}

// guarded lets in only who may: the permissions of the socket say so too, but not
// while it is being made, nor where a file system has none.
type guarded struct {
	net.Listener
	log *slog.Logger
}

// Accept waits for the next one who may come in.
func (g *guarded) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		uid, err := peer(conn)
		if err == nil && (uid == 0 || uid == os.Geteuid()) {
			return conn, nil
		}
		g.log.Warn("another user of this machine was turned away from the control socket", "uid", uid, "error", err)
		_ = conn.Close()
	}
}

// ServeHTTP does an errand.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	errand, known := s.errands[r.URL.Path]
	if !known || r.Method != http.MethodPost {
		http.Error(w, "the running service is of another version and does not know this; restart it", http.StatusNotFound)
		return
	}
	said, err := errand(r.Context(), r.URL.Query(), http.MaxBytesReader(w, r.Body, maxBody))
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if err != nil {
		w.WriteHeader(http.StatusUnprocessableEntity)
		said = err.Error()
	}
	_, _ = io.WriteString(w, said)
}

// Ask has the service that runs on the data of a folder do an errand, and gives what
// it says. ErrNobody when none runs; its own failures come as errors with its words.
func Ask(ctx context.Context, folder, errand string, about url.Values, document io.Reader) (string, error) {
	name, through, err := shortName(folder)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return "", ErrNobody
		}
		return "", err
	}
	if through != nil {
		defer through.Close()
	}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dial(ctx, name)
	}}
	target := url.URL{Scheme: "http", Host: "vigia", Path: errand, RawQuery: about.Encode()}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), document)
	if err != nil {
		return "", err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return "", unanswered(folder, err)
	}
	defer response.Body.Close()
	said, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return "", unanswered(folder, err)
	}
	if response.StatusCode != http.StatusOK {
		return "", errors.New(string(said))
	}
	return string(said), nil
}

func dial(ctx context.Context, name string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", name)
	if nobodyListens(err) {
		return nil, ErrNobody
	}
	return conn, err
}

// unanswered says why the service did not answer.
func unanswered(folder string, err error) error {
	switch {
	case errors.Is(err, ErrNobody), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("the control socket in %s is not for this user: run it as the user of the service, or as root: %w", folder, err)
	}
	return fmt.Errorf("the service that runs on %s did not answer: %w", folder, err)
}
