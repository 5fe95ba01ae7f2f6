package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// floorRow is a row of the table of folders in docs/development/architecture.md.
var floorRow = regexp.MustCompile("(?m)^\\| (\\d) \\| `(\\w+)/` \\|")

// upward are the imports between folders that do not lead to a lower floor.
var upward = [][2]string{
	// gen makes the wrappers from the table of MPI functions, and bench reads what was recorded.
	{"recorder", "model"},
	// gen makes the layouts of CPython from their table.
	{"recorder", "binary"},
}

// common are the analyses that serve the others.
var common = []string{"share", "waitfor"}

// betweenAnalyses are the imports from one analysis to another: the three are the stages of hang diagnosis.
var betweenAnalyses = [][2]string{{"progress", "divergence"}, {"slice", "divergence"}, {"slice", "progress"}}

// readFloors returns the floor of each folder, as docs/development/architecture.md has it.
func readFloors(t *testing.T) map[string]int {
	t.Helper()
	text := musttest.Get(os.ReadFile("../docs/development/architecture.md"))(t)
	out := map[string]int{}
	for _, row := range floorRow.FindAllStringSubmatch(string(text), -1) {
		out[row[2]], _ = strconv.Atoi(row[1])
	}
	return out
}

// mayImport reports whether docs/development/architecture.md lets a package import another; both are paths below laggard/.
func mayImport(floors map[string]int, from, to string) bool {
	if forTests(to) && !forTests(from) {
		return false
	}
	a, b := strings.Split(from, "/"), strings.Split(to, "/")
	if a[0] != b[0] {
		return floors[b[0]] < floors[a[0]] || slices.Contains(upward, [2]string{a[0], b[0]})
	}
	if a[0] == "analysis" && a[1] != b[1] {
		return slices.Contains(common, b[1]) || slices.Contains(betweenAnalyses, [2]string{a[1], b[1]})
	}
	return true // the compiler refuses circles
}

// forTests reports whether a package exists for tests.
func forTests(path string) bool { return strings.HasSuffix(path, "test") || path == "internal/golden" }

func TestImportDirections(t *testing.T) {
	floors := readFloors(t)
	out := musttest.Get(exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "laggard/...").Output())(t)
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		from := strings.TrimPrefix(fields[0], "laggard/")
		folder, _, _ := strings.Cut(from, "/")
		if _, known := floors[folder]; !known {
			t.Fatalf("docs/development/architecture.md has no floor for %s", folder)
		}
		for _, imported := range fields[1:] {
			if to, ours := strings.CutPrefix(imported, "laggard/"); ours && !mayImport(floors, from, to) {
				t.Errorf("%s must not import %s: see the floors in docs/development/architecture.md", from, to)
			}
		}
	}
}

// TestMayImport: the rule refuses what it is there to refuse.
func TestMayImport(t *testing.T) {
	floors := readFloors(t)
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"report/usage", "analysis/usage/finding", true},
		{"analysis/usage", "analysis/usage/replay", true},
		{"analysis/usage/between", "analysis/waitfor", true},
		{"analysis/slice", "analysis/progress", true},
		{"recorder/gen", "model/mpi", true},
		{"model", "analysis/usage", false},
		{"report/usage", "mpiapp", false},
		{"recorder/bench", "analysis/usage/recorded", false},
		{"analysis/usage/replay", "analysis/movement", false},
		{"analysis/scaling", "analysis/progress/facts", false},
		{"analysis/divergence", "analysis/progress", false},
		{"analysis/progress", "intake/backtrace", false},
		{"job", "report/words", false},
		{"internal/bound", "model", false},
		{"reduce", "reduce/reducetest", false},
	} {
		checktest.Equal(t, c.want, mayImport(floors, c.from, c.to), c.from, "imports", c.to)
	}
}

// eachGoFile gives check the text of each Go file of the project that is not test data.
func eachGoFile(t *testing.T, check func(name, text string)) {
	t.Helper()
	out, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "..").Output()
	if err != nil {
		t.Skip("no git checkout")
	}
	for _, name := range strings.Fields(string(out)) {
		if filepath.Ext(name) != ".go" || strings.Contains(name, "testdata/") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			continue // deleted, and not yet committed
		}
		check(name, string(text))
	}
}

// maxMethods is how many methods a type may have: one with more follows several things.
const maxMethods = 40

var method = regexp.MustCompile(`(?m)^func \(\w* ?\*?(\w+)`)

// TestMethods: no type has too many methods.
func TestMethods(t *testing.T) {
	counts := map[string]int{}
	eachGoFile(t, func(name, text string) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, m := range method.FindAllStringSubmatch(text, -1) {
			counts[filepath.Dir(name)+" "+m[1]]++
		}
	})
	for of, n := range counts {
		if n > maxMethods {
			t.Errorf("%s has %d methods, more than %d", of, n, maxMethods)
		}
	}
}

// maxColumns is the longest that a line may be, a tab being four columns.
const maxColumns = 140

// TestLineLengths: no line has to be scrolled.
func TestLineLengths(t *testing.T) {
	eachGoFile(t, func(name, text string) { checkLineLengths(t, name, text) })
}

func checkLineLengths(t *testing.T, name, text string) {
	if strings.Contains(text, "// Code generated") {
		return
	}
	n, raw := 0, false
	for line := range strings.Lines(text) {
		n++
		if quotes := strings.Count(line, "`"); raw || quotes > 0 {
			raw = raw != (quotes%2 == 1)
			continue // what is in a raw string cannot be broken
		}
		columns := utf8.RuneCountInString(strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    "))
		if columns > maxColumns {
			t.Errorf("%s:%d has %d columns, more than %d", name, n, columns, maxColumns)
		}
	}
}
