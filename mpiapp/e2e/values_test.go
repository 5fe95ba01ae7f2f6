//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"laggard/model/values"
)

// TestValues lets programs hang, and asks what the names in the lines of the slice hold:
// as laggard run noted it, and as laggard attach sees it.
func TestValues(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		for n, source := range []string{"mesh.c", "solver.cc", "grids.f90"} {
			for _, flag := range []string{"-O0", "-O2"} {
				t.Run(source+flag, func(t *testing.T) {
					t.Parallel()
					if attached := f.takes(n); attached {
						f.attachedValues(t, source, flag)
					} else {
						f.notedValues(t, source, flag)
					}
				})
			}
		}
	})
}

func (f family) notedValues(t *testing.T, source, flag string) {
	program := f.build(t, filepath.Join("values", source), flag)
	env := f.environ(t)
	beside := flag == "-O2" // noted later, beside the recording
	if beside {
		env = append(env, "LAGGARD_VALUES=0")
	}
	dir := filepath.Join(t.TempDir(), "run")
	f.recorded(t, dir, env, 4, nil, program).awaitHang()
	if beside {
		if files, _ := filepath.Glob(filepath.Join(dir, "*", "values-*")); len(files) > 0 {
			t.Errorf("values were noted: %v", files)
		}
		if got := output(t, env, filepath.Join(binaries(t), "laggard"), "attach", "-o", dir); got.status != exitDone {
			t.Fatalf("attach: %+v", got)
		}
	}
	checkValues(t, env, dir, source, flag)
}

func (f family) attachedValues(t *testing.T, source, flag string) {
	program := f.build(t, filepath.Join("values", source), flag)
	env := f.environ(t)
	j := start(t, env, nil, append(f.command(4), program)...)
	j.eventually("the ranks run", func() bool { return len(processesOf(t, env, program)) == 4 })
	time.Sleep(2 * time.Second) // for them to come to their call
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{filepath.Join(binaries(t), "laggard"), "attach", "-o", dir, "--looks", "5", "--over", "1s"}
	got := output(t, env, byPID(args, processesOf(t, env, program))...)
	if got.status != exitDone && got.status != exitDamaged {
		t.Fatalf("attach: %+v", got)
	}
	checkValues(t, env, dir, source, flag)
}

// checkValues compares what the slice says with what stands behind the lines of the program. Optimised code
// keeps some values nowhere; what is said must be so.
func checkValues(t *testing.T, env []string, dir, source, flag string) {
	t.Helper()
	got := output(t, env, filepath.Join(binaries(t), "laggard"), "slice", "--json", dir)
	type line struct {
		File   string
		Line   int
		Values []values.Value
	}
	var slice struct{ Lines []line }
	if err := json.Unmarshal([]byte(got.stdout), &slice); err != nil || got.status != exitDone {
		t.Fatalf("slice: exit status %d, %v\n%s", got.status, err, got.stderr)
	}
	said := 0
	for n, want := range holds(t, source) {
		at := slices.IndexFunc(slice.Lines, func(l line) bool { return filepath.Base(l.File) == source && l.Line == n })
		if at < 0 {
			if flag == "-O0" {
				t.Errorf("line %d is not in the slice", n)
			}
			continue
		}
		for _, w := range want {
			is := slices.Contains(slice.Lines[at].Values, w)
			other := slices.ContainsFunc(slice.Lines[at].Values, func(v values.Value) bool { return v.Name == w.Name })
			if is {
				said++
			} else if other || flag == "-O0" {
				t.Errorf("line %d: %v, not %v", n, slice.Lines[at].Values, w)
			}
		}
	}
	if said < 4 {
		t.Errorf("only %d values are said:\n%s", said, got.stdout)
	}
}

// holds reads what stands behind the lines of a program.
func holds(t *testing.T, source string) map[int][]values.Value {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(programs, "values", source))
	if err != nil {
		t.Fatal(err)
	}
	out := map[int][]values.Value{}
	for i, line := range strings.Split(string(text), "\n") {
		_, mark, _ := strings.Cut(strings.TrimSuffix(line, " */"), "HOLDS: ")
		for each := range strings.SplitSeq(mark, ", ") {
			if name, value, ok := strings.Cut(each, " = "); ok {
				out[i+1] = append(out[i+1], values.Value{Name: name, Value: value})
			}
		}
	}
	return out
}
