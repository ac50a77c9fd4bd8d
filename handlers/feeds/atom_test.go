package feeds

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/handlers/site"
	"vigia/handlers/site/sitetest"
	"vigia/store"
)

const atomSpace, xhtmlSpace = "http://www.w3.org/2005/Atom", "http://www.w3.org/1999/xhtml"

// rule is how often an element may stand in another: RFC 4287, 4.1.1 and 4.1.2.
type rule struct{ least, most int }

const many = 1000

var (
	feedRules = map[string]rule{"author": {1, many}, "category": {0, many}, "contributor": {0, many}, "generator": {0, 1}, "icon": {0, 1},
		"id": {1, 1}, "link": {1, many}, "logo": {0, 1}, "rights": {0, 1}, "subtitle": {0, 1}, "title": {1, 1}, "updated": {1, 1}, "entry": {0, many}}
	entryRules = map[string]rule{"author": {0, many}, "category": {0, many}, "content": {1, 1}, "contributor": {0, many}, "id": {1, 1},
		"link": {1, many}, "published": {0, 1}, "rights": {0, 1}, "source": {0, 1}, "summary": {0, 1}, "title": {1, 1}, "updated": {1, 1}}
	uuid    = regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	langTag = regexp.MustCompile(`^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$`)
)

// checkFeed holds a document to RFC 4287 and gives its root.
func checkFeed(document string) (*sitetest.Node, error) {
	feed, err := sitetest.ParseXML(document)
	if err != nil {
		return nil, err
	}
	if feed.Name != (xml.Name{Space: atomSpace, Local: "feed"}) || !langTag.MatchString(feed.Attr("lang")) {
		return nil, fmt.Errorf("the root is %v in %q", feed.Name, feed.Attr("lang"))
	}
	ids := make(map[string]bool)
	for i, n := range append([]*sitetest.Node{feed}, feed.Named("entry")...) {
		rules := entryRules
		if i == 0 {
			rules = feedRules
		}
		if err := checkElement(n, rules); err != nil {
			return nil, fmt.Errorf("%s %d: %w", n.Name.Local, i, err)
		}
		if id := n.Named("id")[0].Text; ids[id] {
			return nil, fmt.Errorf("the id %s comes twice", id)
		} else {
			ids[id] = true
		}
	}
	if own := slices.IndexFunc(feed.Named("link"), func(l *sitetest.Node) bool { return l.Attr("rel") == "self" }); own < 0 {
		return nil, fmt.Errorf("no link to itself")
	}
	return feed, nil
}

func checkElement(n *sitetest.Node, rules map[string]rule) error {
	count := make(map[string]int)
	for _, child := range n.Children {
		if child.Name.Space != atomSpace {
			return fmt.Errorf("%v stands in it", child.Name)
		}
		count[child.Name.Local]++
		if err := checkChild(child); err != nil {
			return fmt.Errorf("%s: %w", child.Name.Local, err)
		}
	}
	for name := range count {
		if _, allowed := rules[name]; !allowed {
			return fmt.Errorf("%s may not stand in it", name)
		}
	}
	for name, r := range rules {
		if count[name] < r.least || count[name] > r.most {
			return fmt.Errorf("%d of %s", count[name], name)
		}
	}
	kinds := make(map[string]bool)
	for _, l := range n.Named("link") {
		if kind := l.Attr("rel") + " " + l.Attr("type") + " " + l.Attr("hreflang"); kinds[kind] {
			return fmt.Errorf("two links %s", kind)
		} else {
			kinds[kind] = true
		}
	}
	return nil
}

