package simulate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"time"
)

// secure gives the mailbox's port the TLS of its options, with a certificate that
// is thrown away with the mailbox.
func (m *Mailbox) secure(plain net.Listener) (net.Listener, error) {
	if m.options.TLS == "" {
		return plain, nil
	}
	certificate, err := throwAwayCertificate()
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	m.roots = x509.NewCertPool()
	m.roots.AddCert(certificate.Leaf)
	config := &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12}
	switch m.options.TLS {
	case "starttls":
		m.server.TLSConfig = config
		return plain, nil
	case "tls":
		return tls.NewListener(plain, config), nil
	default:
		return nil, fmt.Errorf("unknown kind of TLS %q", m.options.TLS)
	}
}

// throwAwayCertificate vouches for this machine and for itself, at any time of this
// century: clocks are turned in the demo and in tests.
func throwAwayCertificate() (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "localhost"},
		NotBefore:    time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC),
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		IsCA:         true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, nil
}
