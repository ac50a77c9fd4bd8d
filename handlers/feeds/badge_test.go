package feeds

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
)

// picture is what a reader of XML finds in a badge.
type picture struct {
	Width  int       `xml:"width,attr"`
	Height int       `xml:"height,attr"`
	Role   string    `xml:"role,attr"`
	By     string    `xml:"aria-labelledby,attr"`
	Title  string    `xml:"title"`
	Desc   string    `xml:"desc"`
	Lines  []svgLine `xml:"g>text"`
}

type svgLine struct {
	X      float64 `xml:"x,attr"`
	Length float64 `xml:"textLength,attr"`
	Text   string  `xml:",chardata"`
}

// read is all that a badge says.
func (p picture) read() string {
	words := []string{p.Title, p.Desc}
	for _, line := range p.Lines {
		words = append(words, line.Text)
	}
	return strings.Join(words, " | ")
}

func readBadge(t testing.TB, file string) (p picture) {
	t.Helper()
	if err := xml.Unmarshal([]byte(file), &p); err != nil {
		t.Fatalf("%v: %s", err, file)
	}
	return p
}

// checkBadge holds a badge to what is promised of every one.
func checkBadge(t *testing.T, path, file string) picture {
	t.Helper()
	p := readBadge(t, file)
	if p.Width != badgeWidth || p.Height != badgeHeight || p.Role != "img" || p.By != "t d" || p.Title == "" || p.Desc == "" {
		t.Errorf("%s: %+v", path, p)
	}
	for _, line := range p.Lines {
		if line.Length <= 0 || line.X+line.Length > badgeWidth {
			t.Errorf("%s: %q from %g is %g wide", path, line.Text, line.X, line.Length)
		}
	}
	if all := p.read(); !strings.Contains(all, "no oficial") && !strings.Contains(all, "not official") {
		t.Errorf("%s does not say that it is not official: %s", path, all)
	}
	for _, outside := range []string{"style", "<script", "href", "<image", "@import", "foreignObject"} {
		if strings.Contains(file, outside) {
			t.Errorf("%s has %s", path, outside)
		}
	}
	return p
}

func TestBadgeOfEveryParkInEveryState(t *testing.T) {
	for name, e := range timedSnapshots(t) {
		pages := Among(newSite(t))(short(e.Snapshot), e.At)
		for path := range pages.Paths() {
			if !strings.HasSuffix(path, ".svg") {
				continue
			}
			file := content(t, pages.Page(path).Body())
			all := checkBadge(t, name+path, file).read()
			if !pages.Page(path).Open {
				t.Errorf("%s cannot be shown elsewhere", path)
			}
			if simulated := strings.Contains(all, "SIMULA"); simulated != e.Simulated {
				t.Errorf("%s%s: simulated is %v: %s", name, path, simulated, all)
			}
			if found := officialWord(all); found != "" {
				t.Errorf("%s%s says %q", name, path, found)
			}
			if e.Current {
				if !strings.Contains(all, "vence ") && !strings.Contains(all, "expires ") {
					t.Errorf("%s%s does not say until when: %s", name, path, all)
				}
				continue
			}
			if wordOfLevel.MatchString(all) || strings.Contains(file, "#17654f") || strings.Contains(file, "#f0b400") || strings.Contains(file, "#a3131b") {
				t.Errorf("%s%s shows a level: %s", name, path, all)
			}
			if !strings.Contains(all, "sin datos") && !strings.Contains(all, "no data") || !strings.Contains(file, `fill="url(#trama)"`) {
				t.Errorf("%s%s does not look like no data: %s", name, path, all)
			}
		}
	}
}

func TestBadges(t *testing.T) {
	e := newSnapshot(t)
	park := e.Catalogue.Parks[e.Catalogue.Trails[3].Park]
	badge := readBadge(t, fileAt(t, e, now, "/insignia/"+park.Slug+".svg"))
	var lines []string
	for _, line := range badge.Lines {
		lines = append(lines, line.Text)
	}
	want := "Vigía · " + park.Name + " / rojo / · 14 h · vence 15:20 / viento fuerte según 3 de 4 modelos / no oficial · sáb 21 nov · hora de Coyhaique"
	if got := strings.Join(lines, " / "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if want := "Estimado para las 14:00: viento fuerte según 3 de 4 modelos. Vale hasta sáb 21 nov, 15:20 (hora de Coyhaique). " +
		"Estimación automática. No es un aviso oficial."; badge.Desc != want {
		t.Errorf("got  %s\nwant %s", badge.Desc, want)
	}
	for i := range e.Trails {
		e.Trails[i].Hours[0] = green(noonHour)
		e.Trails[i].Hours[0].Quality = hazard.Stale
	}
	stale := fileAt(t, e, now, "/insignia/"+park.Slug+".svg")
	if !strings.Contains(stale, "datos desactualizados") || !strings.Contains(stale, `height="90" fill="url(#trama)"`) {
		t.Errorf("data that are out of date do not show: %s", stale)
	}
	e.ValidUntil = time.Date(2026, 11, 22, 3, 20, 0, 0, time.UTC) // 00:20 of the next day
	if got := fileAt(t, e, now, "/insignia/"+park.Slug+".svg"); !strings.Contains(got, "sáb 21 nov – dom 22 nov · ") {
		t.Errorf("expires on the next day, which does not show: %s", got)
	}
}

func FuzzBadge(f *testing.F) {
	for _, seed := range []string{"", "<script>alert(1)</script>", `"><g onload="x">`, "a\x00b\u2028", "\xff", strings.Repeat("W", 300), "]]>", "&amp;", "漢字漢字漢字"} {
		f.Add(seed)
	}
	e := short(newSnapshot(f))
	s := newSite(f)
	f.Fuzz(func(t *testing.T, name string) {
		e.Catalogue.Parks[0].Name = name
		file := string(feed{View: s.View(&s.Languages()[0], e, now)}.badge(0).draw())
		if n, err := elements(file); err != nil || n > 25 {
			t.Fatalf("%q: %d elements, %v: %s", name, n, err, file)
		}
		p := readBadge(t, file)
		for _, line := range p.Lines {
			if line.X+line.Length > badgeWidth {
				t.Errorf("%q: wider than the badge: %s", name, strconv.Quote(line.Text))
			}
		}
	})
}

// elements counts the elements of an XML document, and fails on one that is not
// well formed.
func elements(document string) (n int, err error) {
	d := xml.NewDecoder(strings.NewReader(document))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, fmt.Errorf("after %d elements: %w", n, err)
		}
		if _, ok := token.(xml.StartElement); ok {
			n++
		}
	}
}
