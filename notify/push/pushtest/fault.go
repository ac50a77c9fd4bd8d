package pushtest

import (
	"net"
	"net/http"
)

// Kind is a kind of fault of a push service.
type Kind uint8

// The kinds of faults.
const (
	Status Kind = iota // answers Fault.Status, with its headers
	Hang               // does not answer until the sender gives up
	Reset              // resets the connection
)

// Fault is a deliberate fault. The zero values of its fields mean the widest.
type Fault struct {
	Kind       Kind
	Endpoint   string // only this one; "": all
	Calls      int    // how many; 0: until [Service.Recover]
	Accept     bool   // the message is taken before it happens
	Status     int    // of kind Status
	RetryAfter string // of kind Status: the header, "" for none
	Location   string // of kind Status: the header, "" for none
}

// Fail adds a fault. Of several faults that match a request, the first happens.
func (r *Service) Fail(f Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, f)
}

// Recover removes all faults.
func (r *Service) Recover() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = nil
}

// takeFault returns the fault of a request, nil for none, and counts it down.
func (r *Service) takeFault(endpoint string) *Fault {
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

// fault answers a request by a fault.
func (r *Service) fault(f *Fault, w http.ResponseWriter, req *http.Request) {
	switch f.Kind {
	case Hang:
		select {
		case <-req.Context().Done():
		case <-r.closed:
		}
		panic(http.ErrAbortHandler) // drops the connection without an answer
	case Reset:
		reset(w)
	default:
		for name, value := range map[string]string{"Retry-After": f.RetryAfter, "Location": f.Location} {
			if value != "" {
				w.Header().Set(name, value)
			}
		}
		w.WriteHeader(f.Status)
	}
}

// reset ends a connection as a host does that does not know it.
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
