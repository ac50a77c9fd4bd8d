package web

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var colourOf = regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{3,6});`)

// scheme reads the colours of a block of the styles, each as red, green and blue.
func scheme(block string) map[string][3]float64 {
	colours := map[string][3]float64{}
	for _, m := range colourOf.FindAllStringSubmatch(block, -1) {
		hex := m[2]
		if len(hex) == 3 {
			hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
		}
		n, _ := strconv.ParseUint(hex, 16, 32)
		colours[m[1]] = [3]float64{float64(n >> 16), float64(n >> 8 & 255), float64(n & 255)}
	}
	return colours
}

// contrast is that of WCAG 2.2 between two colours.
func contrast(a, b [3]float64) float64 {
	luminance := func(c [3]float64) float64 {
		for i := range c {
			if c[i] /= 255; c[i] <= 0.04045 {
				c[i] /= 12.92
			} else {
				c[i] = math.Pow((c[i]+0.055)/1.055, 2.4)
			}
		}
		return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] + 0.05
	}
	x, y := luminance(a), luminance(b)
	return max(x, y) / min(x, y)
}

// Rojo is the strongest sign by day and in the dark: no other level's edge or face
// stands out from the page as much as its own, and its cross can be seen on it.
func TestRedIsTheStrongestSign(t *testing.T) {
	styles, err := os.ReadFile("styles/00-base.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, ok := strings.Cut(string(styles), "prefers-color-scheme: dark")
	if !ok {
		t.Fatal("no colours for the dark")
	}
	for name, c := range map[string]map[string][3]float64{"light": scheme(light), "dark": scheme(dark)} {
		for _, page := range []string{"papel", "hoja"} {
			red := contrast(c["filo-rojo"], c[page])
			for _, other := range []string{"amarillo", "filo-amarillo", "verde", "nada"} {
				if x := contrast(c[other], c[page]); len(c) < 10 || x > red {
					t.Errorf("%s, on %s: %s has a contrast of %.1f, rojo %.1f", name, page, other, x, red)
				}
			}
		}
		if x := contrast(c["sobre-rojo"], c["rojo"]); x < 3 {
			t.Errorf("%s: the cross has a contrast of %.1f", name, x)
		}
	}
}
