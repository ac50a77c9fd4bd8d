package site

import (
	"html/template"
	"io/fs"
	"sync"

	"vigia/handlers/api"
	"vigia/handlers/prepared"
	"vigia/web"
)

// press is what the program carries and what every site made of it has alike:
// templates, texts, the contract of the API, files. Nothing in it changes.
type press struct {
	languages []language
	contract  *contract
	assets    map[string]*prepared.Body // by path
	named     map[string]string         // path of an asset by the name of its file
	outline   string                    // of the country, on the chart of the home page
}

// language is one in which the site is rendered.
type language struct {
	texts
	pages map[string]*template.Template // by template name
}

// readEmbedded reads the press of the files that are embedded, once.
var readEmbedded = sync.OnceValues(func() (*press, error) { return readPress(web.Files) })

func readPress(files fs.FS) (*press, error) {
	p := &press{}
	if err := p.loadAssets(files); err != nil {
		return nil, err
	}
	var err error
	if p.contract, err = readContract(api.Document()); err != nil {
		return nil, err
	}
	if p.outline, err = outline(files); err != nil {
		return nil, err
	}
	for _, of := range tongues {
		words, err := readTexts(files, of)
		if err != nil {
			return nil, err
		}
		pages, err := parsePages(files, words, p.assetPath)
		if err != nil {
			return nil, err
		}
		p.languages = append(p.languages, language{words, pages})
	}
	return p, nil
}
