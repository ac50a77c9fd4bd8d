package wording

import (
	"math"
	"strconv"
	"strings"

	"vigia/forecast/snapshot"
)

// Sky returns the word for a WMO code, "" for one that the provider does not use.
func (l *Language) Sky(code uint8) string {
	key := "cielo." + strconv.Itoa(int(code))
	if !l.Has(key) {
		return ""
	}
	return l.Text(key)
}

// winds are the keys of the eight winds, clockwise from north.
var winds = [...]string{"n", "ne", "e", "se", "s", "so", "o", "no"}

// Direction returns the word for where a wind comes from, in degrees clockwise from north;
// "" for a missing one.
func (l *Language) Direction(degrees float32) string { return l.wind("rumbo.", degrees) }

// CompassPoint is Direction in one or two letters: "SO".
func (l *Language) CompassPoint(degrees float32) string { return l.wind("rumbo_corto.", degrees) }

// wind returns the text of one of the eight winds, "" for a missing direction.
func (l *Language) wind(prefix string, degrees float32) string {
	if Missing(degrees) {
		return ""
	}
	eighth := int(math.Round(float64(degrees)/45)) % len(winds)
	return l.Text(prefix + winds[(eighth+len(winds))%len(winds)])
}

// Sun returns how strong the sun gets: "UV 11 extremo, hoy de 12 a 16 h, según NOAA GFS". It is
// "" of one that does not get strong, and of one that no model tells.
func (l Localizer) Sun(s snapshot.Sun) string {
	if s.From.IsZero() {
		return ""
	}
	var models []string
	for _, m := range s.Models {
		models = append(models, l.Named("modelo.", m))
	}
	return l.Text("uv.texto", "indice", l.Decimal(float64(s.Index), 0), "clase", l.Text("uv.clase."+s.Class.String()),
		"horas", l.Window(s.From, s.To), "modelo", strings.Join(models, ", "))
}
