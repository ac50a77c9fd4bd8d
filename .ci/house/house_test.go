// Package house holds the project in shape: its tests read the project's own sources.
// Each check is a function of sources, so that its control can show that it finds what
// it looks for.
package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMain has the tests run in the project's root.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

const module = "vigia"

// arrows says which packages of the project a package may import, beside those
// in ground for packages that are not ground themselves.
var arrows = map[string][]string{
	"": {"handlers", "handlers/cli", "handlers/cli/systemd", "handlers/feeds", "handlers/forms", "handlers/https", "handlers/mapfile", "handlers/metrics", "handlers/site", "notify", "notify/mail", "notify/simulate",
		"forecast", "forecast/calibration", "forecast/openmeteo", "forecast/simulate", "forecast/verification", "store", "web"},
	"handlers":                      {"handlers/api", "handlers/forms", "handlers/site", "handlers/httpcache", "store", "web/wording"},
	"handlers/feeds":                {"handlers/api", "handlers/httpcache", "handlers/site", "store", "web/wording"},
	"handlers/forms":                {"handlers/api", "handlers/httpcache", "handlers/site", "store"},
	"handlers/forms/formstest":      {"handlers", "handlers/api", "handlers/feeds", "handlers/forms", "handlers/httpcache", "handlers/site", "handlers/site/sitetest", "store", "web"},
	"handlers/site/sitetest":        {"handlers/api", "handlers/httpcache", "store"},
	"handlers/api":                  {"handlers/httpcache", "store", "web/wording"},
	"handlers/site":                 {"handlers/api", "handlers/httpcache", "store", "web", "web/wording"},
	"handlers/e2e":                  {},
	"handlers/cli":                  {"handlers/cli/control", "handlers/cli/settings", "handlers/cli/systemd", "handlers/mapfile", "store"},
	"handlers/cli/clitest":          {"forecast/simulate", "forecast/simulatetest", "notify/mail/mailtest", "notify/push/pushtest"},
	"handlers/cli/control":          {},
	"handlers/cli/settings":         {},
	"handlers/cli/systemd":          {"handlers/cli/settings", "store"},
	"handlers/httpcache":            {},
	"handlers/https":                {},
	"handlers/mapfile":              {},
	"handlers/mapfile/mapfiletest":  {},
	"handlers/metrics":              {"handlers/https", "store"},
	"notify":                        {"notify/message", "notify/mail", "notify/push", "store"},
	"notify/message":                {"store", "web/wording"},
	"notify/mail":                   {"notify/message", "web/wording"},
	"notify/push":                   {"notify/message", "web/wording"},
	"notify/simulate":               {"notify", "notify/message", "notify/mail", "notify/push"},
	"notify/mail/mailtest":          {},
	"notify/push/pushtest":          {},
	"forecast":                      {"forecast/noticefeed", "forecast/openmeteo", "forecast/verification", "store"},
	"forecast/noticefeed":           {"store"},
	"forecast/openmeteo":            {},
	"forecast/simulate":             {},
	"forecast/simulatetest":         {"forecast/simulate"},
	"forecast/hazard":               {},
	"forecast/alert":                {"forecast/hazard"},
	"forecast/snapshot":             {"forecast/hazard", "store/catalogue"},
	"forecast/daylight":             {"forecast/hazard", "forecast/alert", "store/catalogue", "store/notices"},
	"forecast/verification":         {"forecast/openmeteo", "store", "store/document"},
	"forecast/calibration":          {"forecast/openmeteo"},
	"store":                         {},
	"store/storetest":               {"store"},
	"store/document":                {},
	"store/catalogue":               {"forecast/hazard", "store/document"},
	"store/catalogue/cataloguetest": {},
	"store/notices":                 {"store/catalogue", "store/document"},
	"store/subscription":            {"forecast/alert", "forecast/hazard", "store/catalogue"},
	"web":                           {},
	"web/wording":                   {"web"},
}

// ground are the packages of plain values that stand at the foot of the house.
var ground = []string{"forecast/hazard", "forecast/alert", "forecast/snapshot", "forecast/daylight", "store/catalogue", "store/notices", "store/subscription"}

