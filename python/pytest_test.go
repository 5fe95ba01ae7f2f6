package python

import (
	"os"
	"os/exec"
	"path/filepath"
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
