//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
)

// attachedPythons are the programs that a short test looks at; with LAGGARD_ALL it is all.
var attachedPythons = []string{"skipped.py", "endless.py", "locked.py", "coroutine.py", "kernels.py", "sections.py"}

// TestAttachPython starts programs in Python without the recorder, and looks at them when they hang: the rank must be
// seen in the function and at the line where it is.
func TestAttachPython(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for _, h := range pythonHangs(t, "python") {
			name := filepath.Base(h.program)
			switch {
			case h.lines == nil, !runEverything() && !slices.Contains(attachedPythons, name),
				(f.abi || f.name != "openmpi") && name != "library.py": // Debian has mpi4py for one
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f.attachPython(t, h)
			})
		}
	})
}

func (f family) attachPython(t *testing.T, h pythonHang) {
	env := f.runEnvironment(t)
	startJob(t, env, nil, append(f.launchCommand(4), pythonExe, h.program, "hang")...)
	exe := musttest.Get(filepath.EvalSymlinks(pythonExe))(t)
	text := ""
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Second) {
		pids := programPIDs(t, env, exe)
		if len(pids) < 4 {
			continue
		}
		dir := filepath.Join(t.TempDir(), fmt.Sprint(time.Now().UnixNano()))
		args := []string{laggardPath(t), "attach", "-o", dir, "--looks", "5", "--over", "1s"}
		if got := runCommand(t, env, appendPIDs(args, pids)...); got.status != exitDone {
			text = got.stderr
			continue
		}
		text = runLaggard(t, env, "diagnose", "--json", "--no-slice", dir).stdout
		if h.isDiagnosed(text) {
			return
		}
	}
	t.Errorf("rank %d is not seen in %s, lines %v:\n%s", h.rank, h.function, h.lines, text)
}

// isDiagnosed reports whether a diagnosis has the rank where it hangs.
func (h pythonHang) isDiagnosed(text string) bool {
	var a struct {
		Hang   bool
		Groups []struct {
			Ranks string
			State struct {
				Stack []struct {
					Function, File string
					Line           int
				}
			}
		}
	}
	if json.Unmarshal([]byte(text), &a) != nil || !a.Hang {
		return false
	}
	for _, g := range a.Groups {
		if ranks, err := model.ParseRankSet(g.Ranks); err != nil || !ranks.Contains(h.rank) {
			continue
		}
		for _, f := range g.State.Stack {
			if f.Function == h.function && f.File == h.program && slices.Contains(h.lines, f.Line) {
				return true
			}
		}
	}
	return false
}
