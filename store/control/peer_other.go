//go:build !linux

package control

import (
	"net"
	"os"
)

// peer trusts the permissions of the socket where the system does not say who asks.
func peer(net.Conn) (uid int, err error) { return os.Geteuid(), nil }
