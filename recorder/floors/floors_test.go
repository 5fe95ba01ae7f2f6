package floors

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"laggard/internal/musttest"
)

const (
	root       = ".."
	apart      = "libc" // linked by itself: it may include no header that declares a symbol
	ownSymbols = "lg_"  // what the names of symbols begin with
)

var (
	row     = regexp.MustCompile("(?m)^\\| `(\\w+)/` \\|")
	include = regexp.MustCompile(`(?m)^#include "(.*)"`)
)

// ground are the headers that lie outside the floors: the format of the file, and
// what one library offers to the other. All may include them.
var ground = []string{"format.h", "export.h"}

// readFloors lists the floors of the table, from the bottom.
func readFloors(t *testing.T) []string {
	text := musttest.Get(os.ReadFile(filepath.Join(root, "README.md")))(t)
	var out []string
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	return out
}

// readSources are the C files of the floors by their paths below recorder/, with those
// that the generator writes.
func readSources(t *testing.T, floors []string) map[string]string {
	made := t.TempDir()
	musttest.Run(t, exec.Command("go", "run", "../gen", made))
	files := map[string]string{}
	for _, dir := range []string{root, made} {
		for _, floor := range floors {
			paths, _ := filepath.Glob(filepath.Join(dir, floor, "*.[ch]"))
			for _, p := range paths {
				text := musttest.Get(os.ReadFile(p))(t)
				files[floor+"/"+filepath.Base(p)] = string(text)
			}
		}
	}
	return files
}

// unitName is a .c file and its header.
func unitName(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) }

func TestEveryFolderIsAFloor(t *testing.T) {
	floors := readFloors(t)
	dirs, err := filepath.Glob(filepath.Join(root, "*", "*.c"))
	if err != nil || len(floors) == 0 {
		t.Fatal("no floors: ", err)
	}
	for _, path := range dirs {
		if d := filepath.Base(filepath.Dir(path)); !slices.Contains(floors, d) {
			t.Errorf("%s: %s/ is not in the table of recorder/README.md", path, d)
		}
	}
	if paths, _ := filepath.Glob(filepath.Join(root, "*.c")); len(paths) > 0 {
		t.Errorf("on no floor: %v", paths)
	}
}

func TestIncludesPointDown(t *testing.T) {
	floors := readFloors(t)
	files := readSources(t, floors)
	for path, text := range files {
		own, _, _ := strings.Cut(path, "/")
		for _, m := range include.FindAllStringSubmatch(text, -1) {
			floor, _, _ := strings.Cut(m[1], "/")
			switch {
			case slices.Contains(ground, m[1]):
			case files[m[1]] == "":
				t.Errorf("%s includes %q, which is not a path below recorder/", path, m[1])
			case slices.Index(floors, floor) > slices.Index(floors, own):
				t.Errorf("%s includes %q of a higher floor", path, m[1])
			case own == apart && floor != apart && len(parseSymbols(files[m[1]]).declared) > 0:
				t.Errorf("%s includes %q, whose symbols are in the other library", path, m[1])
			}
		}
	}
}

func TestNoCircle(t *testing.T) {
	files := readSources(t, readFloors(t))
	ids := map[string]int64{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if _, ok := ids[unitName(path)]; !ok {
			ids[unitName(path)] = int64(len(ids))
		}
	}
	g := simple.NewDirectedGraph()
	for path, text := range files {
		for _, m := range include.FindAllStringSubmatch(text, -1) {
			from, to := unitName(path), unitName(m[1])
			if _, ok := ids[to]; ok && from != to {
				g.SetEdge(g.NewEdge(simple.Node(ids[from]), simple.Node(ids[to])))
			}
		}
	}
	for _, circle := range topo.TarjanSCC(g) {
		if len(circle) == 1 {
			continue
		}
		var members []string
		for name, id := range ids {
			if slices.ContainsFunc(circle, func(n graph.Node) bool { return n.ID() == id }) {
				members = append(members, name)
			}
		}
		slices.Sort(members)
		t.Errorf("%d files include each other: %s", len(members), strings.Join(members, ", "))
	}
}

func TestSymbolsAreDeclaredByTheirFile(t *testing.T) {
	files := readSources(t, readFloors(t))
	for path, text := range files {
		if !strings.HasSuffix(path, ".h") || strings.HasPrefix(path, apart+"/") {
			continue
		}
		for _, s := range parseSymbols(text).declared {
			if !slices.Contains(parseSymbols(files[unitName(path)+".c"]).defined, s) {
				t.Errorf("%s declares %s, which %s.c does not define", path, s, unitName(path))
			}
		}
	}
	for path, text := range files {
		if !strings.HasSuffix(path, ".c") || strings.HasPrefix(path, apart+"/") {
			continue
		}
		for _, s := range parseSymbols(text).defined {
			if !slices.Contains(parseSymbols(files[unitName(path)+".h"]).declared, s) {
				t.Errorf("%s defines %s, which %s.h does not declare; should it be static?", path, s, unitName(path))
			}
			if !strings.HasPrefix(s, ownSymbols) {
				t.Errorf("%s: the name of %s does not begin with %s", path, s, ownSymbols)
			}
		}
	}
}
