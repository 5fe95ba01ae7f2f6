//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/musttest"
	"laggard/report/top"
)

// TestTop: laggard top shows each rank of a running job with its place, and afterwards that the job has ended, as the metrics do,
// which all users can read.
func TestTop(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		dir, metrics := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "laggard.prom")
		env := append(f.runEnvironment(t), "LAGGARD_METRICS="+metrics)
		laggard := laggardPath(t)
		j := f.startRecorded(t, dir, env, 3, nil, f.buildProgram(t, "steady.c", "-g", "-O1"), "8")
		var s top.Snapshot
		j.eventually("places of all ranks", func() bool {
			if o := runCommand(t, env, laggard, "top", "--json", dir); json.Unmarshal([]byte(o.stdout), &s) != nil || len(s.Speeds) < 3 {
				return false
			}
			for _, k := range s.Speeds {
				if k.Place == nil || k.Place.Site.Line == 0 {
					return false
				}
			}
			return true
		})
		if j.hasEnded() || s.Life != top.Running || s.Sampled != "0-2" || s.Slow {
			t.Errorf("ended %v, %s, ranks %s, slow %v", j.hasEnded(), s.Life, s.Sampled, s.Slow)
		}
		j.wait().mustSucceed(t)
		o := runCommand(t, env, laggard, "top", dir)
		if o.status != 0 || !strings.Contains(o.stdout, "The job ended at") || strings.Contains(o.stdout, "\x1b") {
			t.Errorf("status %d: %s%s", o.status, o.stdout, o.stderr)
		}
		text := musttest.Get(os.ReadFile(metrics))(t)
		info := musttest.Get(os.Stat(metrics))(t)
		whole := strings.Contains(string(text), "laggard_running{") && strings.HasSuffix(string(text), "# EOF\n")
		if info.Mode().Perm() != 0o644 || !whole {
			t.Errorf("%v:\n%s", info.Mode(), text)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "laggard_running{") && !strings.HasSuffix(line, " 0\n") {
				t.Errorf("after the end: %s", line)
			}
		}
	})
}

// TestTopAfterLongStart: steps are counted, and not the sums in them, of a program that starts for longer than the recorder looks for
// loops at first.
func TestTopAfterLongStart(t *testing.T) {
	t.Parallel()
	f := installedFamilies()[0]
	j, env, dir := f.record(t, 2, f.buildProgram(t, "latestart.c", "-O1"))
	var s top.Snapshot
	j.eventually("the rate of the steps", func() bool {
		o := runLaggard(t, env, "top", "--json", dir)
		return json.Unmarshal([]byte(o.stdout), &s) == nil && s.Rate.Now > 0
	})
	j.killTree()
	if s.Rate.Now > 8 {
		t.Errorf("%g iterations a second, want some 4", s.Rate.Now)
	}
}
