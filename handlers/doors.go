package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"syscall"
)

// Doors are the listeners of the service.
type Doors struct {
	Public   net.Listener
	Redirect net.Listener // sends people to Public; nil is none
	Metrics  net.Listener // nil is none
}

// OpenDoors listens on the addresses given; "" opens none. What keeps a port from
// being listened on is said with what to do about it.
func OpenDoors(public, redirect, metrics string, log *slog.Logger) (*Doors, error) {
	d := &Doors{}
	for _, o := range []struct {
		at, setting string
		door        *net.Listener
	}{{public, "--listen", &d.Public}, {redirect, "--listen", &d.Redirect}, {metrics, "--metrics-listen", &d.Metrics}} {
		if o.at == "" {
			continue
		}
		l, err := net.Listen("tcp", o.at)
		if err != nil {
			d.Close()
			return nil, cannotListen(o.at, o.setting, err)
		}
		*o.door = l
	}
	if d.Metrics != nil && !onlyHere(d.Metrics.Addr()) {
		log.Warn("the metrics can be read by whoever reaches their address; 127.0.0.1 is safer", "address", d.Metrics.Addr().String())
	}
	return d, nil
}

// onlyHere tells whether an address can be reached from this machine alone.
func onlyHere(at net.Addr) bool {
	tcp, ok := at.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// cannotListen says what to do when an address cannot be listened on.
func cannotListen(at, setting string, err error) error {
	advice := "choose an address of this machine with " + setting
	switch {
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		program, programErr := os.Executable()
		if programErr != nil {
			program = "vigia"
		}
		advice = "ports below 1024 need a privilege: run \"sudo setcap cap_net_bind_service=+ep " + program +
			"\", or in a systemd unit set AmbientCapabilities=CAP_NET_BIND_SERVICE, or choose a higher port with " + setting
	case errors.Is(err, syscall.EADDRINUSE):
		advice = "another program has it: stop that one (\"sudo ss -ltnp\" names it), or choose another address with " + setting
	}
	return fmt.Errorf("listen on %s: %w; %s", at, err, advice)
}

// Close closes every door.
func (d *Doors) Close() {
	for _, l := range []net.Listener{d.Public, d.Redirect, d.Metrics} {
		if l != nil {
			_ = l.Close()
		}
	}
}

// ServeDoors answers the public until ctx ends: by HTTPS where the server has
// certificates. It ends as [Server.Serve] does.
func (s *Server) ServeDoors(ctx context.Context, d *Doors) error {
	if s.Certificates != nil {
		return s.ServeDomain(ctx, d.Public, d.Redirect)
	}
	return s.Serve(ctx, d.Public)
}
