package clitest

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"vigia/notify/push/pushtest"
)

// Park is a park of the API's list.
type Park struct {
	Slug    string
	Estado  *string
	Motivo  *string `json:"motivo_sin_estado"`
	Calidad string
	Trails  struct{ Total, SinDatos int } `json:"senderos_por_estado"`
}

// TokenIn finds the token in the answer to a subscription.
var TokenIn = regexp.MustCompile(`"token":"([^"]+)"`)

// PushWish is a request by Web Push, with what the browser proves itself by if it has
// that. wish is the members with what is wanted.
func PushWish(endpoint, key, auth, proof, wish string) string {
	if proof != "" {
		proof = fmt.Sprintf(`,"prueba":%q`, proof)
	}
	return fmt.Sprintf(`{"canal":"webpush","webpush":{"endpoint":%q,"keys":{"p256dh":%q,"auth":%q}%s},%s,"consentimiento":true}`, endpoint, key, auth, proof, wish)
}

// Join subscribes a new browser over the API and returns the path of its subscription: it
// asks, gets a proof pushed and sends that back.
func Join(t testing.TB, url string, browsers *pushtest.Service, wish string) (path string) {
	t.Helper()
	endpoint, key, auth := browsers.NewBrowser()
	proofs := make(chan string, 8)
	browsers.OnPush(endpoint, func(n pushtest.Push) {
		if proof := n.Proof(); proof != "" {
			proofs <- proof
		}
	})
	const signups = "/api/v1/suscriptores"
	if status, body := Send(t, "POST", url+signups, "application/json", PushWish(endpoint, key, auth, "", wish)); status != 202 {
		t.Fatalf("asking by Web Push: %d %s", status, body)
	}
	select {
	case proof := <-proofs:
		status, body := Send(t, "POST", url+signups, "application/json", PushWish(endpoint, key, auth, proof, wish))
		found := TokenIn.FindStringSubmatch(body)
		if status != 201 || found == nil {
			t.Fatalf("proving: %d %s", status, body)
		}
		return signups + "/" + found[1]
	case <-time.After(patience):
		t.Fatal("no proof was pushed")
	}
	return ""
}
