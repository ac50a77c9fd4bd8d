package https

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"golang.org/x/crypto/acme/autocert"
)

const (
	// lookEvery is how often it is looked whether something must be done.
	lookEvery = time.Minute
	// firstRetry is when what failed is tried again; each further time it takes
	// three times as long, up to lastRetry. An authority allows a few refusals an
	// hour, and each try may bring two.
	firstRetry, lastRetry = 5 * time.Minute, time.Hour
	// soon is how near its end a certificate must be for failures to matter.
	soon = 20 * 24 * time.Hour
	// warnEvery is how often it is said that renewals fail.
	warnEvery = 24 * time.Hour
)

// Run gets the first certificates, has them renewed and says when that fails, until
// ctx ends. Then no more requests are made. It is called once.
func (c *Certificates) Run(ctx context.Context) error {
	defer c.end()
	ticker := c.o.Clock.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		for _, d := range c.domains {
			c.look(ctx, d)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.Chan():
		}
	}
}

// look does what is due for a domain.
func (c *Certificates) look(ctx context.Context, d *domain) {
	now := c.o.Clock.Now()
	c.saveAgain(d)
	c.warn(d, now)
	if ctx.Err() != nil || now.Before(d.nextTry) && d.nextTry.Sub(now) <= lastRetry { // a clock that went back does not make it longer
		return
	}
	err := c.ask(ctx, d)
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		d.tries, d.nextTry = 0, time.Time{}
		return
	}
	wait := firstRetry
	for range d.tries {
		wait = min(3*wait, lastRetry)
	}
	d.tries, d.nextTry = d.tries+1, c.o.Clock.Now().Add(wait)
	c.o.Log.Warn("no certificate from the authority", "domain", d.name, "error", err, "says", d.lastFailure(), "tries", d.tries,
		"next_try", d.nextTry.UTC())
	c.employ(d)
}

// ours is the handshake of a client of this century, which gets a certificate of
// the kind that everybody can use.
func ours(name string) *tls.ClientHelloInfo {
	return &tls.ClientHelloInfo{ServerName: name, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
}

// ask has autocert see to a domain. With a valid certificate in the folder that
// asks nobody, and begins the waiting for its renewal; without one it asks the
// authority.
func (c *Certificates) ask(ctx context.Context, d *domain) error {
	result := make(chan error, 1)
	manager := d.agent.Load().manager
	go func() {
		_, err := manager.GetCertificate(ours(d.name))
		result <- err
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		c.end() // what it is waiting for fails, and it ends by itself
		return ctx.Err()
	}
}

// take holds a certificate that came, and writes it. A full disk must not keep it
// from being used, nor have it thrown away: the authority gives few of them a week.
func (c *Certificates) take(d *domain, data []byte) error {
	held, err := parse(d.name, data)
	if err != nil {
		return fmt.Errorf("the certificate that came for %s: %w", d.name, err)
	}
	d.held.Store(held)
	err = c.folder.write(d.name, data)
	d.mu.Lock()
	d.failure, d.unsaved, d.warnAt = "", nil, time.Time{}
	if err != nil {
		d.unsaved = data
	}
	d.mu.Unlock()
	c.o.Log.Info("a new certificate is served", "domain", d.name, "until", held.Leaf.NotAfter.UTC(), "issuer", held.Leaf.Issuer.String())
	if err != nil {
		c.o.Log.Error("the new certificate cannot be kept; writing it is tried each minute", "domain", d.name, "error", err)
	}
	return nil
}

// saveAgain writes what could not be written.
func (c *Certificates) saveAgain(d *domain) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.unsaved == nil || c.folder.write(d.name, d.unsaved) != nil {
		return
	}
	d.unsaved = nil
	c.o.Log.Info("the certificate is kept now", "domain", d.name)
}

// fail notes what went wrong.
func (d *domain) fail(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failure = what
}

func (d *domain) lastFailure() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failure
}

// failing tells whether the certificate held ends soon and its renewal fails, or
// should have come long ago.
func (d *domain) failing(now time.Time) bool {
	held := d.held.Load()
	if held == nil {
		return false
	}
	left := held.Leaf.NotAfter.Sub(now)
	due := held.Leaf.NotAfter.Sub(held.Leaf.NotBefore) / 3
	return left < soon && (left < due && d.lastFailure() != "" || left < due*2/3)
}

// warn says once a day that a certificate ends and no other one comes.
func (c *Certificates) warn(d *domain, now time.Time) {
	if !d.failing(now) || !d.mayWarn(now) {
		return
	}
	held := d.held.Load()
	c.o.Log.Warn("the certificate is not renewed and goes on being served", "domain", d.name,
		"days_left", days(held.Leaf.NotAfter.Sub(now)), "until", held.Leaf.NotAfter.UTC(),
		"says", cmp.Or(d.lastFailure(), "nothing came from the authority"))
}

// mayWarn tells whether a day has passed since it was said last, and notes that it
// is said now.
func (d *domain) mayWarn(now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now.Before(d.warnAt) {
		return false
	}
	d.warnAt = now.Add(warnEvery)
	return true
}

// days gives whole days, rounded down: -1 from the first second after the end.
func days(left time.Duration) int {
	const day = 24 * time.Hour
	n := int(left / day)
	if left%day < 0 {
		n--
	}
	return n
}

// checkAccountKey puts a key of the account aside that cannot be read: another
// account is made.
func (c *Certificates) checkAccountKey() {
	data, err := c.folder.read(accountKey)
	if errors.Is(err, autocert.ErrCacheMiss) {
		return
	}
	if err == nil {
		block, _ := pem.Decode(data)
		if block == nil {
			err = errors.New("it is no PEM")
		} else {
			_, err = x509.ParseECPrivateKey(block.Bytes)
		}
	}
	if err != nil {
		c.o.Log.Warn("the key of the account at the authority cannot be used; it is put aside and another one is made",
			"error", errors.Join(err, c.folder.putAside(accountKey)))
	}
}