// standardOnly are the packages that stand on the standard library and the
// arrows above alone.
var standardOnly = []string{"forecast/hazard", "forecast/alert", "forecast/snapshot", "store/catalogue",
	"store/notices", "handlers/cli/control", "handlers/httpcache", "web", "web/wording"}

// libraries says which top folders ("" is main) may import a library from outside.
var libraries = map[string][]string{
	"go.etcd.io/bbolt":                      {"store"},
	"github.com/julienschmidt/httprouter":   {"handlers"},
	"github.com/go-co-op/gocron/v2":         {"", "forecast"},
	"github.com/jonboulle/clockwork":        {"", "forecast", "handlers", "notify", "store"},
	"github.com/wneessen/go-mail":           {"notify"},
	"github.com/SherClockHolmes/webpush-go": {"notify"},
	"github.com/caddyserver/certmagic":      {"handlers"},
	"github.com/mholt/acmez/v3":             {"handlers"},
	"go.uber.org/zap":                       {"handlers"},
	"github.com/prometheus/client_golang":   {"handlers"},
	"golang.org/x/net/idna":                 {"store"},
	"rsc.io/qr":                             {"handlers"},
	"github.com/emersion/go-smtp":           {"notify"},
	"github.com/golang-jwt/jwt/v5":          {"notify"},
	"github.com/emersion/go-sasl":           {"notify"},
	"github.com/coreos/go-systemd/v22":      {"handlers"},
	"github.com/alecthomas/kong":            {"handlers"},
	"github.com/pelletier/go-toml/v2":       {"handlers"},
	"github.com/go-json-experiment/json":    {"forecast", "handlers", "store"},
}

// source is a Go file of the project.
type source struct {
	path string // with slashes, from the project's root
	file *ast.File
	set  *token.FileSet
}

func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

// dir is the folder of the file, "" for the root.
func (s source) dir() string {
	if dir := path.Dir(s.path); dir != "." {
		return dir
	}
	return ""
}

func (s source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, s.set.Position(n.Pos()).Line)
}

func (s source) lines(n ast.Node) int {
	return s.set.Position(n.End()).Line - s.set.Position(n.Pos()).Line + 1
}

func parseSource(t *testing.T, name string, text any) source {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return source{path: filepath.ToSlash(name), file: file, set: set}
}

// projectSources reads every Go file of the project, for whatever system it is.
func projectSources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return fs.SkipDir
		case !entry.IsDir() && strings.HasSuffix(name, ".go"):
			all = append(all, parseSource(t, name, nil))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("only %d Go files found: the checks would check nothing", len(all))
	}
	return all
}

// expectNone reports findings, of which there should be none.
func expectNone(t *testing.T, findings []string) {
	t.Helper()
	for _, f := range findings {
		t.Error(f)
	}
}

// expectFound is the control of a check: a finding for each of the words.
func expectFound(t *testing.T, findings []string, words ...string) {
	t.Helper()
	if len(findings) != len(words) {
		t.Errorf("%d findings, want %d: %q", len(findings), len(words), findings)
	}
	for _, w := range words {
		if !slices.ContainsFunc(findings, func(f string) bool { return strings.Contains(f, w) }) {
			t.Errorf("control: %q is not found in %q", w, findings)
		}
	}
}

// strayArrows finds imports that the tables do not allow. Tests may import more:
// they run real parts together.
func strayArrows(sources []source) (findings []string) {
	for _, s := range sources {
		if s.isTest() {
			continue
		}
		if _, known := arrows[s.dir()]; !known {
			findings = append(findings, fmt.Sprintf("%s: the package %q has no place in the house (see arrows)", s.path, s.dir()))
			continue
		}
		for _, spec := range s.file.Imports {
			if imported := strings.Trim(spec.Path.Value, `"`); !allowedImport(s.dir(), imported) {
				findings = append(findings, fmt.Sprintf("%s: %q may not import %q", s.at(spec), s.dir(), imported))
			}
		}
	}
	return findings
}

