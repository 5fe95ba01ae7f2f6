//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// TestPythonThreads lets programs in Python hang because of a thread that does not call MPI, and asks what is said of it; of their
// twins nothing is. The first lines of each are "# says: WORDS", where @mark is the number of the line that ends with that comment.
func TestPythonThreads(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(programs, "pythreads", "*.py"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no programs: ", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			families[0].checkPythonThread(t, path) // Debian has mpi4py for one
		})
	}
}

var endMark = regexp.MustCompile(`@([a-z]+)`)

func (f family) checkPythonThread(t *testing.T, path string) {
	command, env, dir := pythonCommand(t, filepath.Join("pythreads", filepath.Base(path))), f.runEnvironment(t), t.TempDir()
	good := f.startRecorded(t, filepath.Join(dir, "good"), env, 3, nil, append(command, "good")...).wait()
	if text := diagnosisText(t, env, filepath.Join(dir, "good")); good.status != 0 || !strings.Contains(text, "finished: no hang") {
		t.Errorf("good: status %d, %s\n%s", good.status, good.stderr, text)
	}
	j := f.startRecorded(t, filepath.Join(dir, "hang"), env, 3, nil, append(command, "hang")...)
	j.awaitHang()
	text := diagnosisText(t, env, filepath.Join(dir, "hang"))
	j.killTree()
	source := musttest.Get(os.ReadFile(path))(t)
	for line := range strings.Lines(string(source)) {
		words, says := strings.CutPrefix(strings.TrimSpace(line), "# says: ")
		if !says {
			break
		}
		words = endMark.ReplaceAllStringFunc(words, func(mark string) string { return strconv.Itoa(lineOf(t, path, "# "+mark[1:])) })
		if !strings.Contains(text, words) {
			t.Errorf("it does not say %q", words)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}
