package control

import (
	"errors"
	"net"
	"syscall"
)

// peer tells which user is at the other end of a socket.
func peer(conn net.Conn) (uid int, err error) {
	unix, is := conn.(*net.UnixConn)
	if !is {
		return -1, errors.New("not a socket of this machine")
	}
	raw, err := unix.SyscallConn()
	if err != nil {
		return -1, err
	}
	uid = -1
	var asked error
	err = raw.Control(func(fd uintptr) {
		credentials, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
		if err != nil {
			asked = err
			return
		}
		uid = int(credentials.Uid)
	})
	return uid, errors.Join(err, asked)
}