func allowedImport(from, imported string) bool {
	if to, own := strings.CutPrefix(imported, module+"/"); own {
		return slices.Contains(arrows[from], to) || slices.Contains(ground, to) && standsAbove(from)
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return true // the standard library has no dot in its first element
	}
	top, _, _ := strings.Cut(from, "/")
	for library, users := range libraries {
		if imported == library || strings.HasPrefix(imported, library+"/") {
			return slices.Contains(users, top) && !slices.Contains(standardOnly, from)
		}
	}
	return false
}

// standsAbove tells whether a package may import the ground without an arrow.
func standsAbove(from string) bool {
	return !slices.Contains(ground, from) && !slices.Contains([]string{"handlers/httpcache", "web"}, from)
}

func TestImportsFollowTheArrows(t *testing.T) {
	expectNone(t, strayArrows(projectSources(t)))
	var control []source
	for name, imports := range map[string]string{
		"handlers/api/a.go":    `"vigia/forecast"; "vigia/store"; "vigia/forecast/alert"`,
		"forecast/a.go":        `"vigia/handlers"`,
		"notify/a.go":          `"vigia/forecast/openmeteo"`,
		"store/a.go":           `"vigia/handlers/cli/settings"; "go.etcd.io/bbolt"; "vigia/forecast/alert"`,
		"forecast/hazard/a.go": `"vigia/forecast/alert"; "math"`,
		"forecast/alert/a.go":  `"github.com/jonboulle/clockwork"`,
		"store/b.go":           `"go.etcd.io/bbolt/errors"; "example.org/x"`,
		"web/a.go":             `"vigia/store/catalogue"`,
		"handlers/a.go":        `"go.etcd.io/bbolt"`,
		"extra/a.go":           `"fmt"`,
		"handlers/a_test.go":   `"vigia/forecast"`,
	} {
		control = append(control, parseSource(t, name, "package a\nimport ("+imports+")"))
	}
	expectFound(t, strayArrows(control),
		`"handlers/api" may not import "vigia/forecast"`, `"forecast" may not import "vigia/handlers"`,
		`"notify" may not import "vigia/forecast/openmeteo"`, `"store" may not import "vigia/handlers/cli/settings"`,
		`"forecast/hazard" may not`, `"forecast/alert" may not`, `"web" may not`, `"handlers" may not import "go.etcd.io/bbolt"`,
		`"extra" has no place`, `"store" may not import "example.org/x"`)
}

// emptyNames are names that say nothing of what is inside.
var emptyNames = regexp.MustCompile(`^(utils?|helpers?|common|misc|types|models|base|lib|shared)$`)

func badNames(sources []source) (findings []string) {
	for _, s := range sources {
		if s.path == "handlers/api/types.go" { // the contract of the API
			continue
		}
		base := strings.TrimSuffix(strings.TrimSuffix(path.Base(s.path), ".go"), "_test")
		folder := path.Base(s.dir())
		for _, name := range []string{base, folder, strings.TrimSuffix(s.file.Name.Name, "_test")} {
			if emptyNames.MatchString(name) {
				findings = append(findings, fmt.Sprintf("%s: the name %q says nothing of what is inside", s.path, name))
			}
		}
	}
	return findings
}

func TestNames(t *testing.T) {
	expectNone(t, badNames(projectSources(t)))
	expectFound(t, badNames([]source{
		parseSource(t, "store/util.go", "package store"),
		parseSource(t, "common/a.go", "package a"),
		parseSource(t, "store/a.go", "package helpers"),
		parseSource(t, "store/models.go", "package store"),
		parseSource(t, "forecast/model.go", "package forecast"), // a weather model
	}), "util", "common", "helpers", "models")
}

// topLevel are the names in the project's root; names with a dot first and what
// .gitignore leaves out aside.
var topLevel = []string{"main.go", "main_test.go", "store", "handlers", "forecast", "notify", "web",
	"go.mod", "go.sum", "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md"}

