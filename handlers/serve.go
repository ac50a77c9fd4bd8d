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

// endpoint is a listener with what answers there.
type endpoint struct {
	net.Listener
	tls     *tls.Config // nil where clients come without TLS
	handler http.Handler
	conns   *connLimiter // may be shared with other endpoints
}

// Serve answers until ctx ends or a listener fails: the public, by HTTPS where the
// server has certificates, and who reads the metrics. Then it lets requests under way
// finish for a few seconds, and returns nil unless a listener failed. metrics is
// required where there is a listener of metrics; their connections are counted apart,
// so that the public cannot take them.
func (s *Server) Serve(ctx context.Context, l *Listeners, metrics http.Handler) error {
	public := endpoint{Listener: l.Public, handler: s, conns: s.conns}
	if s.Certificates != nil {
		public.tls = s.Certificates.TLS()
	}
	all := []endpoint{public}
	if l.Redirect != nil {
		all = append(all, endpoint{Listener: l.Redirect, handler: s.redirectHandler(), conns: s.conns})
	}
	if l.Metrics != nil {
		all = append(all, endpoint{Listener: l.Metrics, handler: metrics, conns: newConnLimiter(metricsConnections, nil, s.Clock, s.Log)})
	}
	return s.serveAll(ctx, all...)
}

// serveAll answers at every endpoint until ctx ends or one of them does.
func (s *Server) serveAll(ctx context.Context, all ...endpoint) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var tasks sync.WaitGroup
	tasks.Go(func() { s.rebuildWhenDue(ctx) })
	errs := make([]error, len(all))
	for i, e := range all {
		tasks.Go(func() {
			defer stop()
			errs[i] = e.serve(ctx, s.Log)
		})
	}
	tasks.Wait()
	for _, e := range all {
		e.conns.wait()
	}
	return errors.Join(errs...)
}

// serve answers until ctx ends, and then lets requests under way finish.
func (e endpoint) serve(ctx context.Context, log *slog.Logger) error {
	server := e.server(log)
	ctx, stop := context.WithCancel(ctx)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		<-ctx.Done()
		deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
		defer cancel()
		if err := server.Shutdown(deadline); err != nil { // a slow client is no failure of an orderly end
			log.Warn("clients that had not finished were let go", "after", drainTimeout, "error", err)
			server.Close()
		}
	}()
	var err error
	limited := limitedListener{e.Listener, e.conns}
	if e.tls != nil {
		err = server.ServeTLS(limited, "", "")
	} else {
		err = server.Serve(oneWriteListener{limited})
	}
	stop()
	<-drained
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving on %s: %w", e.Addr(), err)
	}
	return nil
}

// server returns the server of an endpoint: the limits are the same at each.
func (e endpoint) server(log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           e.handler,
		TLSConfig:         e.tls,
		ReadHeaderTimeout: headTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    headLimit,
		ConnContext:       withConn,
		ConnState:         e.conns.stateChanged,
		ErrorLog:          acceptErrors(log),
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: streamsLimit, MaxReceiveBufferPerConnection: frameBuffer, MaxReceiveBufferPerStream: frameBuffer,
			SendPingTimeout: readTimeout, PingTimeout: headTimeout, WriteByteTimeout: readTimeout,
		},
	}
}

// acceptErrors returns a logger for net/http that passes on what concerns its
// listener. The rest is about single clients and has their addresses in it.
func acceptErrors(to *slog.Logger) *log.Logger {
	return log.New(writerFunc(func(line []byte) (int, error) {
		if text := strings.TrimSpace(string(line)); strings.HasPrefix(text, "http: Accept error") {
			to.Warn("connections cannot be accepted", "error", text)
		}
		return len(line), nil
	}), "", 0)
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
