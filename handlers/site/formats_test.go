package site

import "regexp"

// wordOfLevel finds a level of a state or of an alert in either language.
var wordOfLevel = regexp.MustCompile(`(?i)\b(verde|amarillo|rojo|green|amber|red|peligro por|precaución por|danger|caution)\b`)