func TestTopLevelIsFixed(t *testing.T) {
	ignored, err := os.ReadFile(".gitignore")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		left := strings.Contains("\n"+string(ignored), "\n/"+name+"\n") || strings.Contains("\n"+string(ignored), "\n/"+name+"/\n")
		if name[0] != '.' && !left && !slices.Contains(topLevel, name) {
			t.Errorf("%s has no place in the project's root", name)
		}
	}
}

// missingPackageComments finds packages without exactly one comment that says
// what they are for.
func missingPackageComments(sources []source) (findings []string) {
	comments := map[string][]string{}
	for _, s := range sources {
		if s.isTest() {
			continue
		}
		comments[s.dir()] = append(comments[s.dir()], "")
		text := s.file.Doc.Text()
		if text == "" {
			continue
		}
		comments[s.dir()] = append(comments[s.dir()], s.path)
		if name := s.file.Name.Name; name != "main" && !strings.HasPrefix(text, "Package "+name+" ") {
			findings = append(findings, fmt.Sprintf("%s: the package comment does not begin with \"Package %s\"", s.path, name))
		}
	}
	for dir, paths := range comments {
		paths = slices.DeleteFunc(paths, func(p string) bool { return p == "" })
		if len(paths) != 1 {
			findings = append(findings, fmt.Sprintf("package %q has %d package comments, want one: %q", dir, len(paths), paths))
		}
	}
	return findings
}

func TestPackagesAreDocumented(t *testing.T) {
	expectNone(t, missingPackageComments(projectSources(t)))
	expectFound(t, missingPackageComments([]source{
		parseSource(t, "a/a.go", "package a"),
		parseSource(t, "b/a.go", "// Package b is.\npackage b"),
		parseSource(t, "b/b.go", "// Package b is too.\npackage b"),
		parseSource(t, "c/c.go", "// What a package.\npackage c"),
		parseSource(t, "d/d.go", "// Package d is.\npackage d"),
	}), `"a" has 0`, `"b" has 2`, `"Package c"`)
}

// undocumented finds exported names without a comment. A comment on a group of
// constants or variables, or at the end of a line of it, holds for its names.
func undocumented(sources []source) (findings []string) {
	for _, s := range sources {
		if s.isTest() {
			continue
		}
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) {
					findings = append(findings, fmt.Sprintf("%s: %s has no comment", s.at(d), d.Name.Name))
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					for _, name := range undocumentedSpec(d, spec) {
						findings = append(findings, fmt.Sprintf("%s: %s has no comment", s.at(spec), name))
					}
				}
			}
		}
	}
	return findings
}

// exportedReceiver tells whether a function is seen from outside through its receiver.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	receiver := d.Recv.List[0].Type
	for {
		switch r := receiver.(type) {
		case *ast.StarExpr:
			receiver = r.X
		case *ast.IndexExpr:
			receiver = r.X
		case *ast.IndexListExpr:
			receiver = r.X
		case *ast.Ident:
			return r.IsExported()
		default:
			return true
		}
	}
}

func undocumentedSpec(d *ast.GenDecl, spec ast.Spec) (names []string) {
	switch sp := spec.(type) {
	case *ast.TypeSpec:
		if sp.Name.IsExported() && sp.Doc == nil && d.Doc == nil {
			names = append(names, sp.Name.Name)
		}
	case *ast.ValueSpec:
		if sp.Doc != nil || sp.Comment != nil || d.Doc != nil {
			return nil
		}
		for _, n := range sp.Names {
			if n.IsExported() {
				names = append(names, n.Name)
			}
		}
	}
	return names
}

func TestExportedNamesAreDocumented(t *testing.T) {
	expectNone(t, undocumented(projectSources(t)))
	expectFound(t, undocumented([]source{parseSource(t, "a/a.go", `package a
func F() {}
type T struct{}
func (t *T) M() {}
type g[K any] struct{}
func (g *g[K]) Hidden() {}
const C = 1
var (
	V, w = 1, 2
	U = 1 // said here
)
// Said for all.
const ( A = iota; B )
`)}), " F ", " T ", " M ", " C ", " V ")
}

// Limits of shape, in lines.
const (
	longestFunction = 100
	functionP90     = 40
	fileP90         = 350
)

