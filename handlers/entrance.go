package handlers

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// Times after which a slow or silent client is let go. Answers are small, and
// connections in the mountains are slow.
const (
	headTimeout  = 10 * time.Second // with TLS, of the handshake too
	readTimeout  = 20 * time.Second
	writeTimeout = 60 * time.Second
	idleTimeout  = 90 * time.Second
	drainTimeout = 5 * time.Second
	headLimit    = 16 << 10 // bytes
)

// Limits of a connection by HTTP/2: bodies have a few KB, and a page with all that
// it loads is some twenty requests.
const (
	streamsLimit = 64
	frameBuffer  = 64 << 10 // bytes that a client may send before they are asked for
)

// entrance is a way in: a listener with what answers there.
type entrance struct {
	net.Listener
	tls       *tls.Config // nil where clients come without TLS
	handler   http.Handler
	turnstile *turnstile // that of other entrances too, perhaps
}

// Serve answers on a listener until ctx ends, then lets requests under way
// finish for a few seconds. It returns nil after such an end.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return s.serveAt(ctx, entrance{Listener: l, handler: s.Handler(), turnstile: s.turnstile})
}

// serveAt answers at every entrance until ctx ends or one of them does.
func (s *Server) serveAt(ctx context.Context, entrances ...entrance) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var tasks sync.WaitGroup
	tasks.Go(func() { s.turnOver(ctx) })
	ended := make(chan error, len(entrances))
	for _, e := range entrances {
		tasks.Go(func() {
			defer stop()
			ended <- e.serve(ctx, s.Log)
		})
	}
	tasks.Wait()
	s.turnstile.wait()
	var errs []error
	for range entrances {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}

// ServeApart answers with a handler of its own on a listener, with the limits and
// the end of [Server.Serve], and few connections, which the public cannot take.
func ServeApart(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	t := newTurnstile(apartConnections, nil, clockwork.NewRealClock(), log)
	defer t.wait()
	return entrance{Listener: l, handler: h, turnstile: t}.serve(ctx, log)
}

// serve answers until ctx ends, and then lets requests under way finish.
func (e entrance) serve(ctx context.Context, log *slog.Logger) error {
	server := e.server(log)
	ctx, stop := context.WithCancel(ctx)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		<-ctx.Done()
		deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
		defer cancel()
		if err := server.Shutdown(deadline); err != nil { // a slow client must not make a failure of an ordered end
			log.Warn("clients that had not finished were let go", "after", drainTimeout, "error", err)
			server.Close()
		}
	}()
	var err error
	counted := turnstileListener{e.Listener, e.turnstile}
	if e.tls != nil {
		err = server.ServeTLS(counted, "", "")
	} else {
		err = server.Serve(oneWriteListener{counted})
	}
	stop()
	<-drained
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving on %s: %w", e.Addr(), err)
	}
	return nil
}

// server makes the server of an entrance: the limits are the same at each.
func (e entrance) server(log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           e.handler,
		TLSConfig:         e.tls,
		ReadHeaderTimeout: headTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    headLimit,
		ConnContext:       withConn,
		ConnState:         e.turnstile.note,
		ErrorLog:          acceptErrors{log}.logger(),
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: streamsLimit, MaxReceiveBufferPerConnection: frameBuffer, MaxReceiveBufferPerStream: frameBuffer,
			SendPingTimeout: readTimeout, PingTimeout: headTimeout, WriteByteTimeout: readTimeout,
		},
	}
}

// acceptErrors passes on what net/http says of its listener. The rest of what it
// says is about single clients and names their addresses.
type acceptErrors struct{ log *slog.Logger }

func (a acceptErrors) logger() *log.Logger { return log.New(a, "", 0) }

func (a acceptErrors) Write(line []byte) (int, error) {
	if text := strings.TrimSpace(string(line)); strings.HasPrefix(text, "http: Accept error") {
		a.log.Warn("connections cannot be accepted", "error", text)
	}
	return len(line), nil
}
