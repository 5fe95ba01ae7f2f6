//go:build e2e

package e2e

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/musttest"
	"laggard/python"
)

// suiteRun is a suite under pytest that has run.
type suiteRun struct {
	outcome
	tests map[string]string // what failed says, "" of a test that passed
}

// runPytest runs tests of testdata/programs/pytest with the words before pytest.
func runPytest(t *testing.T, env []string, before []string, words ...string) suiteRun {
	report := filepath.Join(t.TempDir(), "pytest.xml")
	args := append(append([]string{}, before...), pythonExe, "-m", "pytest", "-p", "no:cacheprovider", "--tb=short",
		"--junitxml", report)
	run := suiteRun{startJob(t, env, nil, append(args, words...)...).wait(), map[string]string{}}
	text := musttest.Get(os.ReadFile(report))(t, "status", run.status, run.stdout, run.stderr)
	var suite struct {
		Cases []struct {
			Name     string `xml:"name,attr"`
			Failures []struct {
				Message string `xml:"message,attr"`
				Text    string `xml:",chardata"`
			} `xml:"failure"`
		} `xml:"testsuite>testcase"`
	}
	musttest.Succeed(t, xml.Unmarshal(text, &suite))
	for _, c := range suite.Cases {
		run.tests[c.Name] = ""
		for _, f := range c.Failures {
			run.tests[c.Name] += f.Message + "\n" + f.Text
		}
	}
	return run
}

// checkTests holds what tests say against texts that have to be in it, "" for one that passes.
func (r suiteRun) checkTests(t *testing.T, want map[string]string) {
	t.Helper()
	for name, text := range want {
		said, ran := r.tests[name]
		if !ran || (said == "") != (text == "") || !strings.Contains(said, text) {
			t.Errorf("%s: ran %v, says %q, want %q", name, ran, said, text)
		}
	}
	if len(r.tests) != len(want) || r.status != 1 {
		t.Errorf("%d tests, want %d, status %d\n%s\n%s", len(r.tests), len(want), r.status, r.stdout, r.stderr)
	}
}

// withPlugin is an environment in which the plug-in and laggard are installed.
func withPlugin(t *testing.T, f family, more ...string) []string {
	site := t.TempDir()
	musttest.Succeed(t, python.Install(site))
	more = append(more, "PYTHONPATH="+site, "PATH="+binaryDir(t)+":"+os.Getenv("PATH"), "LAGGARD_TIMEOUT=4s")
	return f.runEnvironment(t, more...)
}

// TestPytest: tests that hang, or with which their job dies, fail with the diagnosis, and the
// others run, once each.
func TestPytest(t *testing.T) {
	t.Parallel()
	f := families[0] // Debian has mpi4py for Open MPI
	program := musttest.Get(filepath.Abs(filepath.Join(programs, "pytest", "test_field.py")))(t)
	save := fmt.Sprintf("Field.save (test_field.py:%d)", lineOf(t, program, "rank 0 does not come"))
	polls := fmt.Sprintf("test_polls (test_field.py:%d)", lineOf(t, program, "nobody sends 99"))
	leaves := fmt.Sprintf("test_leaves (%s:%d: ValueError: no cells), and continued with ", program,
		lineOf(t, program, "rank 2 does not send"))
	laggard := []string{laggardPath(t), "test", "--timeout", "4s", "--"}
	t.Run("laggard test", func(t *testing.T) {
		t.Parallel()
		runPytest(t, f.runEnvironment(t), append(laggard, f.launchCommand(4)...), program, "-k", "exchange or save or dies or sum").
			checkTests(t, map[string]string{
				"test_exchange": "", "test_save": save, "test_dies": "Rank 3 died of SIGABRT", "test_sum_of_all": "",
			})
	})
	t.Run("a rank leaves", func(t *testing.T) {
		t.Parallel()
		runPytest(t, f.runEnvironment(t), append(laggard, f.launchCommand(4)...), program, "-k", "leaves or sum").
			checkTests(t, map[string]string{
				"test_leaves": leaves, "test_sum_of_all": "",
			})
	})
	t.Run("one rank fails", func(t *testing.T) {
		t.Parallel()
		program := filepath.Join(filepath.Dir(program), "test_total.py")
		runPytest(t, f.runEnvironment(t), append(laggard, f.launchCommand(4)...), program).checkTests(t, map[string]string{
			"test_total": "", "test_share": "rank 2: assert 5 == 6", "test_skipped_on_one": "",
		})
	})
	t.Run("a long test", func(t *testing.T) { // it was seen to run, by a look that was the last one
		t.Parallel()
		program := filepath.Join(filepath.Dir(program), "test_long.py")
		run := runPytest(t, f.runEnvironment(t), append(laggard, f.launchCommand(2)...), program)
		if run.status != 0 || run.tests["test_long"] != "" {
			t.Errorf("status %d:\n%s", run.status, run.stderr)
		}
	})
	t.Run("the last test", func(t *testing.T) { // rank 0 has finished the tests by then
		t.Parallel()
		program := filepath.Join(filepath.Dir(program), "test_last.py")
		runPytest(t, f.runEnvironment(t), append(laggard, f.launchCommand(2)...), program).checkTests(t, map[string]string{
			"test_first": "", "test_last": "Rank 1 died of SIGSEGV",
		})
	})
	t.Run("--laggard", func(t *testing.T) {
		t.Parallel()
		runPytest(t, withPlugin(t, f), f.launchCommand(4), "--laggard", program, "-k", "polls or sum").
			checkTests(t, map[string]string{
				"test_polls": polls, "test_sum_of_all": "",
			})
	})
	t.Run("launched", func(t *testing.T) {
		t.Parallel()
		program := filepath.Join(filepath.Dir(program), "test_launched.py")
		env := withPlugin(t, f, "TEST_LAUNCHER="+strings.Join(f.launcher, " "))
		run := runPytest(t, env, nil, "--laggard", program)
		run.checkTests(t, map[string]string{
			"test_launched[-1]": "", "test_launched[1]": "124", "test_launched[-2]": "",
		})
		if !strings.Contains(run.stdout, "rank 1 went to MPI_Finalize instead of MPI_Bcast") {
			t.Errorf("no diagnosis:\n%s", run.stdout)
		}
	})
}
