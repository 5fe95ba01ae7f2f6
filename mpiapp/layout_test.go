package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// allowed lists, for each package of ours, which packages of ours it may import:
// data flow from the recorder to the report, and nothing on the left imports
// anything on the right.
var allowed = map[string][]string{
	"laggard/analysis/movement": {
		"laggard/analysis/movement/chain", "laggard/analysis/movement/invariant",
		"laggard/analysis/movement/outlier", "laggard/analysis/movement/profile",
		"laggard/analysis/movement/recorded", "laggard/analysis/share", "laggard/model", "laggard/reduce",
		"laggard/symbol",
	},
	"laggard/analysis/movement/chain":           {"laggard/model", "laggard/model/wire"},
	"laggard/analysis/movement/chain/chaintest": {"laggard/analysis/movement/chain"},
	"laggard/analysis/movement/invariant": {
		"laggard/analysis/movement/chain", "laggard/analysis/movement/profile", "laggard/model",
	},
	"laggard/analysis/movement/outlier": {
		"laggard/analysis/movement/chain", "laggard/analysis/movement/profile",
	},
	"laggard/analysis/known":             {"laggard/internal/tomlfile"},
	"laggard/analysis/movement/profile":  {"laggard/analysis/movement/chain"},
	"laggard/analysis/movement/recorded": {"laggard/analysis/movement/chain", "laggard/model", "laggard/symbol"},
	"laggard/analysis/divergence":        {"laggard/analysis/share", "laggard/model", "laggard/reduce", "laggard/slicing"},
	"laggard/analysis/scaling": {
		"laggard/analysis/scaling/judge", "laggard/analysis/scaling/kcca", "laggard/analysis/scaling/recorded",
		"laggard/analysis/scaling/training", "laggard/analysis/share", "laggard/model", "laggard/reduce",
		"laggard/symbol",
	},
	"laggard/analysis/scaling/file": {},
	"laggard/analysis/scaling/judge": {
		"laggard/analysis/scaling/file", "laggard/analysis/scaling/recorded", "laggard/analysis/scaling/regression",
		"laggard/analysis/scaling/training", "laggard/model",
	},
	"laggard/analysis/scaling/kcca":          {"laggard/analysis/scaling/file", "laggard/analysis/scaling/recorded"},
	"laggard/analysis/scaling/kcca/kccatest": {},
	"laggard/analysis/scaling/recorded":      {"laggard/analysis/scaling/file", "laggard/model", "laggard/symbol"},
	"laggard/analysis/scaling/regression":    {"laggard/analysis/scaling/file", "laggard/analysis/scaling/recorded"},
	"laggard/analysis/scaling/training": {
		"laggard/analysis/scaling/file", "laggard/analysis/scaling/kcca", "laggard/analysis/scaling/recorded",
		"laggard/analysis/scaling/regression",
	},
	"laggard/analysis/share": {"laggard/model", "laggard/reduce"},
	"laggard/analysis/slice": {
		"laggard/analysis/divergence", "laggard/analysis/progress", "laggard/model", "laggard/reduce", "laggard/slicing",
		"laggard/slicing/calls",
	},
	"laggard/analysis/usage": {
		"laggard/analysis/share", "laggard/analysis/usage/between", "laggard/analysis/usage/finding",
		"laggard/analysis/usage/recorded", "laggard/analysis/usage/replay", "laggard/model", "laggard/reduce",
	},
	"laggard/analysis/usage/between": {
		"laggard/analysis/usage/finding", "laggard/analysis/usage/recorded", "laggard/analysis/usage/replay",
		"laggard/analysis/usage/typemap", "laggard/analysis/waitfor", "laggard/model", "laggard/model/mpi",
		"laggard/model/wire",
	},
	"laggard/analysis/usage/finding": {
		"laggard/analysis/usage/recorded", "laggard/model", "laggard/model/wire",
	},
	"laggard/analysis/usage/recorded": {"laggard/model", "laggard/model/mpi"},
	"laggard/analysis/usage/replay": {
		"laggard/analysis/usage/finding", "laggard/analysis/usage/recorded", "laggard/analysis/usage/typemap",
		"laggard/model", "laggard/model/mpi",
	},
	"laggard/analysis/usage/typemap": {"laggard/analysis/usage/recorded"},
	"laggard/analysis/usage/usagetest": {
		"laggard/analysis/usage/recorded", "laggard/analysis/usage/typemap", "laggard/model",
		"laggard/model/mpi",
	},
	"laggard/analysis/waitfor": {"laggard/model"},
	"laggard/injector":         {"laggard/injector/ptrace", "laggard/model", "laggard/model/mpi"},
	"laggard/injector/ptrace":  {},
	"laggard/injector/synth":   {"laggard/model"},
	"laggard/intake/backtrace": {
		"laggard/internal/regular", "laggard/model", "laggard/model/mpi", "laggard/symbol", "laggard/symbol/outside",
	},
	"laggard/intake/library": {"laggard/model"},
	"laggard/intake/stopped": {"laggard/internal/regular"},
	"laggard/intake/unwind":  {"laggard/intake/stopped"},
	"laggard/intake/python":  {"laggard/intake/stopped", "laggard/intake/unwind", "laggard/model", "laggard/symbol"},
	"laggard/intake/values":  {"laggard/intake/unwind", "laggard/model", "laggard/model/values", "laggard/symbol"},
	"laggard/job": {
		"laggard/job/collect", "laggard/job/launcher", "laggard/job/preload", "laggard/job/rundir",
		"laggard/job/sight", "laggard/job/watch", "laggard/model", "laggard/symbol",
	},
	"laggard/job/suite": {"laggard/model", "laggard/python"},
	"laggard/python":    {},
	"laggard/job/attach": {
		"laggard/intake/backtrace", "laggard/intake/library", "laggard/intake/python", "laggard/intake/stopped",
		"laggard/intake/unwind", "laggard/intake/values",
		"laggard/job/attach/waits", "laggard/job/launcher", "laggard/job/rundir", "laggard/model", "laggard/model/mpi",
		"laggard/model/process", "laggard/model/values", "laggard/slicing/argument", "laggard/slicing/native",
		"laggard/symbol",
	},
	"laggard/job/attach/waits": {
		"laggard/intake/library", "laggard/model", "laggard/model/mpi", "laggard/slicing/argument",
	},
	"laggard/job/collect":  {"laggard/job/rundir", "laggard/model", "laggard/model/process"},
	"laggard/job/doctor":   {"laggard/job/preload", "laggard/slicing/dyninst"},
	"laggard/job/launcher": {},
	"laggard/job/preload":  {},
	"laggard/job/rundir":   {"laggard/job/launcher", "laggard/model", "laggard/model/process"},
	"laggard/job/sight": {
		"laggard/intake/backtrace", "laggard/job/launcher", "laggard/job/rundir", "laggard/model",
		"laggard/model/process",
	},
	"laggard/job/standstill": {"laggard/model", "laggard/model/process"},
	"laggard/job/trial": {
		"laggard/injector", "laggard/job", "laggard/job/standstill", "laggard/job/watch", "laggard/model",
		"laggard/slicing/native", "laggard/symbol",
	},
	"laggard/job/watch": {
		"laggard/job/attach", "laggard/job/collect", "laggard/job/rundir", "laggard/job/sight", "laggard/job/standstill",
		"laggard/model", "laggard/model/process", "laggard/symbol",
	},
	"laggard/internal/golden":   {},
	"laggard/internal/heap":     {},
	"laggard/internal/regular":  {},
	"laggard/internal/tomlfile": {},
	"laggard/model":             {"laggard/internal/regular", "laggard/model/mpi"},
	"laggard/model/mpi":         {},
	"laggard/model/process":     {"laggard/internal/regular", "laggard/model"},
	"laggard/model/values":      {"laggard/internal/regular"},
	"laggard/model/wire":        {"laggard/model"},
	"laggard/recorder/bench":    {"laggard/model"},
	"laggard/recorder/floors":   {},
	"laggard/recorder/gen":      {"laggard/model/mpi"},

	"laggard/recorder/python/hostile": {},
	"laggard/reduce":                  {},
	"laggard/reduce/reducetest":       {"laggard/reduce"},
	"laggard/report":                  {"laggard/model", "laggard/report/words", "laggard/symbol"},
	"laggard/report/chart":            {},
	"laggard/report/ci":               {"laggard/report/diagnosis", "laggard/report/usage", "laggard/report/words"},
	"laggard/report/inspect":          {"laggard/analysis/share", "laggard/model"},
	"laggard/report/diagnosis": {
		"laggard/analysis/divergence", "laggard/analysis/known", "laggard/analysis/progress",
		"laggard/analysis/progress/contrast", "laggard/analysis/progress/facts", "laggard/analysis/usage/finding",
		"laggard/model", "laggard/report", "laggard/report/page", "laggard/report/slice", "laggard/report/source",
		"laggard/report/usage", "laggard/report/words",
		"laggard/slicing", "laggard/slicing/python", "laggard/symbol", "laggard/symbol/outside",
	},
	"laggard/report/movement": {
		"laggard/analysis/movement", "laggard/analysis/movement/chain", "laggard/analysis/movement/invariant",
		"laggard/analysis/movement/outlier", "laggard/report", "laggard/report/chart", "laggard/report/page",
		"laggard/report/words",
		"laggard/symbol",
	},
	"laggard/report/page": {"laggard/report/words"},
	"laggard/report/reporttest": {
		"laggard/model", "laggard/report", "laggard/report/diagnosis", "laggard/report/slice",
		"laggard/report/source", "laggard/report/usage", "laggard/slicing",
	},
	"laggard/report/scaling": {
		"laggard/analysis/scaling", "laggard/analysis/scaling/judge", "laggard/analysis/scaling/recorded",
		"laggard/analysis/scaling/regression", "laggard/analysis/scaling/training", "laggard/model",
		"laggard/report", "laggard/report/chart", "laggard/report/page", "laggard/report/words",
	},
	"laggard/report/serve": {},
	"laggard/report/slice": {
		"laggard/analysis/progress", "laggard/analysis/slice", "laggard/model/values", "laggard/report",
		"laggard/report/source", "laggard/report/words", "laggard/slicing", "laggard/symbol",
	},
	"laggard/report/source": {"laggard/internal/regular", "laggard/report/words"},
	"laggard/report/usage": {
		"laggard/analysis/usage/finding", "laggard/report", "laggard/report/page", "laggard/report/source",
		"laggard/report/words", "laggard/symbol",
	},
	"laggard/report/words": {"laggard/model"},
	"laggard/slicing":      {"laggard/model"},
	"laggard/slicing/argument": {
		"laggard/model", "laggard/slicing/arm64", "laggard/slicing/calls", "laggard/slicing/cpu",
		"laggard/slicing/native", "laggard/slicing/x86",
	},
	"laggard/slicing/calls":     {},
	"laggard/slicing/calls/gen": {"laggard/model/mpi"},
	"laggard/slicing/dyninst": {
		"laggard/model", "laggard/slicing", "laggard/slicing/cpu", "laggard/slicing/native", "laggard/slicing/x86",
		"laggard/symbol",
	},
	"laggard/slicing/folded": {"laggard/slicing", "laggard/slicing/calls"},
	"laggard/slicing/native": {
		"laggard/model", "laggard/slicing", "laggard/slicing/arm64", "laggard/slicing/calls", "laggard/slicing/cpu",
		"laggard/slicing/folded", "laggard/slicing/shape", "laggard/slicing/x86", "laggard/symbol",
	},
	"laggard/slicing/python": {"laggard/model", "laggard/slicing"},
	"laggard/slicing/shape":  {"laggard/symbol"},
	"laggard/slicing/slicetest": {
		"laggard/model", "laggard/slicing", "laggard/slicing/cpu", "laggard/slicing/x86", "laggard/symbol",
	},
	"laggard/slicing/cpu":    {},
	"laggard/slicing/x86":    {"laggard/slicing/cpu"},
	"laggard/slicing/arm64":  {"laggard/slicing/cpu"},
	"laggard/symbol/outside": {"laggard/symbol"},
	"laggard/symbol":         {"laggard/internal/regular", "laggard/model", "laggard/model/mpi"},

	"laggard/analysis/progress": {
		"laggard/analysis/divergence", "laggard/analysis/progress/contrast", "laggard/analysis/progress/evidence",
		"laggard/analysis/progress/facts", "laggard/analysis/progress/inference", "laggard/analysis/progress/inside",
		"laggard/analysis/share", "laggard/model", "laggard/model/process", "laggard/reduce", "laggard/symbol",
	},
	"laggard/analysis/progress/contrast": {"laggard/analysis/progress/facts", "laggard/model", "laggard/reduce"},
	"laggard/analysis/progress/inside":   {"laggard/model", "laggard/reduce", "laggard/symbol"},
	"laggard/analysis/progress/evidence": {
		"laggard/analysis/progress/facts", "laggard/analysis/waitfor", "laggard/model",
	},
	"laggard/analysis/progress/facts": {
		"laggard/analysis/progress/loops", "laggard/model", "laggard/model/wire", "laggard/reduce",
	},
	"laggard/analysis/progress/inference": {
		"laggard/analysis/progress/facts", "laggard/analysis/progress/loops", "laggard/analysis/waitfor",
		"laggard/model", "laggard/reduce",
	},
	"laggard/analysis/progress/loops": {
		"laggard/analysis/waitfor", "laggard/model", "laggard/model/wire", "laggard/reduce",
	},
}

