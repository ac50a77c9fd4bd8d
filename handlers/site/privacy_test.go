package site

import (
	"strings"
	"testing"
	"time"

	"vigia/store/subscription"
	"vigia/web"
)

// What the law asks for stands on the page: who answers, where, the measures, what
// goes abroad and what is done after a breach. What is not set is not claimed.
func TestPrivacyPageNamesTheOperator(t *testing.T) {
	o := newSite(t).Options
	o.OperatorName, o.OperatorAddress = "Fundación <Cerro> SpA", "Calle Uno 23, Punta Arenas"
	named, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	e := short(newSnapshot(t))
	for root, says := range map[string][]string{
		"":    {"Domicilio", "Medidas de seguridad", "nivel adecuado", "sin demora"},
		"/en": {"Address", "Security measures", "adequate level", "without delay"},
	} {
		page := readable(content(t, named.Pages(e, now).Page(root+"/privacidad").Body()))
		unset := readable(pageOf(t, e, now, root+"/privacidad"))
		for _, say := range append(says, o.OperatorName, o.OperatorAddress, o.Contact) {
			if !strings.Contains(page, say) {
				t.Errorf("%s: does not say %q", root, say)
			}
		}
		if strings.Contains(unset, says[0]) || !strings.Contains(unset, o.Contact) || !strings.Contains(unset, says[2]) {
			t.Errorf("%s: an address is claimed that is not known, or what is known is missing", root)
		}
	}
}

func TestPrivacyPageIsTrue(t *testing.T) {
	page := readable(pageOf(t, short(newSnapshot(t)), now, "/privacidad"))
	for _, must := range []string{"hola@vigia.example", "Ley 21.719", "48 horas", "24 horas", "30 días", "/api/v1/suscriptores/", "No fui yo", web.PolicyVersion,
		"servidor de correo", "cookies", "Agencia de Protección de Datos Personales"} {
		if !strings.Contains(page, must) {
			t.Errorf("does not say %q", must)
		}
	}
	if until := subscription.ConfirmationLife; until != 48*time.Hour {
		t.Errorf("the texts say 48 hours, a request lives %v", until)
	}
}
