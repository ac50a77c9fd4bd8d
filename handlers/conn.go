package handlers

import (
	"bytes"
	"context"
	"net"
	"sync"
)

// oneWriteListener accepts connections that send an answer's head and body with
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
// announced that more follows, and sends it together with the next. Only
// the connection's own goroutine, which runs the handler, writes to it.
type oneWriteConn struct {
	*net.TCPConn
	expected int       // bytes of body that were announced and not yet seen
	held     *[]byte   // from heldWrites; nil when nothing is held back
	parts    [2][]byte // of writeBoth
	buffers  net.Buffers
}

// heldWrites has buffers for what is held back: net/http's own size.
var heldWrites = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

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
			c.held = heldWrites.Get().(*[]byte)
			*c.held = append((*c.held)[:0], p...)
			return len(p), nil
		}
	}
	return c.TCPConn.Write(p)
}

func (c *oneWriteConn) writeBoth(p []byte) (int, error) {
	held := c.held
	size := len(*held)
	c.held, c.parts = nil, [2][]byte{*held, p}
	c.buffers = c.parts[:] // WriteTo takes what it has written off it
	n, err := c.buffers.WriteTo(c.TCPConn)
	c.parts = [2][]byte{}
	heldWrites.Put(held)
	return max(0, int(n)-size), err
}

type connKey struct{}

// withConn puts a oneWriteConn into the context of its requests.
func withConn(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*oneWriteConn); ok {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}