func TestImportDirections(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`,
		"laggard/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		fields := strings.Fields(line)
		if strings.HasPrefix(fields[0], "laggard/mpiapp") {
			continue // the program, which wires the others
		}
		may, known := allowed[fields[0]]
		if !known {
			t.Errorf("%s: say in this test which packages it may import", fields[0])
		}
		for _, imported := range fields[1:] {
			if strings.HasPrefix(imported, "laggard/") && !contains(may, imported) {
				t.Errorf("%s must not import %s", fields[0], imported)
			}
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// Sizes that a newcomer can find the way in.
const (
	maxFiles   = 25   // of a package, without tests
	maxProgram = 3500 // lines of the program, without tests
	maxColumns = 120  // of a line, a tab being four
)

// TestSizes: no package has too many files, the program stays wiring, and no line
// has to be scrolled.
func TestSizes(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "..").Output()
	if err != nil {
		t.Skip("no git checkout")
	}
	files, program := map[string]int{}, 0
	for _, name := range strings.Fields(string(out)) {
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata/") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			continue // deleted, and not yet committed
		}
		tooLong(t, name, string(text))
		if dir := filepath.Dir(name); !strings.HasSuffix(name, "_test.go") {
			files[dir]++
			if dir == "." {
				program += strings.Count(string(text), "\n")
			}
		}
	}
	for dir, n := range files {
		if n > maxFiles {
			t.Errorf("%s has %d files, more than %d", dir, n, maxFiles)
		}
	}
	if program > maxProgram {
		t.Errorf("the program has %d lines, more than %d", program, maxProgram)
	}
}

func tooLong(t *testing.T, name, text string) {
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
