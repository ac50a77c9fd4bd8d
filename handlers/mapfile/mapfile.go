// Package mapfile serves an operator's own map: one PMTiles archive (version 3) of vector
// tiles, which browsers read piece by piece.
//
// The form of the file: https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md.
package mapfile

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"time"
)

// Path is where the site has the map.
const Path = "/mapa.pmtiles"

const contentType = "application/vnd.pmtiles"

// File is an archive that was checked and is open. Its methods may be called from any
// goroutine.
type File struct {
	file     *os.File
	size     int64
	modified time.Time
	tag      string // strong ETag: the archive's length, time and root directory
	header

	Attribution string // whose data it is, "" when the archive does not say
}

// Open opens an archive and checks what browsers need of it. The error names every fault.
func Open(path string) (*File, error) {
	file, err := os.Open(path) // #nosec G304 -- the operator names it
	if err != nil {
		return nil, fmt.Errorf("open the map: %w", err)
	}
	f, err := check(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("the map %s cannot be shown: %w", path, err)
	}
	return f, nil
}

func check(file *os.File) (*File, error) {
	about, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !about.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	f := &File{file: file, size: about.Size(), modified: about.ModTime()}
	head := make([]byte, headerBytes)
	if _, err := io.ReadFull(file, head); err != nil {
		return nil, fmt.Errorf("it is shorter than the header of a PMTiles archive (%d bytes)", headerBytes)
	}
	if f.header, err = parseHeader(head, uint64(f.size)); err != nil {
		return nil, err
	}
	root := make([]byte, f.root.length)
	if _, err := file.ReadAt(root, int64(f.root.offset)); err != nil {
		return nil, fmt.Errorf("read the root directory: %w", err)
	}
	if err := f.checkDirectory(root); err != nil {
		return nil, err
	}
	if err := f.readMetadata(); err != nil {
		return nil, err
	}
	f.tag = tagOf(about, head, root)
	return f, nil
}

// tagOf returns an ETag that changes with the archive.
func tagOf(about os.FileInfo, head, root []byte) string {
	sum := sha256.New()
	fmt.Fprintln(sum, about.Size(), about.ModTime().UnixNano())
	sum.Write(head)
	sum.Write(root)
	return fmt.Sprintf(`"%x"`, sum.Sum(nil)[:12])
}

// Close closes the archive. It must not be served any more.
func (f *File) Close() error { return f.file.Close() }

// String returns what the archive has, for people to read.
func (f *File) String() string {
	return fmt.Sprintf("%.1f MB of vector tiles, zoom %d to %d, %.2f %.2f to %.2f %.2f", float64(f.size)/1e6, f.minZoom, f.maxZoom,
		f.south, f.west, f.north, f.east)
}

// ServeHTTP answers with the pieces of the archive that are asked for.
func (f *File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Etag", f.tag)
	h.Set("Cache-Control", "public, max-age=86400, no-transform")
	http.ServeContent(w, r, "", f.modified, io.NewSectionReader(f.file, 0, f.size))
}

// headerBytes is the length of the header, and rootEnd what the header and the root
// directory have at the most. What was compressed has unpackedMost bytes at the most.
const (
	headerBytes  = 127
	rootEnd      = 16384
	metadataMost = 1 << 20
	unpackedMost = 8 << 20
)

// part is a stretch of the archive.
type part struct{ offset, length uint64 }

// MaxZoom returns the highest zoom level of the tiles.
func (f *File) MaxZoom() int { return int(f.maxZoom) }

// Bounds returns the south-western and the north-eastern corner, latitude first.
func (f *File) Bounds() [2][2]float64 { return [2][2]float64{{f.south, f.west}, {f.north, f.east}} }

// header is what the archive says of itself.
type header struct {
	root, metadata           part
	compression              byte // of directories
	minZoom, maxZoom         byte
	west, south, east, north float64
}

// Kinds of compression and of tiles in the header.
const (
	plain  = 1
	zipped = 2
	mvt    = 1
)

var (
	compressions = map[byte]string{0: "an unknown compression", 3: "brotli", 4: "zstd"}
	tileKinds    = map[byte]string{0: "of an unknown kind", 2: "PNG", 3: "JPEG", 4: "WebP", 5: "AVIF"}
)

// named returns the name of a number in a header.
func named(names map[byte]string, number byte) string {
	if name := names[number]; name != "" {
		return name
	}
	return fmt.Sprintf("number %d", number)
}

