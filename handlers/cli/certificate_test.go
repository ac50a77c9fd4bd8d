package cli

import (
	"encoding/json"
	"net"
	"strings"
	"testing"

	"vigia/handlers/cli/clitest"
)

// With the authority away the certificate that is kept is served, and health and
// figures tell how long it holds.
func TestServesWithTheCertificateKept(t *testing.T) {
	_, url := clitest.Weather(t)
	data, authority := t.TempDir(), "http://127.0.0.1:9/dir" // nobody is there
	client := clitest.KeptCertificate(t, data, authority, "parques.example.cl", 17)
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at.Close() // free a moment ago
	p := clitest.StartUnder(t, nil, "serve", "--contact", "operador@example.cl", "--provider-url", url, "--data", data, "--catalogue", clitest.FewParks(t),
		"--domain", "parques.example.cl", "--acme-url", authority, "--listen", at.Addr().String(), "--metrics-listen", "127.0.0.1:0")
	if p.URL != "https://parques.example.cl" {
		t.Errorf("served at %s", p.URL)
	}
	var health struct {
		Data struct {
			Certificado struct {
				Estado string
				Dias   *int
			}
		}
	}
	clitest.Poll(t, "health by HTTPS", func() bool {
		response, err := client.Get("https://" + at.Addr().String() + "/api/v1/health")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.ProtoMajor != 2 || response.Header.Get("Strict-Transport-Security") == "" {
			t.Fatalf("%s %v", response.Proto, response.Header)
		}
		return response.StatusCode == 200 && json.NewDecoder(response.Body).Decode(&health) == nil
	})
	if c := health.Data.Certificado; c.Estado != "sin_renovar" || c.Dias == nil || *c.Dias != 17 {
		t.Errorf("%+v", c)
	}
	p.Find(t, `(no certificate from the authority)`)
	if figures := clitest.Text(t, p.Find(t, `Métricas en (http://\S+)`)); !strings.Contains(figures, "\nvigia_certificate_failing{domain=\"parques.example.cl\"} 1\n") ||
		!strings.Contains(figures, "\nvigia_certificate_remaining_seconds{domain=\"parques.example.cl\"} 1.4") {
		t.Errorf("%s", figures)
	}
	if status := p.Stop(t); status != 0 {
		t.Errorf("exit status %d", status)
	}
}
