package notices

import (
	"fmt"
	"io"
	"os"

	"vigia/store/document"
)

// Limits of a document.
const (
	MaxBytes  = 1 << 20
	MaxFaults = document.MaxFaults
	maxRows   = 5000
)

// Fault is one thing that is wrong in a document.
type Fault = document.Fault

// FaultsError is returned for a document that was refused as a whole.
type FaultsError = document.FaultsError

// Document is a text that holds notices.
type Document struct {
	Name     string // of the file or feed, for faults
	Data     []byte
	OnlyJSON bool // refuse CSV: a feed is JSON
}

// Load reads a document from a file, no more of it than is allowed and a byte.
func Load(name string) (Document, error) {
	file, err := os.Open(name) // #nosec G304 -- the operator names it on the command line
	if err != nil {
		return Document{}, fmt.Errorf("open the document: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return Document{}, fmt.Errorf("read the document: %w", err)
	}
	return Document{Name: name, Data: data}, nil
}

// volcanicRow and closureRow are notices as they are written. The tags are those of
// package document; times are read with the zone that they are of.
type volcanicRow struct {
	Volcano     string `json:"volcan" check:"any"` // slug or name
	Level       Level  `json:"nivel_tecnico" check:"level"`
	Source      string `json:"fuente" check:"text 120"`
	SourceURL   string `json:"fuente_url" check:"web_address 500"`
	PublishedAt string `json:"publicado_en" check:"any"`
	ObtainedAt  string `json:"obtenido_en" check:"optional any"`
}

type closureRow struct {
	Park        string `json:"parque" check:"any"`
	Scope       string `json:"alcance" check:"optional scope"`
	Trail       string `json:"sendero" check:"optional any"`
	Situation   string `json:"situacion" check:"situation"`
	Detail      string `json:"detalle" check:"optional text 500"`
	From        string `json:"desde" check:"optional any"`
	Until       string `json:"hasta" check:"optional any"`
	Source      string `json:"fuente" check:"text 120"`
	SourceURL   string `json:"fuente_url" check:"web_address 500"`
	PublishedAt string `json:"publicado_en" check:"optional any"`
	ObtainedAt  string `json:"obtenido_en" check:"optional any"`
}

// The words of closures.
const (
	wholePark  = "parque"
	oneTrail   = "sendero"
	closed     = "cerrado"
	restricted = "restringido"
)

var form = document.Form{MaxBytes: MaxBytes, Lenient: true, Rules: map[string]document.Rule{
	"any": document.Anything, "text": document.Anything, "web_address": document.WebAddress, "level": document.OneOf(levelNames[1:]...),
	"scope": document.OneOf(wholePark, oneTrail), "situation": document.OneOf(closed, restricted),
}}
