package feeds

import "strings"

// font is how wide the letters of a font are, in thousandths of its size. Most
// fonts without serifs come near those of Helvetica.
type font struct {
	bold  bool
	ascii [95]uint16 // from the space on
}

var (
	helvetica = font{false, [95]uint16{278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
		1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
		333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
		556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584}}
	helveticaBold = font{true, [95]uint16{278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
		975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
		333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
		611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584}}
)

// letter is the width of one character: an accented one is as wide as without, and
// what is not known here as an em.
func (f font) letter(r rune) uint16 {
	if r == '·' {
		return 278
	}
	if plain := []rune(likeGSM.Replace(string(r))); len(plain) == 1 {
		r = plain[0]
	}
	if i := strings.IndexRune("éñüöäÉÑÜ", r); i >= 0 {
		r = rune("enuoaENU"[len([]rune("éñüöäÉÑÜ"[:i]))])
	}
	if r < ' ' || r > '~' {
		return 1000
	}
	return f.ascii[r-' ']
}

// width is that of a text in a size.
func (f font) width(text string, size float64) float64 {
	var sum int
	for _, r := range text {
		sum += int(f.letter(r))
	}
	return float64(sum) * size / 1000
}

// cut returns as much of a text as has room, with an ellipsis where that is not all.
func (f font) cut(text string, size, room float64) string {
	if f.width(text, size) <= room {
		return text
	}
	letters := []rune(text)
	for len(letters) > 0 && f.width(string(letters)+"…", size) > room {
		letters = letters[:len(letters)-1]
	}
	return strings.TrimRight(string(letters), " ") + "…"
}
