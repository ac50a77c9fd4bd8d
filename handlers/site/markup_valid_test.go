//go:build trials

package site_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nuFile is the Nu HTML checker, fetched by npm, see web/tests.
const nuFile = "../../web/tests/node_modules/vnu-jar/build/dist/vnu.jar"

// nuExceptions are words of the checker's messages that are let pass, and why.
var nuExceptions = []struct{ words, reason string }{}

// fromNPM reads a file that npm ci fetches in web/tests.
func fromNPM(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("run npm ci --omit=dev in web/tests: %v", err)
	}
	return content
}

// TestMarkup has the checker of the W3C read every page in every state, and the
// pictures in SVG that are served.
func TestMarkup(t *testing.T) {
	fromNPM(t, nuFile)
	worlds := openWorlds(t)
	stops := stopsOf(t, worlds)
	folder := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seen, names := make(map[string]bool), make(map[string]string) // by content; by file
	add := func(where, ending, content string) {
		if seen[content] {
			return
		}
		seen[content] = true
		file := fmt.Sprintf("%04d%s", len(names), ending)
		names[file] = where
		write(file, content)
	}
	for _, s := range stops {
		add(s.name(), ".html", s.body)
	}
	for _, w := range worlds {
		for _, path := range w.paths {
			if strings.HasSuffix(path, ".svg") {
				add(w.state+path, ".svg", w.get(path).Body.String())
			}
		}
	}
	for _, fault := range nuFaults(t, folder) {
		t.Errorf("%s, line %d: %s: %s", names[filepath.Base(fault.URL)], fault.LastLine, fault.Message, fault.Extract)
	}
	t.Logf("%d files were checked", len(names))

	folder = t.TempDir()
	write("control.html", "<!DOCTYPE html><html lang=es><title>x</title><p><ul><li>x</ul></p>")
	if len(nuFaults(t, folder)) == 0 {
		t.Error("the checker passes a page that is not valid")
	}
}

// nuMessage is a line of the checker's report.
type nuMessage struct {
	Type, SubType, URL, Message, Extract string
	LastLine                             int
}

// nuFaults returns the errors and warnings of all files in a folder.
func nuFaults(t *testing.T, folder string) (faults []nuMessage) {
	t.Helper()
	var report, said bytes.Buffer
	command := exec.Command("java", "-Xss8m", "-jar", nuFile, "--format", "json", "--also-check-svg", "--exit-zero-always", folder)
	command.Stderr, command.Stdout = &report, &said
	if err := command.Run(); err != nil {
		t.Fatalf("running the checker: %v: %s%s", err, said.String(), report.String())
	}
	var read struct{ Messages []nuMessage }
	if err := json.Unmarshal(report.Bytes(), &read); err != nil {
		t.Fatalf("reading the checker's report: %v: %.500s", err, report.String())
	}
	for _, m := range read.Messages {
		if (m.Type != "info" || m.SubType == "warning") && !passed(m) {
			faults = append(faults, m)
		}
	}
	return faults
}

func passed(m nuMessage) bool {
	for _, e := range nuExceptions {
		if strings.Contains(m.Message, e.words) {
			return true
		}
	}
	return false
}
