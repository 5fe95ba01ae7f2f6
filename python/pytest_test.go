package python

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// debianPython is the interpreter for which the tests' packages are installed.
const debianPython = "/usr/bin/python3"

// suiteOf is a directory with the files of a suite, and a command that runs them with the plug-in as a rank; journals are where
// the plug-in writes.
func suiteOf(t *testing.T, files map[string]string) (dir, journals string, run func(rank string, words ...string) *exec.Cmd) {
	t.Helper()
	if err := exec.Command(debianPython, "-c", "import pytest").Run(); err != nil {
		t.Skip("no pytest (Debian: python3-pytest)")
	}
	dir, journals = t.TempDir(), t.TempDir()
	plugins := t.TempDir()
	musttest.Succeed(t, Install(plugins))
	for name, text := range files {
		musttest.Succeed(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		musttest.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir, journals, func(rank string, words ...string) *exec.Cmd {
		cmd := exec.Command(debianPython, append([]string{"-B", "-m", "pytest", "-p", "no:cacheprovider"}, words...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "OMPI_COMM_WORLD_RANK="+rank, "LAGGARD_TESTS="+journals, "JOURNALS="+journals,
			"PYTHONPATH="+plugins)
		return cmd
	}
}

// TestJUnitWhileWritten: a rank that is through merges what there is while another still writes its JUnit file.
func TestJUnitWhileWritten(t *testing.T) {
	dir, _, run := suiteOf(t, map[string]string{
		"conftest.py": `
import os, subprocess, sys
import xml.etree.ElementTree as ElementTree

tostring = ElementTree.tostring

def while_written(*args, **kwargs):  # the file of rank 1 is open and empty
    ElementTree.tostring = tostring
    env = dict(os.environ, OMPI_COMM_WORLD_RANK="0", LAGGARD_TESTS=os.environ["JOURNALS"])
    subprocess.run([sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", "--junitxml=j.xml"], env=env, check=True)
    return tostring(*args, **kwargs)

if os.environ["OMPI_COMM_WORLD_RANK"] == "1":
    ElementTree.tostring = while_written
`,
		"test_all.py": "def test_all():\n    pass\n",
	})
	musttest.Run(t, run("1", "--junitxml=j.xml"))
	merged := musttest.Get(os.ReadFile(filepath.Join(dir, "j.xml")))(t)
	checktest.Contains(t, string(merged), `tests="1"`)
}

// TestJUnitMerged: the merged file has the properties of the suite, and what a rank that failed printed and noted.
func TestJUnitMerged(t *testing.T) {
	dir, _, run := suiteOf(t, map[string]string{"test_all.py": `
import os
rank = os.environ["OMPI_COMM_WORLD_RANK"]
def test_bad(record_property, record_testsuite_property):
    record_testsuite_property("commit", "abc")
    record_property("residual", rank)
    print("output of rank", rank)
    assert rank != "1"
`})
	musttest.Run(t, run("0", "--junitxml=j.xml", "-o", "junit_logging=system-out"))
	for range 2 { // merged once more, it is the same
		run("1", "--junitxml=j.xml", "-o", "junit_logging=system-out").Run() // fails, as its test does
	}
	text := string(musttest.Get(os.ReadFile(filepath.Join(dir, "j.xml")))(t))
	for _, want := range []string{`name="commit"`, `<property name="residual" value="0" /><property name="residual" value="1" />`,
		"output of rank 0", "rank 1:\n", "output of rank 1", `message="rank 1: `} {
		checktest.Equal(t, 1, strings.Count(text, want), want, "in", text)
	}
}

// TestJUnitBeforeEnd: the JUnit file is there where another plug-in ends the process behind the tests.
func TestJUnitBeforeEnd(t *testing.T) {
	dir, _, run := suiteOf(t, map[string]string{
		"conftest.py": "import os\ndef pytest_sessionfinish():\n    os._exit(3)\n",
		"test_all.py": "def test_all():\n    pass\n",
	})
	run("0", "--junitxml=j.xml").Run() // ends with 3
	checktest.Contains(t, string(musttest.Get(os.ReadFile(filepath.Join(dir, "j.xml")))(t)), `tests="1"`)
}

// TestNoJUnitOfProvokedRuns: a run that was provoked leaves the JUnit file alone.
func TestNoJUnitOfProvokedRuns(t *testing.T) {
	dir, _, run := suiteOf(t, map[string]string{"test_all.py": "def test_all():\n    pass\n", "j.xml": "as it was"})
	cmd := run("0", "--junitxml=j.xml")
	cmd.Env = append(cmd.Env, "LAGGARD_TESTS=", "LAGGARD_PROVOKED=1")
	checktest.Contains(t, string(musttest.Run(t, cmd)), "1 passed")
	checktest.Equal(t, "as it was", string(musttest.Get(os.ReadFile(filepath.Join(dir, "j.xml")))(t)), "the file")
}

// TestFailurePlace: what a test failed with is placed in the project, not in a package or where a module in C was built.
func TestFailurePlace(t *testing.T) {
	dir, journals, run := suiteOf(t, map[string]string{
		"test_all.py": `
import json
exec(compile("def installed(): raise ValueError('no mesh')", ".venv/lib/python3.11/site-packages/mesh.py", "exec"), globals())
exec(compile("def compiled(x): raise TypeError('no buffer')", "mpi4py/MPI/msgbuffer.pxi", "exec"))
def own():
    raise ValueError("no cells")
def test_compiled():
    compiled(1)
def test_package():
    json.loads("")
def test_own():
    own()
def test_installed():
    installed()
`,
		".venv/lib/python3.11/site-packages/mesh.py": "def installed(): raise ValueError('no mesh')\n",
	})
	file := musttest.Get(filepath.EvalSymlinks(dir))(t) + "/test_all.py:"
	// Without frames it is the line of the test.
	for style, lines := range map[string][3]int{"long": {8, 10, 14}, "short": {8, 10, 14}, "no": {7, 9, 13}} {
		run("0", "--tb="+style).Run() // fails, as its tests do
		checktest.Equal(t, []string{
			fmt.Sprintf("failed %s%d: TypeError: no buffer", file, lines[0]),
			fmt.Sprintf("failed %s%d: json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)", file, lines[1]),
			fmt.Sprintf("failed %s6: ValueError: no cells", file),
			fmt.Sprintf("failed %s%d: ValueError: no mesh", file, lines[2]),
		}, ends(t, journals), style)
	}
}

// TestLeft: a test that failed as expected, or was skipped in its midst, is told apart from one that came to its end.
func TestLeft(t *testing.T) {
	dir, journals, run := suiteOf(t, map[string]string{
		"test_all.py": `
import pytest
@pytest.mark.xfail(reason="known")
def test_cells():
    raise ValueError("no cells")
def test_gpu():
    pytest.skip("no GPU here")
@pytest.mark.skip(reason="slow")
def test_slow():
    pass
@pytest.mark.xfail(reason="mended")
def test_mended():
    pass
@pytest.fixture
def ends():
    yield
    assert False, "no end"
def test_ends(ends):
    pytest.skip("none")
`,
	})
	file := musttest.Get(filepath.EvalSymlinks(dir))(t) + "/test_all.py:"
	run("0").Run() // fails, as a test does
	checktest.Equal(t, []string{
		"xfailed " + file + "5: ValueError: no cells", "skipped " + file + "7: Skipped: no GPU here",
		"skipped " + file + "8: Skipped: slow", "failed " + file + "17: AssertionError: no end", "skipped " + file + "19: Skipped: none",
	}, ends(t, journals))
}

// likeTimeout is what pytest-timeout does to limit tests.
const likeTimeout = `
import types
import pytest
class Hooks:
    @pytest.hookspec(firstresult=True)
    def pytest_timeout_set_timer(self, item, settings): pass
    @pytest.hookspec(firstresult=True)
    def pytest_timeout_cancel_timer(self, item): pass
class Timeout:
    def limited(self, item, func_only):
        mark, hook = item.get_closest_marker("timeout"), item.config.hook
        settings = types.SimpleNamespace(timeout=mark.args[0] if mark else 7)
        on = func_only == bool(mark and mark.kwargs.get("func_only"))
        if on: hook.pytest_timeout_set_timer(item=item, settings=settings)
        yield
        if on: hook.pytest_timeout_cancel_timer(item=item)
    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item): yield from self.limited(item, False)
    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item): yield from self.limited(item, True)
    def pytest_addhooks(self, pluginmanager): pluginmanager.add_hookspecs(Hooks)
timeout = Timeout()
def pytest_addhooks(pluginmanager): pluginmanager.register(timeout, "timeout")
`

// TestLimits: a limit of a test counts from its beginning, or with func_only from behind its fixtures until it ends, with pytest-timeout
// and without.
func TestLimits(t *testing.T) {
	const tests = `
import pytest
@pytest.fixture
def mesh(): print("mesh")
def test_plain(mesh): pass
@pytest.mark.timeout(3)
def test_all(mesh): pass
@pytest.mark.timeout(5, func_only=True)
def test_alone(mesh): pass
`
	for _, c := range []struct {
		name, conftest string
		want           []string
	}{
		{"without the plug-in", "", []string{"begin null", "begin 3", "begin null", "5", "0"}},
		{"with it", likeTimeout, []string{"begin 7", "begin 3", "begin null", "5", "0"}},
	} {
		_, journals, run := suiteOf(t, map[string]string{"test_all.py": tests, "conftest.py": c.conftest})
		musttest.Run(t, run("0"))
		var got []string
		for line := range bytes.Lines(musttest.Get(os.ReadFile(filepath.Join(journals, "rank-0.jsonl")))(t)) {
			var l struct {
				Begin string
				Limit json.RawMessage
			}
			if json.Unmarshal(line, &l) != nil || l.Limit == nil {
				continue
			}
			text := string(l.Limit)
			if l.Begin != "" {
				text = "begin " + text
			}
			got = append(got, strings.ReplaceAll(text, ".0", ""))
		}
		checktest.EqualList(t, c.want, got, c.name)
	}
}

// TestLauncherTimeout: the limit of a test that starts launchers is handed on as Go reads it.
func TestLauncherTimeout(t *testing.T) {
	_, _, run := suiteOf(t, map[string]string{"test_all.py": `
import os, pytest
@pytest.mark.timeout(1e6)
def test_long(): assert os.environ["LAGGARD_TIMEOUT"] == "1000000s"
@pytest.mark.timeout(2.5)
def test_short(): assert os.environ["LAGGARD_TIMEOUT"] == "2.5s"
`})
	cmd := run("", "--laggard")
	cmd.Env = append(cmd.Env, "LAGGARD_TESTS=", "LAGGARD=/bin/true")
	musttest.Run(t, cmd)
}

// TestRerun: a test that failed at first, and that a plug-in ran again, did not end by being skipped.
func TestRerun(t *testing.T) {
	dir, journals, run := suiteOf(t, map[string]string{
		"conftest.py": `
from _pytest.runner import runtestprotocol
def pytest_runtest_protocol(item, nextitem):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for reports in runtestprotocol(item, nextitem=nextitem, log=False), runtestprotocol(item, nextitem=nextitem, log=False):
        for report in reports:
            report.outcome = "rerun" if report.failed else report.outcome
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
`,
		"test_all.py": "tries = []\ndef test_flaky():\n    tries.append(1)\n    assert len(tries) > 1, 'no cells'\n",
	})
	run("0").Run()
	file := musttest.Get(filepath.EvalSymlinks(dir))(t) + "/test_all.py:"
	checktest.Equal(t, []string{"rerun " + file + "4: AssertionError: no cells"}, ends(t, journals))
}

// TestResumeWithoutJournal: a rank that came to no test in the job before runs those that are left, and no others.
func TestResumeWithoutJournal(t *testing.T) {
	_, journals, run := suiteOf(t, map[string]string{"test_all.py": `
def test_done():
    assert False, "again"
def test_lost():
    assert False, "again"
def test_left():
    pass
`})
	plan := `{"done": ["test_all.py::test_done"], "lost": {"test_all.py::test_lost": {"text": "hung there", "seconds": 1},
		"test_all.py::test_lost[3]": {"text": "hung too", "seconds": 1}}}`
	musttest.Succeed(t, os.WriteFile(filepath.Join(journals, "resume.json"), []byte(plan), 0o600))
	out, _ := run("0").CombinedOutput() // fails, as the lost test does
	checktest.Contains(t, string(out), "hung there", "1 failed, 1 passed")
	journal := musttest.Get(os.ReadFile(filepath.Join(journals, "rank-0.jsonl")))(t)
	checktest.Contains(t, string(journal), `{"known": ["test_all.py::test_lost"]}`) // the other one is not there any more
}

// ends reads how tests ended on rank 0, and removes its journal.
func ends(t *testing.T, journals string) (out []string) {
	t.Helper()
	name := filepath.Join(journals, "rank-0.jsonl")
	text := musttest.Get(os.ReadFile(name))(t)
	musttest.Succeed(t, os.Remove(name))
	for line := range bytes.Lines(text) {
		var l struct{ End, Failed, Xfailed, Skipped, Rerun string }
		if json.Unmarshal(line, &l) == nil && l.End != "" {
			if l.Failed != "" {
				out = append(out, "failed "+l.Failed)
			}
			if l.Xfailed != "" {
				out = append(out, "xfailed "+l.Xfailed)
			}
			if l.Skipped != "" {
				out = append(out, "skipped "+l.Skipped)
			}
			if l.Rerun != "" {
				out = append(out, "rerun "+l.Rerun)
			}
		}
	}
	return out
}
