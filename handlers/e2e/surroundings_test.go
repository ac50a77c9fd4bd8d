//go:build trials

package e2e

import (
	"fmt"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"vigia/handlers/cli/clitest"
	"vigia/notify/push/pushtest"
)

// command runs a command on data and returns its status and what it printed.
func command(t *testing.T, data string, args ...string) (int, string) {
	t.Helper()
	path, err := shipped()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path, append(args, "--data", data)...)
	c.Env = clitest.Environ()
	said, err := c.CombinedOutput() // in the order in which it was printed
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(said)
}

// joinByPush subscribes a browser over the API and gives its token.
func joinByPush(t *testing.T, url string, browsers *pushtest.Service) string {
	t.Helper()
	token := join(t, url, browsers, `"parques":["los-andes"]`)
	return "/api/v1/suscriptores/" + token
}

var tokenIn = regexp.MustCompile(`"token":"([^"]+)"`)

// pushWish is a request by Web Push, with what the browser proves itself by if it has
// that.
func pushWish(endpoint, key, auth, proof, wish string) string {
	if proof != "" {
		proof = fmt.Sprintf(`,"prueba":%q`, proof)
	}
	return fmt.Sprintf(`{"canal":"webpush","webpush":{"endpoint":%q,"keys":{"p256dh":%q,"auth":%q}%s},%s,"consentimiento":true}`, endpoint, key, auth, proof, wish)
}

// join subscribes a new browser and gives its token: it asks, gets a proof pushed and
// sends that back.
func join(t *testing.T, url string, browsers *pushtest.Service, wish string) (token string) {
	t.Helper()
	endpoint, key, auth := browsers.NewBrowser()
	proofs := make(chan string, 8)
	browsers.OnPush(endpoint, func(n pushtest.Push) {
		if proof := n.Proof(); proof != "" {
			proofs <- proof
		}
	})
	if status, body := clitest.Send(t, "POST", url+"/api/v1/suscriptores", "application/json", pushWish(endpoint, key, auth, "", wish)); status != 202 {
		t.Fatalf("asking by Web Push: %d %s", status, body)
	}
	select {
	case proof := <-proofs:
		status, body := clitest.Send(t, "POST", url+"/api/v1/suscriptores", "application/json", pushWish(endpoint, key, auth, proof, wish))
		found := tokenIn.FindStringSubmatch(body)
		if status != 201 || found == nil {
			t.Fatalf("proving: %d %s", status, body)
		}
		return found[1]
	case <-time.After(30 * time.Second):
		t.Fatal("no proof was pushed")
	}
	return ""
}

// parkAnswer is a park of the API's list.
type parkAnswer struct {
	Slug    string
	Estado  *string
	Motivo  *string `json:"motivo_sin_estado"`
	Calidad string
	Trails  struct{ Total, SinDatos int } `json:"senderos_por_estado"`
}
