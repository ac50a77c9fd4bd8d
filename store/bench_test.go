package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// written tells how many bytes this process has passed to write calls.
func written(b *testing.B) int64 {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		b.Skip(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "wchar: "); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			return n
		}
	}
	b.Skip("no count of bytes written")
	return 0
}

// BenchmarkCommit reports beside the time of a cycle its ratio to the least that
// two fdatasync of as many bytes can take.
func BenchmarkCommit(b *testing.B) {
	for _, trails := range []int{200, 2_000, 20_000} {
		b.Run(fmt.Sprint(trails), func(b *testing.B) {
			s := openStore(b, newPath(b))
			c := makeCatalogue(upTo(trails)...)
			rows := randomRows(rand.New(rand.NewPCG(7, 7)), trails)
			hour := testHour
			for range 170 {
				hour = hour.Add(time.Hour)
				must(b, s.Commit(testCycle(c, hour, rows)))
			}
			bare, err := os.Create(filepath.Join(b.TempDir(), "bare"))
			must(b, err)
			defer func() { _ = bare.Close() }()
			var bytes int64
			var bareTime, commitTime time.Duration
			for b.Loop() {
				hour = hour.Add(time.Hour)
				before, start := written(b), time.Now()
				must(b, s.Commit(testCycle(c, hour, rows)))
				commitTime += time.Since(start)
				n := written(b) - before
				bytes += n
				start = time.Now()
				writeBare(b, bare, int(n))
				bareTime += time.Since(start)
			}
			b.ReportMetric(float64(commitTime.Nanoseconds())/float64(b.N), "ns/commit")
			b.ReportMetric(float64(bytes)/float64(b.N), "bytes-written/commit")
			b.ReportMetric(float64(commitTime)/float64(bareTime), "x-bare")
			b.ReportMetric(float64(s.Size()), "file-bytes")
		})
	}
}

// writeBare writes as a commit does: the pages, a sync, one page, a sync.
func writeBare(b *testing.B, file *os.File, n int) {
	for _, part := range []int{max(n-pageSize, 0), pageSize} {
		if _, err := file.WriteAt(make([]byte, part), 0); err != nil {
			b.Fatal(err)
		}
		must(b, syscall.Fdatasync(int(file.Fd())))
	}
}
