package control

import (
	"errors"
	"net"
	"syscall"
)

// peer returns the user at the other end of a socket.
func peer(conn net.Conn) (uid int, err error) {
	raw, err := conn.(syscall.Conn).SyscallConn() // every connection of a unix listener has it
	if err != nil {
		return -1, err
	}
	var credentials *syscall.Ucred
	var asked error
	err = raw.Control(func(fd uintptr) {
		credentials, asked = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err := errors.Join(err, asked); err != nil {
		return -1, err
	}
	return int(credentials.Uid), nil
}
