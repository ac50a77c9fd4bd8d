package simulate

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"time"
)

// PushFaultKind is something that goes wrong with a push service.
type PushFaultKind uint8

// The kinds of faults.
const (
	PushStatus   PushFaultKind = iota // answers PushFault.Status, with its headers
	PushHang                          // does not answer until the sender gives up
	PushReset                         // resets the connection
	PushSlow                          // answers after PushFault.Delay, and then well
	PushHugeBody                      // answers 201 with eight megabytes

	numPushFaults = int(PushHugeBody) + 1
)

const hugeBody = 8 << 20

// PushFault is a deliberate fault. The zero values of its fields mean the widest.
type PushFault struct {
	Kind       PushFaultKind
	Endpoint   string        // only this one; "": all
	Calls      int           // how many; 0: until [Receiver.Recover]
	Accept     bool          // the message is taken before it happens
	Status     int           // of PushStatus
	RetryAfter string        // of PushStatus: the header, "" for none
	Location   string        // of PushStatus: the header, "" for none
	Delay      time.Duration // of PushSlow, on the machine's clock
}

// Fail makes requests go wrong. Of several faults that match, the first happens.
func (r *Receiver) Fail(f PushFault) {
	if int(f.Kind) >= numPushFaults || f.Kind == PushStatus && (f.Status < 200 || f.Status > 999) {
		panic(fmt.Sprintf("simulate: no such fault: kind %d, status %d", f.Kind, f.Status))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, f)
}

// Recover takes all faults away.
func (r *Receiver) Recover() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = nil
}

// take gives the fault that befalls a request, nil for none, and counts it down.
func (r *Receiver) take(endpoint string) *PushFault {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.faults {
		f := &r.faults[i]
		if f.Endpoint != "" && f.Endpoint != endpoint || f.Calls < 0 {
			continue
		}
		hit := *f
		if f.Calls--; f.Calls == 0 {
			f.Calls = -1 // used up
		} else if f.Calls < 0 {
			f.Calls = 0 // without end
		}
		return &hit
	}
	return nil
}

// befall has a fault happen, and tells whether the request is answered by it.
func (r *Receiver) befall(f *PushFault, w http.ResponseWriter, req *http.Request) (answered bool) {
	switch f.Kind {
	case PushHang:
		select {
		case <-req.Context().Done():
		case <-r.closed:
		}
		panic(http.ErrAbortHandler) // drops the connection without an answer
	case PushReset:
		reset(w)
	case PushSlow:
		select {
		case <-time.After(f.Delay):
		case <-req.Context().Done():
		case <-r.closed:
		}
		return false
	case PushHugeBody:
		w.WriteHeader(http.StatusCreated)
		w.Write(bytes.Repeat([]byte("x"), hugeBody)) // the sender need not stay for all of it
	default:
		for name, value := range map[string]string{"Retry-After": f.RetryAfter, "Location": f.Location} {
			if value != "" {
				w.Header().Set(name, value)
			}
		}
		w.WriteHeader(f.Status)
	}
	return true
}

// reset ends a connection as a host does that knows nothing of it.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}
