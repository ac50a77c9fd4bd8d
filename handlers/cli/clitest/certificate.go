package clitest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

// KeptCertificate puts a certificate into a data folder as an authority's that ends
// in some days, and returns a client that trusts it.
func KeptCertificate(t testing.TB, data, authority, domain string, days int) *http.Client {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	end := clockwork.NewRealClock().Now().Add(time.Duration(days)*24*time.Hour + time.Hour)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: end.AddDate(0, 0, -90), NotAfter: end, DNSNames: []string{domain}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	chain := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	folder := filepath.Join(data, "certs", "certificates", strings.NewReplacer("http://", "", ":", "-", "/", "-").Replace(authority), domain)
	if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, domain+".crt"), chain, 0o600),
		os.WriteFile(filepath.Join(folder, domain+".key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600),
		os.WriteFile(filepath.Join(folder, domain+".json"), []byte(`{"sans":["`+domain+`"]}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(chain)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: domain, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
