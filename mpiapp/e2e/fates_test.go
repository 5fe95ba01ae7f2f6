//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
)

// fate is a program of testdata/programs/fates in which a rank ends, or waits, in a way that is easily mistaken for another.
type fate struct {
	source string
	hangs  bool
	says   []string
	never  string // the text must not have it; "": nothing
}

var fates = []fate{
	{"environment.cc", true, []string{"Rank 1 is least progressed", "ultimately awaited by ranks 0,2"}, "exited"},
	{"unjoined.cc", false, []string{"Rank 1 died of SIGABRT (aborted) in std::terminate"}, "because of an uncaught"},
	{"behindfinalize.c", false, []string{"Rank 1 died of SIGSEGV (segmentation fault) after MPI_Finalize. No hang."}, ""},
	{"watchdog.c", false, []string{"rank 1: ended by SIGTERM, from a child process of the rank"}, "Ended from outside"},
	{"syscallexit.c", false, []string{"without recording an exit"}, "killed by"},
	{"sharedlock.c", true, []string{"Ranks 0-1 are least progressed", "rank 1 waits for a mutex of several processes, which rank 0 holds"},
		"ended without"},
}

// TestFates: what became of a rank is told as it was.
func TestFates(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) { eachCase(t, selectCases(f, fates), f.checkFate) })
}

func (c fate) String() string { return c.source }

func (f family) checkFate(t *testing.T, c fate) {
	program := f.buildProgram(t, filepath.Join("fates", c.source), "-O1", "-pthread")
	env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "hang")
	j := f.startRecorded(t, dir, env, 3, nil, program, "hang")
	if c.hangs {
		j.awaitHang()
	} else {
		j.waitOrEnd(20 * time.Second)
	}
	text := runLaggard(t, env, "diagnose", "--no-slice", dir).stdout
	j.killTree()
	checktest.Contains(t, text, c.says...)
	if c.never != "" && strings.Contains(text, c.never) {
		t.Errorf("%q in\n%s", c.never, text)
	}
	f.checkFinishes(t, env, program, "good")
}
