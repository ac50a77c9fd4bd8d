package notices

import "vigia/store/document"

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

// volcanicRow and closureRow are notices as they are written. The tags are those of
// package document; times are read with the zone that they are of.
type volcanicRow struct {
	Volcano     string `json:"volcan"` // slug or name
	Level       Level  `json:"nivel_tecnico" check:"level"`
	Source      string `json:"fuente" check:"120"`
	SourceURL   string `json:"fuente_url" check:"web_address 500"`
	PublishedAt string `json:"publicado_en"`
	ObtainedAt  string `json:"obtenido_en" check:"optional"`
}

type closureRow struct {
	Park        string `json:"parque"`
	Scope       string `json:"alcance" check:"optional scope"`
	Trail       string `json:"sendero" check:"optional"`
	Situation   string `json:"situacion" check:"situation"`
	Detail      string `json:"detalle" check:"optional 500"`
	From        string `json:"desde" check:"optional"`
	Until       string `json:"hasta" check:"optional"`
	Source      string `json:"fuente" check:"120"`
	SourceURL   string `json:"fuente_url" check:"web_address 500"`
	PublishedAt string `json:"publicado_en" check:"optional"`
	ObtainedAt  string `json:"obtenido_en" check:"optional"`
}

// The words of closures.
const (
	wholePark  = "parque"
	oneTrail   = "sendero"
	closed     = "cerrado"
	restricted = "restringido"
)

var form = document.Form{MaxBytes: MaxBytes, Rules: map[string]document.Rule{
	"web_address": document.WebAddress, "level": document.OneOf(levelNames[1:]...),
	"scope": document.OneOf(wholePark, oneTrail), "situation": document.OneOf(closed, restricted),
}}
