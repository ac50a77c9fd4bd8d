package api

import "time"

// certificateState is how it stands with the certificate of the service's own
// HTTPS.
type certificateState struct {
	state   string
	expires time.Time // zero when there is none
}

func (h *healthFacts) certificateState(now time.Time) certificateState {
	if h.certificate == nil {
		return certificateState{state: unset}
	}
	expires, failing := h.certificate()
	c := certificateState{state: "ok", expires: expires}
	switch {
	case expires.IsZero():
		c.state = "sin_certificado"
	case now.After(expires):
		c.state = "vencido"
	case failing:
		c.state = "sin_renovar"
	}
	return c
}

// troubled tells that people cannot come by HTTPS, or soon will not.
func (c certificateState) troubled() bool { return c.state != "ok" && c.state != unset }

func (c certificateState) write(w *writer, now time.Time) {
	w.key("certificado")
	w.open('{')
	w.textAt("estado", c.state)
	w.instantAt("vence_en", c.expires)
	if c.expires.IsZero() {
		w.nullAt("dias")
	} else {
		w.integerAt("dias", max(0, int(c.expires.Sub(now)/(24*time.Hour))))
	}
	w.close('}')
}
