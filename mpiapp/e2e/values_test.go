//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/values"
)

// TestValues lets programs hang, and asks what the names in the lines of the slice hold:
// as laggard run noted it, and as laggard attach sees it.
func TestValues(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for n, source := range []string{"mesh.c", "solver.cc", "grids.f90"} {
			for _, flag := range []string{"-O0", "-O2"} {
				t.Run(source+flag, func(t *testing.T) {
					t.Parallel()
					if attached := f.runsCase(n); attached {
						f.checkAttachedValues(t, source, flag)
					} else {
						f.checkNotedValues(t, source, flag)
					}
				})
			}
		}
	})
}

func (f family) checkNotedValues(t *testing.T, source, flag string) {
	program := f.buildProgram(t, filepath.Join("values", source), flag)
	env := f.runEnvironment(t)
	beside := flag == "-O2" // noted later, beside the recording
	if beside {
		env = append(env, "LAGGARD_VALUES=0")
	}
	dir := filepath.Join(t.TempDir(), "run")
	j := f.startRecorded(t, dir, env, 4, nil, program)
	j.awaitHang()
	noted := func() bool {
		files, _ := filepath.Glob(filepath.Join(dir, "*", "values-*"))
		return len(files) > 0
	}
	if !beside {
		j.eventually("values are noted", noted) // after the diagnosis was printed
	} else {
		if noted() {
			t.Error("values were noted")
		}
		runLaggard(t, env, "attach", "-o", dir).mustSucceed(t)
	}
	checkValues(t, env, dir, source, flag)
}

func (f family) checkAttachedValues(t *testing.T, source, flag string) {
	program := f.buildProgram(t, filepath.Join("values", source), flag)
	env := f.runEnvironment(t)
	j := startJob(t, env, nil, append(f.launchCommand(4), program)...)
	j.eventually("the ranks run", func() bool { return len(programPIDs(t, env, program)) == 4 })
	dir, got := attachUntilStill(t, env, program, 4, "--looks", "5", "--over", "1s")
	for try := 0; try < 5 && slices.ContainsFunc(openRun(t, dir).Ranks, isNowhere); try++ { // it had not come to main yet
		dir, got = attachUntilStill(t, env, program, 4, "--looks", "5", "--over", "1s")
	}
	if got.status != exitDone && got.status != exitDamaged {
		t.Fatalf("attach: %+v", got)
	}
	checkValues(t, env, dir, source, flag)
}

// isNowhere reports whether no frame of what the rank is in is of a module.
func isNowhere(r *model.Rank) bool {
	t := r.Threads[0]
	return t.Op.State < 0 || !slices.ContainsFunc(t.Model.States[t.Op.State].Stack, func(f model.Frame) bool { return f.Module != nil })
}

// TestDecidedValues: beside the line that decided there are the values that it decided by, or none.
func TestDecidedValues(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		program := f.buildProgram(t, filepath.Join("values", "decided.c"), "-O0")
		for way, want := range map[string]string{
			"reuse":  "if (left > 0)\n",
			"shadow": "if (n > 0)\n",
			"recur":  "if (cells > 0)\n",
			"keep":   `if (left > 0 || strcmp(name, "keep"))   <- left = 0 in rank 2; other values are not known` + "\n",
		} {
			t.Run(way, func(t *testing.T) {
				t.Parallel()
				env := f.runEnvironment(t)
				dir := filepath.Join(t.TempDir(), "run")
				j := f.startRecorded(t, dir, env, 4, nil, program, way)
				j.awaitHang()
				j.eventually("values are noted", func() bool {
					files, _ := filepath.Glob(filepath.Join(dir, "*", "values-*"))
					return len(files) > 0
				})
				got := runLaggard(t, env, "diagnose", dir)
				got.mustSucceed(t)
				_, decided, _ := strings.Cut(got.stdout, "  decided at ")
				if _, text, _ := strings.Cut(decided, "): "); !strings.HasPrefix(text, want) {
					t.Errorf("decided at %.200s", decided)
				}
			})
		}
	})
}

// checkValues compares what the slice says with what stands behind the lines of the program. Optimised code
// keeps some values nowhere; what is said must be so.
func checkValues(t *testing.T, env []string, dir, source, flag string) {
	t.Helper()
	type line struct {
		File   string
		Line   int
		Values []values.Value
	}
	var slice struct{ Lines []line }
	got := runForJSON(t, env, &slice, "slice", "--json", dir)
	got.mustSucceed(t)
	said := 0
	for n, want := range expectedValues(t, source) {
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

// expectedValues reads what stands behind the lines of a program.
func expectedValues(t *testing.T, source string) map[int][]values.Value {
	t.Helper()
	text := musttest.Get(os.ReadFile(filepath.Join(programs, "values", source)))(t)
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
