package handlers

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"syscall"
)

// Listeners are the addresses at which the service answers.
type Listeners struct {
	Public   net.Listener
	Redirect net.Listener // plain HTTP beside HTTPS, see redirect.go; nil is none
	Metrics  net.Listener // nil is none
}

// Listen listens on the addresses given; "" is none. An error says what to do
// about it.
func Listen(public, redirect, metrics string, log *slog.Logger) (*Listeners, error) {
	all := &Listeners{}
	for _, o := range []struct {
		address, setting string
		listener         *net.Listener
	}{{public, "--listen", &all.Public}, {redirect, "--listen", &all.Redirect}, {metrics, "--metrics-listen", &all.Metrics}} {
		if o.address == "" {
			continue
		}
		l, err := net.Listen("tcp", o.address)
		if err != nil {
			all.Close()
			return nil, cannotListen(o.address, o.setting, err)
		}
		*o.listener = l
	}
	if all.Metrics != nil && !isLoopback(all.Metrics.Addr()) {
		log.Warn("the metrics can be read by whoever reaches their address; 127.0.0.1 is safer", "address", all.Metrics.Addr().String())
	}
	return all, nil
}

func isLoopback(at net.Addr) bool {
	tcp, ok := at.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// cannotListen adds what to do to the error of an address.
func cannotListen(address, setting string, err error) error {
	advice := "choose an address of this machine with " + setting
	switch {
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		program, programErr := os.Executable()
		if programErr != nil {
			program = "vigia"
		}
		advice = "ports below 1024 need a privilege: in a systemd unit set both AmbientCapabilities=CAP_NET_BIND_SERVICE and CapabilityBoundingSet=CAP_NET_BIND_SERVICE, as the one of \"vigia systemd\" does; " +
			"without a unit run \"sudo setcap cap_net_bind_service=+ep " + program + "\"; or choose a higher port with " + setting
	case errors.Is(err, syscall.EADDRINUSE):
		advice = "another program has it: stop that one (\"sudo ss -ltnp\" names it), or choose another address with " + setting
	}
	return fmt.Errorf("listen on %s: %w; %s", address, err, advice)
}

// Close closes every listener.
func (all *Listeners) Close() {
	for _, l := range []net.Listener{all.Public, all.Redirect, all.Metrics} {
		if l != nil {
			_ = l.Close()
		}
	}
}

// Address returns the public address for a browser on this machine, without a
// trailing slash.
func (all *Listeners) Address() string {
	at := all.Public.Addr()
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", tcp.Port)
	}
	return "http://" + at.String()
}

// RedirectAddr returns the address of Redirect, nil for none.
func (all *Listeners) RedirectAddr() net.Addr {
	if all.Redirect == nil {
		return nil
	}
	return all.Redirect.Addr()
}

// MetricsURL returns the address of a path of the metrics, "" for none.
func (all *Listeners) MetricsURL(path string) string {
	if all.Metrics == nil {
		return ""
	}
	return "http://" + all.Metrics.Addr().String() + path
}