// tooLong finds functions and files beyond the limits of shape. Tests count for
// the longest function alone.
func tooLong(sources []source) (findings []string) {
	var functions, files []int
	for _, s := range sources {
		if !s.isTest() {
			files = append(files, s.set.Position(s.file.FileEnd).Line)
		}
		for _, decl := range s.file.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := s.lines(d); n > longestFunction {
				findings = append(findings, fmt.Sprintf("%s: %s has %d lines, at most %d", s.at(d), d.Name.Name, n, longestFunction))
			}
			if !s.isTest() {
				functions = append(functions, s.lines(d))
			}
		}
	}
	for _, c := range []struct {
		what  string
		sizes []int
		limit int
	}{{"functions", functions, functionP90}, {"files", files, fileP90}} {
		if p := percentile90(c.sizes); p > c.limit {
			findings = append(findings, fmt.Sprintf("a tenth of the %s have over %d lines, at most %d", c.what, p, c.limit))
		}
	}
	return findings
}

// percentile90 gives the smallest size that nine tenths do not pass.
func percentile90(sizes []int) int {
	if len(sizes) == 0 {
		return 0
	}
	slices.Sort(sizes)
	return sizes[(len(sizes)*9+9)/10-1]
}

func TestShape(t *testing.T) {
	expectNone(t, tooLong(projectSources(t)))
	function := func(lines int) string { return "func f() {" + strings.Repeat("\n", lines-1) + "}\n" }
	control := []source{
		parseSource(t, "a/a.go", "package a\n"+function(longestFunction+1)+strings.Repeat(function(functionP90+1), 9)),
		parseSource(t, "a/a_test.go", "package a\n"+function(longestFunction+1)),
	}
	expectFound(t, tooLong(control), "a/a.go:2: f has 101", "a/a_test.go:2: f has 101", "functions have over 41", "files have over")
	fits := "package a\n" + strings.Repeat(function(functionP90), 2) + strings.Repeat(function(1), 5)
	expectFound(t, tooLong([]source{parseSource(t, "a/a.go", fits)}))
}

// sleepers are the tests that may sleep: in a process of their own, until it is
// killed.
var sleepers = []string{"store/crash_test.go"}

// clockReaders finds uses of the machine's clock outside main: the clock is
// passed in, so that tests and the demo can turn it. A test that sleeps is slow
// and still depends on how busy the machine is. The deadlines of a connection are told
// by the machine's own clock: that of the demo runs ahead of it.
func clockReaders(sources []source) (findings []string) {
	for _, s := range sources {
		readers := []string{"Now", "Since", "Until"}
		switch {
		case slices.Contains(sleepers, s.path), !s.isTest() && s.dir() == "":
			continue
		case s.isTest():
			readers = []string{"Sleep"}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				called, ok := call.Fun.(*ast.SelectorExpr)
				return !ok || called.Sel.Name != "SetReadDeadline"
			}
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			from, ok := selector.X.(*ast.Ident)
			if ok && from.Name == "time" && slices.Contains(readers, selector.Sel.Name) {
				findings = append(findings, fmt.Sprintf("%s: time.%s depends on the machine's clock", s.at(n), selector.Sel.Name))
			}
			return true
		})
	}
	return findings
}

func TestTheClockIsPassedIn(t *testing.T) {
	expectNone(t, clockReaders(projectSources(t)))
	expectFound(t, clockReaders([]source{
		parseSource(t, "a/a.go", "package a\nimport \"time\"\nvar A = time.Now()\nvar B = time.Unix(0, 0)\nvar C = time.Since\nvar D = a.SetReadDeadline(time.Now())"),
		parseSource(t, "a/a_test.go", "package a\nimport \"time\"\nvar A = time.Now()\nvar C = time.Sleep"),
		parseSource(t, "main.go", "package main\nimport \"time\"\nvar A = time.Now()"),
	}), "a/a.go:3: time.Now", "a/a.go:5: time.Since", "a/a_test.go:4: time.Sleep")
}

