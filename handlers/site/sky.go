package site

// sky is the sky of an hour or a day: a symbol and its word. Both are empty where no model
// tells of it.
type sky struct {
	Key  string // of the symbol "c-…" in cielo.html
	Word string
}

// sky returns the sky of a WMO code, empty for one that is missing or that has no word.
func (v View) sky(code uint8, night bool) sky {
	s := sky{skyKey(code, night), v.Sky(code)}
	if s.Word == "" || s.Key == "" {
		return sky{}
	}
	return s
}

// skyKey returns the symbol of a WMO code, "" for one that the provider does not use.
// Where sun or moon can be seen there is one for the day and one for the night.
func skyKey(code uint8, night bool) string {
	key, seen := "", false
	switch code {
	case 0:
		key, seen = "despejado", true
	case 1, 2:
		key, seen = "nubes", true
	case 3:
		key = "nublado"
	case 45, 48:
		key = "niebla"
	case 51, 53, 55:
		key = "llovizna"
	case 56, 57, 66, 67:
		key = "hielo"
	case 61, 63, 65:
		key = "lluvia"
	case 71, 73, 75, 77, 85, 86:
		key = "nieve"
	case 80, 81, 82:
		key, seen = "chubascos", true
	case 95, 96, 99:
		key = "tormenta"
	}
	if seen && night {
		key += "-noche"
	}
	return key
}
