package cli

import (
	"fmt"

	"vigia/store/catalogue"
)

// PrintStart prints where the service answers and what it does without. metrics is "" for
// none.
func (env *Env) PrintStart(parks *catalogue.Catalogue, address, metrics string) {
	if len(env.Domains) > 0 {
		address = env.BaseURL
	}
	fmt.Fprintf(env.Out, "Vigía %s: %d parques, %d senderos. Abra %s\n", version, len(parks.Parks), len(parks.Trails), address)
	if metrics != "" {
		fmt.Fprintf(env.Out, "Métricas en %s\n", metrics)
	}
	if env.BaseURL == "" {
		fmt.Fprintln(env.Out, "Sin --base-url: los enlaces absolutos quedan vacíos y nadie puede suscribirse. Indique la dirección pública, p. ej. --base-url https://parques.example.cl")
	}
	if env.SMTPHost == "" {
		fmt.Fprintln(env.Out, "Sin --smtp-host: no hay suscripciones por correo. Indique un servidor de correo con --smtp-host y --smtp-from (vigia help serve)")
	}
	fmt.Fprintln(env.Out, "Para terminar: Ctrl-C.")
}