func checkChild(n *sitetest.Node) error {
	switch n.Name.Local {
	case "id":
		if !uuid.MatchString(n.Text) {
			return fmt.Errorf("%q is no id", n.Text)
		}
	case "updated", "published":
		if _, err := time.Parse(time.RFC3339, n.Text); err != nil || !strings.HasSuffix(n.Text, "Z") || strings.HasPrefix(n.Text, "0001") {
			return fmt.Errorf("%q is no date: %v", n.Text, err)
		}
	case "title", "subtitle", "rights", "generator":
		if strings.TrimSpace(n.Text) == "" || len(n.Children) > 0 {
			return fmt.Errorf("%q with %d elements is no text", n.Text, len(n.Children))
		}
	case "link":
		u, err := url.Parse(n.Attr("href"))
		if err != nil || u.Path == "" || n.Attr("rel") != "self" && n.Attr("rel") != "alternate" || !strings.Contains(n.Attr("type"), "/") {
			return fmt.Errorf("%v: %v", n.Attrs, err)
		}
	case "category":
		if n.Attr("term") == "" {
			return fmt.Errorf("no term")
		}
	case "author":
		if len(n.Named("name")) != 1 || len(n.Named("email")) > 1 || len(n.Named("uri")) > 1 {
			return fmt.Errorf("%v", n.Children)
		}
	case "content":
		if n.Attr("type") != "xhtml" || len(n.Children) != 1 || n.Children[0].Name != (xml.Name{Space: xhtmlSpace, Local: "div"}) {
			return fmt.Errorf("type %q with %d elements", n.Attr("type"), len(n.Children))
		}
		for _, line := range n.Children[0].Children {
			if line.Name.Local != "p" || len(line.Children) > 0 || line.Text == "" {
				return fmt.Errorf("%v with %d elements in it", line.Name, len(line.Children))
			}
		}
	}
	return nil
}

// feedsOf reads the feeds of a snapshot by path.
func feedsOf(t *testing.T, s *site.Site, e *store.Snapshot, at time.Time) map[string]*sitetest.Node {
	t.Helper()
	feeds, pages := make(map[string]*sitetest.Node), Among(s)(e, at)
	for path := range pages.Paths() {
		if !strings.HasSuffix(path, ".atom") {
			continue
		}
		feed, err := checkFeed(content(t, pages.Page(path).Body()))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		feeds[path] = feed
	}
	return feeds
}

func TestFeedsInEveryState(t *testing.T) {
	for name, e := range timedSnapshots(t) {
		for path, feed := range feedsOf(t, newSite(t), short(e.Snapshot), e.At) {
			text := feed.All()
			if found := officialWord(text); found != "" {
				t.Errorf("%s%s says %q", name, path, found)
			}
			if e.Simulated != strings.Contains(strings.ToUpper(text), "SIMULA") {
				t.Errorf("%s%s: simulated is not %v", name, path, e.Simulated)
			}
			if e.Current {
				continue
			}
			entries := feed.Named("entry")
			if len(entries) == 0 || !strings.Contains(entries[0].All(), "No se sabe si hay alertas") && !strings.Contains(entries[0].All(), "do not know whether") {
				t.Fatalf("%s%s is silent without estimates", name, path)
			}
			for _, entry := range entries {
				if title := entry.Named("title")[0].Text; wordOfLevel.MatchString(title) && !regexp.MustCompile(`^(Sin confirmar|Terminada|Unconfirmed|Ended): `).MatchString(title) {
					t.Errorf("%s%s shows a level that nothing holds: %s", name, path, title)
				}
			}
		}
	}
}

func TestFeedFollowsItsAlerts(t *testing.T) {
	e := newSnapshot(t)
	park := e.Catalogue.Parks[e.Catalogue.Trails[3].Park]
	path := "/parques/" + park.Slug + "/alertas.atom"
	before := feedsOf(t, newSite(t), short(e), now)
	var titles []string
	for _, entry := range before[path].Named("entry") {
		titles = append(titles, entry.Named("title")[0].Text)
	}
	want := []string{"Precaución: frío intenso en " + park.Name, "Peligro: viento fuerte en " + park.Name, "Terminada: Precaución: nieve en " + park.Name}
	slices.Sort(titles)
	if slices.Sort(want); !slices.Equal(titles, want) {
		t.Errorf("the entries are %q", titles)
	}
	for other, feed := range before {
		if n := len(feed.Named("entry")); other != path && strings.HasPrefix(other, "/parques/") && n != 0 {
			t.Errorf("%s has %d entries of another park", other, n)
		}
	}
	later := *e // the wind is over, and it was made longer before
	later.ValidUntil = noonHour.Add(100 * time.Hour)
	after := feedsOf(t, newSite(t), short(&later), noonHour.Add(11*time.Hour))
	dates := func(feed *sitetest.Node) map[string]string {
		list := make(map[string]string)
		for _, entry := range feed.Named("entry") {
			list[entry.Named("id")[0].Text] = entry.Named("updated")[0].Text
		}
		return list
	}
	first, second := dates(before[path]), dates(after[path])
	var moved []string
	for id, at := range second {
		if first[id] == "" {
			t.Errorf("%s is a new id", id)
		} else if first[id] != at {
			moved = append(moved, at)
		}
	}
	if want := []string{rfc3339(noonHour.Add(10 * time.Hour))}; !slices.Equal(moved, want) || len(first) != 3 {
		t.Errorf("changed at %q, want %q", moved, want)
	}
	if got, want := before[path].Named("updated")[0].Text, rfc3339(noonHour); got != want {
		t.Errorf("the feed is of %s, want %s", got, want)
	}
}

