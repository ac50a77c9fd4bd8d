package handlers

import (
	"bytes"
	"context"
	"net"
)

// oneWriteListener gives connections that send an answer's head and body with
// one system call. net/http writes twice where an answer is larger than its
// buffer of 4 KB, and the two calls are half of the cost of such an answer.
type oneWriteListener struct{ net.Listener }

func (l oneWriteListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		return &oneWriteConn{TCPConn: tcp}, nil
	}
	return c, nil
}

// oneWriteConn holds the first write of an answer back when the handler has
// said that more is certain to follow, and sends it together with the next. Only
// the connection's own goroutine, which runs the handler, writes to it.
type oneWriteConn struct {
	*net.TCPConn
	expected int // bytes of body that were announced and not yet seen
	held     []byte
}

// expect announces that a head and n bytes of body are written next.
func (c *oneWriteConn) expect(n int) { c.expected = n }

var endOfHead = []byte("\r\n\r\n")

// Write sends p, after what was held back. It holds p back only when it is the
// head with the first part of an announced body: the rest follows, for
// net/http writes a body of stated length to its end or closes the connection.
func (c *oneWriteConn) Write(p []byte) (int, error) {
	if c.held != nil {
		return c.writeBoth(p)
	}
	if n := c.expected; n > 0 {
		c.expected = 0
		head := bytes.Index(p, endOfHead)
		if head >= 0 && len(p)-head-len(endOfHead) < n {
			c.held = append([]byte(nil), p...)
			return len(p), nil
		}
	}
	return c.TCPConn.Write(p)
}

func (c *oneWriteConn) writeBoth(p []byte) (int, error) {
	first := len(c.held)
	parts := net.Buffers{c.held, p}
	c.held = nil
	n, err := parts.WriteTo(c.TCPConn)
	return max(0, int(n)-first), err
}

type connKey struct{}

// withConn puts a connection that writes once within reach of the handlers.
func withConn(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*oneWriteConn); ok {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}
