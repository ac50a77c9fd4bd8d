package site

import (
	"net/url"
	"slices"
	"strings"
	"sync"

	"vigia/handlers/httpcache"
)

// searchPath is the path of the search: of the index of all parks and trails where nothing
// is asked for.
const searchPath = "/buscar"

// searchPage is what was asked for and found, or the index.
type searchPage struct {
	Query string
	Said  string // how much was found
	Found []finding
	Index []indexLetter
}

// finding is a park or trail that was found.
type finding struct {
	Level
	Path, Name string
	Where      string // region and towns of a park, the park of a trail
}

// putSearch adds the search. What is asked for makes a page that is kept nowhere.
func (p *pageBuilder) putSearch() {
	p.put(searchPath, "buscar", func() Frame {
		return p.current(searchPath, "buscar", searchPage{Index: p.index(p.standings(p.ShownDays()[0]))})
	})
	list := sync.OnceValue(func() names { return namesOf(p.Catalogue) })
	p.pages.asked[p.Path(searchPath)] = func(query url.Values) (*Page, bool) {
		text := query.Get("q")
		if strings.TrimSpace(text) == "" {
			return nil, false
		}
		return &Page{Body: func() *httpcache.Body {
			f := p.current(searchPath+"?q="+url.QueryEscape(text), "buscar", p.search(list(), text))
			f.NoIndex, f.Kept = true, true // kept until it is left: it turns old with its states
			return f.Render("buscar")
		}}, true
	}
	p.pages.suggestions[p.Locale.Root] = func(path string) *httpcache.Body {
		telling := slices.DeleteFunc(wordsOf(strings.TrimPrefix(path, p.Locale.Root)), func(word string) bool { return len(word) < 4 })
		found, _ := list().find(strings.Join(telling, " "), mostSuggested)
		if len(found) == 0 {
			return nil
		}
		return p.undated("", "no_encontrada", missingPage{Near: p.findings(found)}).Render("no_encontrada")
	}
}

// search looks for places.
func (v View) search(list names, query string) searchPage {
	query = strings.ToValidUTF8(strings.TrimSpace(query), "")
	found, whole := list.find(query, mostFound)
	page := searchPage{Query: query, Found: v.findings(found)}
	switch {
	case len(found) == 0:
		page.Said = v.Text("busca.nada")
	case !whole:
		page.Said = v.Text("busca.parecido")
	case len(found) == mostFound:
		page.Said = v.Text("busca.muchos", "n", mostFound)
	default:
		page.Said = v.Count("busca.resultados", len(found))
	}
	return page
}

// findings returns places as they are shown: with their state of the present hour.
func (v View) findings(found []namedPlace) (list []finding) {
	for _, place := range found {
		park := &v.Catalogue.Parks[place.park]
		if place.trail >= 0 {
			trail := v.Catalogue.Trails[place.trail]
			list = append(list, finding{v.level(v.trailState(place.trail, 0).State), v.trailPath(trail), trail.Name, park.Name})
			continue
		}
		where := park.Region
		if len(park.Towns) > 0 {
			where = v.Text("busca.cerca", "region", park.Region, "pueblos", strings.Join(park.Towns, ", "))
		}
		list = append(list, finding{v.level(v.Park(place.park, 0).State), v.linkTo(*park).Path, park.Name, where})
	}
	return list
}

// missingPage is what there is instead of a page that does not exist.
type missingPage struct {
	Alerts string    // path of the list of alerts, where it was one of them
	Near   []finding // places whose names are like the path, without their state
}
