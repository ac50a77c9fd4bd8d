package forecast

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"slices"
	"time"

	"vigia/forecast/hazard"
)

// packedColumns are a run's columns while nobody reads them, which is most of an hour: a
// fifth of their size. Each point is packed by itself, so that a trail is estimated
// without the others in memory.
type packedColumns struct {
	start time.Time // of the first hour
	hours int
	has   [hazard.NumVariables]bool
	data  []byte // of the points one after the other; one allocation wastes less than many
	ends  []int  // of each point, in data
}

// point returns a point as it is packed, nothing when it was left out.
func (p *packedColumns) point(at int) []byte {
	if at == 0 {
		return p.data[:p.ends[0]]
	}
	return p.data[p.ends[at-1]:p.ends[at]]
}

// pack packs columns. Weather changes little from hour to hour: of a variable, the low
// bytes of the differences come first, and the high ones, nearly all of them 0, after
// them. Deflate makes little of that. Points that are not wanted are left out; nil wants
// all.
func pack(c *hazard.Columns, wanted []bool) (*packedColumns, error) {
	p := &packedColumns{start: c.Start, hours: c.Hours, ends: make([]int, c.Points)}
	for v := range c.Values {
		p.has[v] = c.Values[v] != nil
	}
	var packed bytes.Buffer
	deflate, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		return nil, fmt.Errorf("pack a run: %w", err)
	}
	plain := make([]byte, 2*c.Hours)
	for point := range p.ends {
		if wanted != nil && !wanted[point] {
			p.ends[point] = packed.Len()
			continue
		}
		deflate.Reset(&packed) // a bytes.Buffer takes every write, so no step fails
		for v, column := range c.Values {
			if !p.has[v] {
				continue
			}
			before := int16(0)
			for i, n := range column[point*c.Hours : (point+1)*c.Hours] {
				change := uint16(n-before)<<1 ^ uint16((n-before)>>15) // small for small changes of either sign
				plain[i], plain[c.Hours+i] = byte(change), byte(change>>8)
				before = n
			}
			deflate.Write(plain)
		}
		deflate.Close()
		p.ends[point] = packed.Len()
	}
	p.data = bytes.Clone(packed.Bytes())
	return p, nil
}

// runReader reads runs for the points of one site at a time.
type runReader struct {
	held    []*heldRun
	runs    []hazard.Run // the held; their columns are those of the site read last
	later   []hazard.Run // likewise of its critical point, beyond the hours with a level
	points  []hazard.Point
	packed  bytes.Reader
	inflate io.ReadCloser
	plain   []byte
}

// newRunReader returns a reader of runs for sites of at most so many points.
func newRunReader(held []*heldRun, points int) *runReader {
	r := &runReader{held: held}
	r.inflate = flate.NewReader(&r.packed)
	for _, run := range held {
		r.runs = append(r.runs, hazard.Run{Model: run.model, Init: run.Init, Columns: r.room(run.columns, points)})
		if run.later != nil {
			r.later = append(r.later, hazard.Run{Model: run.model, Init: run.Init, Columns: r.room(run.later, 1)})
		}
		if run.aloft != nil {
			r.runs[len(r.runs)-1].Columns.Values[hazard.WindAloft] = make([]int16, points*run.columns.hours)
			r.plain = make([]byte, max(len(r.plain), 2*run.aloft.hours))
		}
	}
	return r
}

// room returns columns into which some points can be read.
func (r *runReader) room(p *packedColumns, points int) *hazard.Columns {
	c := &hazard.Columns{Start: p.start, Points: points, Hours: p.hours}
	for v, has := range p.has {
		if has {
			c.Values[v] = make([]int16, points*p.hours)
		}
	}
	r.plain = make([]byte, max(len(r.plain), 2*p.hours))
	return c
}

// read reads the runs for a site and returns it with its points as they are in r.runs. It
// panics when memory does not hold what was packed.
func (r *runReader) read(site hazard.Site) hazard.Site {
	r.points = append(r.points[:0], site.Points...)
	for at := range r.points {
		for i, run := range r.held {
			err := r.unpack(run.columns, r.points[at].At, r.runs[i].Columns, at)
			if run.aloft != nil && err == nil {
				err = r.unpackAloft(run.aloft, r.points[at].At, r.runs[i].Columns, at)
			}
			if err != nil {
				panic(fmt.Errorf("unpack a run of %s: %w", run.model, err))
			}
		}
		r.points[at].At = at
	}
	site.Points = r.points
	return site
}

// unpackAloft reads the wind aloft of a point, which few have, into the columns of another.
func (r *runReader) unpackAloft(p *packedColumns, point int, into *hazard.Columns, at int) error {
	series := into.Values[hazard.WindAloft][at*into.Hours : (at+1)*into.Hours]
	for i := range series {
		series[i] = hazard.Missing
	}
	if len(p.point(point)) == 0 {
		return nil
	}
	return r.unpack(p, point, into, at)
}

// readLater reads what the runs have for a site's critical point beyond the hours with a
// level, into point 0 of r.later. It panics as read does.
func (r *runReader) readLater(site hazard.Site) []hazard.Run {
	critical := max(0, slices.IndexFunc(site.Points, func(p hazard.Point) bool { return p.Critical }))
	i := 0
	for _, run := range r.held {
		if run.later == nil {
			continue
		}
		if err := r.unpack(run.later, site.Points[critical].At, r.later[i].Columns, 0); err != nil {
			panic(fmt.Errorf("unpack the later hours of a run of %s: %w", run.model, err))
		}
		i++
	}
	return r.later
}

// unpack reads the columns of a point into those of another, for the hours that both have.
func (r *runReader) unpack(p *packedColumns, point int, into *hazard.Columns, at int) error {
	r.packed.Reset(p.point(point))
	if err := r.inflate.(flate.Resetter).Reset(&r.packed, nil); err != nil {
		return err
	}
	shift := int(p.start.Sub(into.Start) / time.Hour)
	for v, has := range p.has {
		if !has {
			continue
		}
		series := into.Values[v][at*into.Hours : (at+1)*into.Hours]
		plain, before := r.plain[:2*p.hours], int16(0)
		if _, err := io.ReadFull(r.inflate, plain); err != nil {
			return err
		}
		for i := range p.hours {
			change := uint16(plain[i]) | uint16(plain[p.hours+i])<<8
			before += int16(change>>1 ^ -(change & 1))
			if k := i + shift; k >= 0 && k < len(series) {
				series[k] = before
			}
		}
	}
	return nil
}