// A park of which no trail has a state is not calm: its feed says so, and that of
// the country names it.
func TestFeedNamesSilentParks(t *testing.T) {
	e := short(newSnapshot(t))
	park := e.Catalogue.Parks[2]
	for trail := park.FirstTrail; trail < park.FirstTrail+park.NumTrails; trail++ {
		e.Trails[trail].Hours = []hazard.Estimate{unknown(noonHour, hazard.DataTooOld)}
	}
	feeds := feedsOf(t, newSite(t), e, now)
	for path, feed := range feeds {
		here := strings.Contains(path, park.Slug) || strings.Contains(path, "/alertas.atom") && strings.Count(path, "/") < 3 && !strings.Contains(path, "parques")
		if says := strings.Contains(feed.All(), "No se sabe si hay alertas en: "+park.Name) ||
			strings.Contains(feed.All(), "We do not know whether there are alerts in: "+park.Name); says != here {
			t.Errorf("%s: says that it is unknown is %v", path, says)
		}
	}
}

func TestFeedsWithoutAnAddress(t *testing.T) {
	s, err := site.New(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	feeds := feedsOf(t, s, short(newSnapshot(t)), now)
	for path, feed := range feeds {
		for _, link := range feed.Named("link") {
			if href := link.Attr("href"); !strings.HasPrefix(href, "/") || link.Attr("rel") == "self" && href != path {
				t.Errorf("%s leads to %s", path, href)
			}
		}
	}
	if with := feedsOf(t, newSite(t), short(newSnapshot(t)), now)["/alertas.atom"]; with.Named("id")[0].Text == feeds["/alertas.atom"].Named("id")[0].Text {
		t.Error("two sites have one id")
	}
	if feeds["/alertas.atom"].Named("id")[0].Text == feeds["/en/alertas.atom"].Named("id")[0].Text {
		t.Error("two languages have one id")
	}
}

func TestFeedCheckFindsFaults(t *testing.T) {
	good := fileAt(t, short(newSnapshot(t)), now, "/alertas.atom")
	for _, change := range [][2]string{
		{"<id>urn:uuid:", "<id>"}, {"T17:00:00Z</updated>", " 17:00</updated>"}, {`term="`, `x="`}, {"<subtitle>", "<lema>"}, {`rel="self"`, `rel="alternate" a="1"`},
		{"<entry>", "<entry><id>urn:uuid:00000000-0000-5000-8000-000000000000</id>"}, {`xmlns="http://www.w3.org/1999/xhtml"`, ""}, {"<p>", "<p><b/>"},
		{`xml:lang="es-CL"`, ""}, {"<title>Vigía: alertas de los modelos</title>", ""}, {"<author>\n", "<author>\n<name>x</name>"},
	} {
		if bad := strings.Replace(good, change[0], change[1], 1); bad == good {
			t.Errorf("%q does not occur", change[0])
		} else if _, err := checkFeed(bad); err == nil {
			t.Errorf("%q for %q passes", change[1], change[0])
		}
	}
}

func FuzzFeed(f *testing.F) {
	for _, seed := range []string{"", "<b>x</b>", "]]>", "a\x00\x1fb\ufffe", "\xff", "&lt;", `"'`, "a\r\nb"} {
		f.Add(seed)
	}
	e := short(newSnapshot(f))
	s := newSite(f)
	f.Fuzz(func(t *testing.T, name string) {
		for i := range e.Catalogue.Parks {
			e.Catalogue.Parks[i].Name = "x" + name
		}
		for i := range e.Alerts {
			e.Alerts[i].ID, e.Alerts[i].Trails = name+string(rune('a'+i)), []string{name}
		}
		if _, err := checkFeed(content(t, Among(s)(e, now).Page("/alertas.atom").Body())); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	})
}
