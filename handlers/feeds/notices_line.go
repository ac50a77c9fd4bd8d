package feeds

import (
	"slices"
	"strings"

	"vigia/handlers/site"
	"vigia/store/notices"
)

// noticesLine returns notices in so few characters that they fit the one line, the
// fewer the higher brevity is. What is closed never stands without its source.
func noticesLine(v site.View, n site.Notices, brevity lineBrevity) string {
	if lines := v.OfficialLines(n); len(lines) == 0 || len(lines) == 1 && brevity == inFull {
		return strings.Join(lines, "")
	}
	least := brevity == inTheLeast
	var parts []string
	for from := 0; from < len(n.Closures) && !(least && from > 0); {
		first, to := n.Closures[from], from+1
		for to < len(n.Closures) && n.Closures[to].Situation == first.Situation && n.Closures[to].Scope() == first.Scope() {
			to++
		}
		part := v.Text("cierre."+first.Situation, "fuente", briefSource(first.Source, least))
		if first.Trail == "" {
			part = v.Text("linea.parque", "que", part)
		} else {
			part = strings.ReplaceAll(v.Count("linea.sendero", to-from), "{que}", part)
		}
		parts, from = append(parts, v.Aged(part, first.Stale && !least)), to
	}
	if len(n.Volcanic) > 0 {
		volcano := n.Volcanic[0]
		part := v.Text("volcan.nivel." + volcano.Level.String())
		if !least || len(parts) == 0 {
			part = v.Text("oficial.segun", "que", part, "fuente", briefSource(volcano.Source, least))
		}
		parts = append(parts, v.Aged(v.Text("linea.volcan", "que", part), volcano.Stale && !least))
	}
	return v.Aged(strings.Join(parts, ", "), least && stale(n))
}

// briefSource cuts a source's name where there is the least room.
func briefSource(source string, least bool) string {
	const enough = 8
	if name := []rune(source); least && len(name) > enough {
		return string(name[:enough-1]) + "."
	}
	return source
}

// stale reports whether any of the notices is out of date.
func stale(n site.Notices) bool {
	return slices.ContainsFunc(n.Closures, func(h notices.Holding) bool { return h.Stale }) ||
		slices.ContainsFunc(n.Volcanic, func(v notices.Nearby) bool { return v.Stale })
}
