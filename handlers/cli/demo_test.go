package cli

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"vigia/handlers/cli/clitest"
)

// The demo takes any address, as README says, those for examples too: its mails are
// caught. The real service refuses them, for no mail can go there.
func TestTheDemoTakesAnyAddress(t *testing.T) {
	const asking = `{"canal":"email","email":%q,"parques":[%q],"consentimiento":true}`
	filled := func(address, park string) string {
		return url.Values{"email": {address}, "parques": {park}, "idioma": {"es"}, "consentimiento": {"si"}}.Encode()
	}
	demo := clitest.Start(t, "demo", "--rate-limit", "0")
	for address, ask := range map[string][3]string{
		"test@example.com":  {"/api/v1/suscriptores", "application/json", fmt.Sprintf(asking, "test@example.com", "lauca")},
		"ana@algo.test":     {"/api/v1/suscriptores", "application/json", fmt.Sprintf(asking, "ana@algo.test", "lauca")},
		"form@example.org":  {"/suscribirse", "application/x-www-form-urlencoded", filled("form@example.org", "lauca")},
		"ana@correo.cl":     {"/suscribirse", "application/x-www-form-urlencoded", filled("ana@correo.cl", "lauca")},
		"user@mail.example": {"/en/suscribirse", "application/x-www-form-urlencoded", filled("user@mail.example", "lauca")},
	} {
		if status, said := clitest.Send(t, "POST", demo.URL+ask[0], ask[1], ask[2]); status != 202 {
			t.Errorf("%s: %d %.500s", address, status, said)
			continue
		}
		clitest.Poll(t, "the mail to "+address, func() bool { return strings.Contains(clitest.Text(t, demo.URL+"/demo/correo"), address) })
	}
	if status, _ := clitest.Send(t, "POST", demo.URL+"/api/v1/suscriptores", "application/json", fmt.Sprintf(asking, "no address", "lauca")); status != 422 {
		t.Errorf("what is no address: %d", status)
	}
	_, weatherURL := clitest.Weather(t)
	real := clitest.Start(t, "serve", "--contact", "a@example.cl", "--provider-url", weatherURL, "--data", t.TempDir(), "--catalogue", clitest.FewParks(t), "--rate-limit", "0")
	if status, said := clitest.Send(t, "POST", real.URL+"/api/v1/suscriptores", "application/json", fmt.Sprintf(asking, "test@example.com", "los-andes")); status != 422 || !strings.Contains(said, "reservado") {
		t.Errorf("the real service: %d %s", status, said)
	}
}
