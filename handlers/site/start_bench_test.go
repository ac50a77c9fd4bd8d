package site

import (
	"runtime"
	"testing"

	"vigia/web"
)

// BenchmarkStart measures what a site costs before it answers anything: time, and
// what stays on the heap, before and after every page of a snapshot was rendered.
func BenchmarkStart(b *testing.B) {
	heap := func() (objects, bytes float64) {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapObjects), float64(m.HeapAlloc)
	}
	e := short(newSnapshot(b))
	bodies(newSite(b).Pages(e, now)) // what is made once for all sites
	var s *Site
	objects, bytes := heap()
	for b.Loop() {
		p, err := readBundle(web.Files)
		if err != nil {
			b.Fatal(err)
		}
		if s, err = p.site(Options{}, web.Files); err != nil {
			b.Fatal(err)
		}
	}
	after, held := heap()
	b.ReportMetric(after-objects, "objects")
	b.ReportMetric((held-bytes)/1e6, "MB")
	bodies(s.Pages(e, now))
	after, held = heap()
	b.ReportMetric(after-objects, "objects-rendered")
	b.ReportMetric((held-bytes)/1e6, "MB-rendered")
	runtime.KeepAlive(s)
	runtime.KeepAlive(e)
}