// toolSeekers finds tests that look for a program or mount a disk, and are built
// without a tag: go test needs Go alone.
func toolSeekers(sources []source) (findings []string) {
	for _, s := range sources {
		tagged := slices.ContainsFunc(s.file.Comments, func(c *ast.CommentGroup) bool {
			return regexp.MustCompile(`^//go:build .*(browser|trials)`).MatchString(c.List[0].Text)
		})
		if !s.isTest() || tagged {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			from, ok := selector.X.(*ast.Ident)
			if ok && (from.Name == "exec" && selector.Sel.Name == "LookPath" || from.Name == "syscall" && selector.Sel.Name == "Mount" || from.Name == "chromedp") {
				findings = append(findings, fmt.Sprintf("%s: %s.%s in a test without a tag", s.at(n), from.Name, selector.Sel.Name))
			}
			return true
		})
	}
	return findings
}

func TestWithoutTagsGoIsEnough(t *testing.T) {
	expectNone(t, toolSeekers(projectSources(t)))
	const body = "package a\nvar A = exec.LookPath\nvar B = syscall.Mount\nvar C = exec.Command"
	expectFound(t, toolSeekers([]source{
		parseSource(t, "a/a_test.go", body), parseSource(t, "a/b_test.go", "//go:build !race\n\n"+body),
		parseSource(t, "a/c_test.go", "//go:build browser && trials\n\n"+body), parseSource(t, "a/a.go", body),
	}), "a/a_test.go:2: exec.LookPath", "a/a_test.go:3: syscall.Mount", "a/b_test.go:4", "a/b_test.go:5")
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// testCommand is the line that runs the tests, wherever it is written.
var testCommand = regexp.MustCompile("(?m)^(?:test_command=')?(go test [^`'\n]*)'?$")

// Whoever weighs the program's dependencies finds each of them, with why it is there.
func TestSecurityNamesEveryDependency(t *testing.T) {
	modules, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	told, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	direct := regexp.MustCompile(`(?m)^(?:require |\t)([a-z0-9.-]+\.[a-z]+/\S+|[a-z.]+/\S+) v\S+$`).FindAllSubmatch(modules, -1)
	if len(direct) < 10 {
		t.Fatalf("only %d modules are found", len(direct))
	}
	for _, m := range direct {
		if !bytes.Contains(told, fmt.Appendf(nil, "`%s`", m[1])) {
			t.Errorf("SECURITY.md does not say why %s is there", m[1])
		}
	}
}

// What is linked into the program is told of, whoever asked for it, and nothing else
// stands in that table.
func TestSecurityNamesEveryLinkedModule(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(list))
	slices.Sort(linked)
	linked = slices.Compact(linked)
	text, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(text), "\nIn the program:\n")
	part, _, _ = strings.Cut(part, "\nIn the tests alone")
	var told []string
	for _, m := range regexp.MustCompile("`([a-z.]+\\.[a-z]+/[^`]+)`").FindAllStringSubmatch(part, -1) {
		told = append(told, m[1])
	}
	slices.Sort(told)
	if len(linked) < 10 || !slices.Equal(told, linked) {
		t.Errorf("SECURITY.md names %q\nlinked are      %q", told, linked)
	}
}

// What stands in for others in tests is not in the program.
func TestNoTestServerIsLinked(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(list))
	if !slices.Contains(linked, module+"/store") {
		t.Fatalf("linked are %q", linked)
	}
	for _, name := range linked {
		if strings.HasSuffix(name, "test") && name != "internal/synctest" || name == "testing" || strings.HasPrefix(name, "github.com/emersion/") {
			t.Errorf("%s is linked into the program", name)
		}
	}
}

func TestReadmeAndGateRunTheSameTests(t *testing.T) {
	gate, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	ofGate := testCommand.FindSubmatch(gate)
	if ofGate == nil {
		t.Fatal(".ci/run names no test command")
	}
	ofReadme := testCommand.FindStringSubmatch(readText(t, "README.md"))
	if ofReadme == nil || ofReadme[1] != string(ofGate[1]) {
		t.Errorf("README.md tells to test with %q, the gate runs %q", ofReadme, ofGate[1])
	}
}
