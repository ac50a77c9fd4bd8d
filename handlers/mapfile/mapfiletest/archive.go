// Package mapfiletest writes the smallest PMTiles archive that shows something.
package mapfiletest

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"math"
	"slices"
)

// Offsets of fields in the header, for tests that spoil them.
const (
	Version            = 7
	RootLength         = 16
	TileLength         = 64
	DirectoryPacking   = 97
	TilePacking        = 98
	TileKind           = 99
	MinZoom            = 100
	MaxZoom            = 101
	West               = 102
	headerBytes        = 127
	extent             = 1 << 16 // units of the tile
	tileNumber         = 2       // zoom 1, the south-western quarter
	south, north, w, e = -52.0, -50.0, -74.5, -71.5
)

// Archive returns an archive of one tile, a quarter of the world, with water and a path
// around Torres del Paine. Its directory is compressed, its tile is not.
func Archive() []byte {
	tile := vectorTile()
	directory := zipped(directoryOf(len(tile)))
	metadata := zipped([]byte(`{"vector_layers":[{"id":"water"},{"id":"roads"}],"attribution":"Prueba"}`))
	head := make([]byte, headerBytes)
	copy(head, "PMTiles")
	head[Version] = 3
	at := headerBytes
	for i, part := range [][]byte{directory, metadata, nil, tile} {
		binary.LittleEndian.PutUint64(head[8+16*i:], uint64(at))
		binary.LittleEndian.PutUint64(head[16+16*i:], uint64(len(part)))
		at += len(part)
	}
	for i := range 3 { // addressed tiles, entries, contents
		binary.LittleEndian.PutUint64(head[72+8*i:], 1)
	}
	head[96], head[DirectoryPacking], head[TilePacking], head[TileKind] = 1, 2, 1, 1
	head[MinZoom], head[MaxZoom] = 1, 1
	for i, degrees := range []float64{w, south, e, north} {
		binary.LittleEndian.PutUint32(head[West+4*i:], uint32(int32(degrees*1e7)))
	}
	return slices.Concat(head, directory, metadata, tile)
}

func zipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// directoryOf returns a directory of one tile alone: number of entries, then of each its
// number, how often it repeats, its length, and its offset plus 1.
func directoryOf(length int) []byte {
	var b []byte
	for _, v := range []uint64{1, tileNumber, 1, uint64(length), 1} {
		b = binary.AppendUvarint(b, v)
	}
	return b
}

// Wire types of protocol buffers.
const (
	varint   = 0
	lengthed = 2
)

func number(field int, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field<<3|varint)), v)
}

func message(field int, parts ...[]byte) []byte {
	body := slices.Concat(parts...)
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field<<3|lengthed)), uint64(len(body))), body...)
}

func packed(field int, values ...uint32) []byte {
	var body []byte
	for _, v := range values {
		body = binary.AppendUvarint(body, uint64(v))
	}
	return message(field, body)
}

// vectorTile is a tile of the form https://github.com/mapbox/vector-tile-spec.
func vectorTile() []byte {
	return slices.Concat(
		layer("water", "lake", 3, lineTo(true, -51.6, -74.2, -51.6, -72.9, -50.6, -72.9, -50.6, -74.2)),
		layer("roads", "highway", 2, lineTo(false, -51.6, -72.0, -51.3, -73.0, -50.4, -73.5)),
	)
}

// layer is a layer of one feature with its kind.
func layer(name, kind string, shape uint64, geometry []uint32) []byte {
	feature := message(2, packed(2, 0, 0), number(3, shape), packed(4, geometry...))
	return message(3, number(15, 2), message(1, []byte(name)), feature, message(3, []byte("kind")), message(4, message(1, []byte(kind))), number(5, extent))
}

// lineTo draws a line through latitudes and longitudes.
func lineTo(closed bool, places ...float64) []uint32 {
	zigzag := func(v int) uint32 { return uint32(v<<1 ^ v>>31) }
	var geometry []uint32
	lastX, lastY := 0, 0
	for i := 0; i < len(places); i += 2 {
		x := int((places[i+1] + 180) / 360 * 2 * extent)
		y := int((1-math.Asinh(math.Tan(places[i]*math.Pi/180))/math.Pi)*extent) - extent
		switch i {
		case 0:
			geometry = append(geometry, 1|1<<3) // move to
		case 2:
			geometry = append(geometry, uint32(2|(len(places)/2-1)<<3)) // line to
		}
		geometry = append(geometry, zigzag(x-lastX), zigzag(y-lastY))
		lastX, lastY = x, y
	}
	if closed {
		geometry = append(geometry, 7|1<<3)
	}
	return geometry
}