// parseHeader reads a header of an archive of so many bytes. The error names every fault.
func parseHeader(b []byte, size uint64) (h header, err error) {
	if string(b[:7]) != "PMTiles" {
		return h, errors.New("it is no PMTiles archive")
	}
	if b[7] != 3 {
		return h, fmt.Errorf("it is PMTiles of version %d; version 3 is read (pmtiles convert makes it)", b[7])
	}
	number, degrees := binary.LittleEndian.Uint64, func(at int) float64 { return float64(int32(binary.LittleEndian.Uint32(b[at:]))) / 1e7 }
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	for i, name := range []string{"root directory", "metadata", "leaf directories", "tiles"} {
		p := part{number(b[8+16*i:]), number(b[16+16*i:])}
		if p.offset > size || p.length > size-p.offset {
			fault("its %s would end after %d bytes, and it has %d: the file was cut", name, p.offset+p.length, size)
		}
		switch i {
		case 0:
			h.root = p
		case 1:
			h.metadata = p
		}
	}
	if h.root.length == 0 || h.root.offset < headerBytes || h.root.offset+h.root.length > rootEnd {
		fault("its root directory is not within the first %d bytes", rootEnd)
	}
	h.compression, h.minZoom, h.maxZoom = b[97], b[100], b[101]
	if h.metadata.length > metadataMost {
		fault("its metadata have %d bytes; %d are read", h.metadata.length, metadataMost)
	}
	if h.compression != plain && h.compression != zipped {
		fault("its directories are compressed by %s; gzip or none is read", named(compressions, h.compression))
	}
	if b[98] != plain && b[98] != zipped {
		fault("its tiles are compressed by %s; gzip or none is read", named(compressions, b[98]))
	}
	if b[99] != mvt {
		fault("its tiles are %s, not vector tiles (MVT)", named(tileKinds, b[99]))
	}
	if h.minZoom > h.maxZoom || h.maxZoom < 1 || h.maxZoom > 22 {
		fault("its zoom levels are %d to %d", h.minZoom, h.maxZoom)
	}
	h.west, h.south, h.east, h.north = degrees(102), degrees(106), degrees(110), degrees(114)
	if !(h.west < h.east && h.south < h.north && h.west >= -180 && h.east <= 180 && h.south >= -90 && h.north <= 90) {
		fault("its bounds are %g %g to %g %g", h.south, h.west, h.north, h.east)
	}
	return h, errors.Join(faults...)
}

// checkDirectory reports whether the root directory can be read and has a tile.
func (h *header) checkDirectory(root []byte) error {
	root, err := h.unpacked(root)
	if err != nil {
		return fmt.Errorf("its root directory is damaged: %w", err)
	}
	if entries, n := binary.Uvarint(root); n <= 0 || entries == 0 || entries > uint64(len(root)) {
		return errors.New("its root directory is damaged or has no tile")
	}
	return nil
}

// unpacked returns what is behind the compression of directories and metadata.
func (h *header) unpacked(data []byte) ([]byte, error) {
	if h.compression == plain {
		return data, nil
	}
	reader, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(reader, unpackedMost))
}

// markup matches the tags in an attribution.
var markup = regexp.MustCompile(`<[^>]*>`)

// readMetadata takes the attribution from the metadata and checks that the tiles have
// layers that are drawn: those of the Protomaps basemaps.
func (f *File) readMetadata() error {
	data := make([]byte, f.metadata.length)
	if _, err := f.file.ReadAt(data, int64(f.metadata.offset)); err != nil && len(data) > 0 {
		return fmt.Errorf("read its metadata: %w", err)
	}
	data, err := f.unpacked(data)
	if err != nil {
		return fmt.Errorf("its metadata are damaged: %w", err)
	}
	var about struct {
		Attribution string `json:"attribution"`
		Layers      []struct {
			ID string `json:"id"`
		} `json:"vector_layers"`
	}
	if err := json.Unmarshal(data, &about); err != nil {
		return fmt.Errorf("its metadata are no JSON: %w", err)
	}
	drawn := false
	for _, layer := range about.Layers {
		drawn = drawn || layer.ID == "earth" || layer.ID == "roads"
	}
	if !drawn {
		return errors.New("its metadata name none of the layers earth and roads: it is not in the form of the Protomaps basemaps, which alone is drawn")
	}
	f.Attribution = markup.ReplaceAllString(about.Attribution, "")
	return nil
}
