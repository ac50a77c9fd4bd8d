package control

import (
	"errors"
	"os"
	"syscall"
)

// nobodyListens tells the errors of a socket that is not there, is no socket, or was
// left by a process that is no more.
func nobodyListens(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOTDIR)
}
