//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// straceLog is what strace saw of a job: lines "PID call(…) = result", with the
// paths of descriptors, in the order in which they happened.
type straceLog struct {
	lines      []string
	begin, end int // of the steady part
	dir        string
	watching   map[string]bool // threads of the recorder's
}

// straceSteady runs steady.c on four nodes under strace.
func (f family) straceSteady(t *testing.T) straceLog {
	t.Helper()
	strace := musttest.Get(exec.LookPath("strace"))(t, "make deps installs it")
	dir := filepath.Join(t.TempDir(), "run")
	log := filepath.Join(t.TempDir(), "trace")
	args := []string{strace, "--follow-forks", "--seccomp-bpf", "--decode-fds=path", "--quiet=all",
		"--string-limit=24", "--output=" + log,
		"--trace=%file,%desc,prctl,clock_nanosleep,msync,execve"}
	args = append(args, f.launchCommand(2*ranksPerNode)...)
	args = append(args, rankOnNode("true", laggardPath(t), "exec", "-o", dir, "--",
		f.buildProgram(t, "steady.c", "-O0"), "4")...)
	startJob(t, f.runEnvironment(t), nil, args...).wait().mustSucceed(t)
	text := musttest.Get(os.ReadFile(log))(t)
	out := straceLog{lines: wholeCalls(string(text)), dir: dir, watching: map[string]bool{}}
	out.begin = slices.IndexFunc(out.lines, func(l string) bool { return strings.Contains(l, `"steady: begin`) })
	out.end = slices.IndexFunc(out.lines, func(l string) bool { return strings.Contains(l, `"steady: end`) })
	if out.begin < 0 || out.end < out.begin {
		t.Fatalf("no steady part in %d lines", len(out.lines))
	}
	for _, l := range out.lines {
		if strings.Contains(l, `prctl(PR_SET_NAME, "laggard"`) {
			out.watching[strings.Fields(l)[0]] = true
		}
	}
	musttest.Equal(t, 2*ranksPerNode, len(out.watching), "threads of the recorder's were seen")
	return out
}

// wholeCalls puts calls together that strace tells in two parts, at the place
// of the first.
func wholeCalls(log string) (lines []string) {
	unfinished := map[string]int{} // by thread
	for line := range strings.Lines(log) {
		line = strings.TrimSuffix(line, "\n")
		pid, call, _ := strings.Cut(line, " ")
		_, rest, resumed := strings.Cut(call, " resumed>")
		if at, open := unfinished[pid]; resumed && open {
			lines[at] = strings.TrimSuffix(lines[at], "<unfinished ...>") + rest
			delete(unfinished, pid)
			continue
		}
		if strings.HasSuffix(line, "<unfinished ...>") {
			unfinished[pid] = len(lines)
		}
		lines = append(lines, line)
	}
	return lines
}

// TestRunDirectoryIsLeftAlone: a job on n nodes makes at most n + 2 files in the
// shared directory, all of them at the start. In a healthy run after that no
// rank reads or writes there but through the mapped pages, and the watcher reads
// the file of its own node only.
func TestRunDirectoryIsLeftAlone(t *testing.T) {
	wantNodes(t)
	eachFamily(t, func(t *testing.T, f family) {
		tr := f.straceSteady(t)
		tr.checkMade(t)
		tr.checkSteady(t)
	})
}

var madeFile = regexp.MustCompile(`^\d+ +(openat|creat|mknod|link|linkat|symlink|symlinkat|rename|renameat|renameat2|mkdir|mkdirat)\(.* = [0-9]`)

// checkMade counts the names that came to be in the run directory.
func (tr straceLog) checkMade(t *testing.T) {
	t.Helper()
	const nodes = 2
	var made []string
	for i, l := range tr.lines {
		call := madeFile.FindStringSubmatch(l)
		if call == nil || !strings.Contains(l, `"`+tr.dir+`/`) || call[1] == "openat" &&
			!strings.Contains(l, "O_CREAT") {
			continue
		}
		made = append(made, l)
		if i > tr.begin {
			t.Errorf("made after the start: %s", l)
		}
	}
	if len(made) > nodes+2 || len(made) < nodes+1 {
		t.Errorf("%d files were made, want at most %d:\n%s", len(made), nodes+2, strings.Join(made, "\n"))
	}
}

// kernelFile is in calls on files that are no files of a file system, from which the recorder samples what its process does.
var kernelFile = regexp.MustCompile(`^(openat\(.*"/(proc|sys)/|(read|close)\(\d+</(proc|sys)/)`)

// checkSteady looks at what was called while nothing new happened.
func (tr straceLog) checkSteady(t *testing.T) {
	t.Helper()
	own, naps := 0, 0
	for _, l := range tr.lines[tr.begin:tr.end] {
		pid, call, _ := strings.Cut(l, " ")
		call = strings.TrimLeft(call, " ")
		switch {
		case tr.watching[pid]:
			naps++
			if !strings.HasPrefix(call, "clock_nanosleep(") && !kernelFile.MatchString(call) {
				t.Errorf("the recorder: %s", l)
			}
		case strings.Contains(l, tr.dir+"/node-node0.lgd"):
			own++
		case strings.Contains(l, tr.dir):
			t.Errorf("after the start: %s", l)
		}
	}
	if naps == 0 || own == 0 {
		t.Errorf("%d naps of the recorder and %d looks of the watcher were seen, want some", naps, own)
	}
}
