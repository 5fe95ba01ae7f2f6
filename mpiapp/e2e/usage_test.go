//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"laggard/internal/musttest"
)

// usageFindings is what laggard usage --json says.
type usageFindings struct {
	Findings []struct {
		Class     string `json:"class"`
		Message   string `json:"message"`
		Locations []struct {
			File string `json:"file"`
			Line int    `json:"line"`
		} `json:"locations"`
	} `json:"findings"`
	Complete   bool     `json:"complete"`
	Incomplete []string `json:"incomplete"`
}

// usageRun is how one program on one MPI was judged.
type usageRun struct {
	usageCase
	family     string
	faulty     bool
	conclusive bool // it ended as it must, and so did ours
	found      bool // a finding of the right class
	line       bool // whose first place is the line of the error
	strays     int  // findings of other classes; with a correct program, all
	why        string
}

// TestUsage judges laggard usage on the programs of testdata/usage: it must find
// the class and the line of the error in the faulty ones and nothing in their
// correct twins. The table is printed with -v.
func TestUsage(t *testing.T) {
	t.Parallel()
	cases := usageCases(t)
	var mu sync.Mutex
	var runs []usageRun
	t.Run("runs", func(t *testing.T) {
		eachFamily(t, func(t *testing.T, f family) {
			for _, c := range selectCases(f, cases) {
				t.Run(c.source, func(t *testing.T) {
					t.Parallel()
					pair := f.judgeCase(t, c)
					mu.Lock()
					defer mu.Unlock()
					runs = append(runs, pair...)
				})
			}
		})
	})
	if len(runs) > 0 {
		scoreUsage(t, runs)
	}
}

// judgeCase runs both programs of a case; side by side if one only waits until it
// counts as hung.
func (f family) judgeCase(t *testing.T, c usageCase) []usageRun {
	f.mustHaveCompiler(t, c.source)
	laggard := laggardPath(t)
	program := musttest.Get(f.buildUsage(c))(t)
	runs := []usageRun{{usageCase: c, family: f.String(), faulty: true}, {usageCase: c, family: f.String()}}
	var beside sync.WaitGroup
	beside.Go(func() { runs[0].judgeProgram(t, f, laggard, program) })
	if !c.hangs {
		beside.Wait()
	}
	runs[1].judgeProgram(t, f, laggard, program)
	beside.Wait()
	return runs
}

func (r *usageRun) judgeProgram(t *testing.T, f family, laggard, program string) {
	var dir string
	var ran outcome
	ended := false
	env := f.runEnvironment(t)
	for trial := 0; trial < 2 && !ended; trial++ { // a launcher that does not notice the end of its ranks gets one more try
		dir = filepath.Join(t.TempDir(), "run")
		flags := []string{"--record", "usage", "--timeout", standstillTimeout(r.hangPatience(r.faulty))}
		if ran, ended = r.runBounded(t, env, f.underRun(t, dir, flags, r.ranks, program, r.programMode())...); !ended {
			t.Log(r.why)
		}
	}
	if !ended {
		return
	}
	if r.why = r.endingProblem(ran); r.why != "" {
		return
	}
	var said usageFindings
	args := []string{laggard, "usage", "--json", dir}
	if r.faulty && slices.Contains(r.classes, "refused") {
		args = append(args, "--refused")
	}
	out, ok := r.runBounded(t, env, args...)
	if !ok {
		return
	}
	if err := json.Unmarshal([]byte(out.stdout), &said); err != nil || !r.isStatusRight(out.status, said.Complete) {
		r.why = fmt.Sprintf("laggard usage: status %d, complete %v, %v: %s", out.status, said.Complete, err,
			lastLines(out.stderr))
		return
	}
	r.conclusive = true
	r.compareFindings(said)
}

// isStatusRight reports whether it was said truly if more may be wrong: not of a program
// that ended well, and always of ranks that were ended while they hung.
func (r *usageRun) isStatusRight(status int, complete bool) bool {
	switch {
	case status != 0 && status != 4, complete != (status == 0):
		return false
	case !r.faulty:
		return complete
	}
	return !r.hangs || !complete
}

func (r *usageRun) programMode() string {
	if r.faulty {
		return "faulty"
	}
	return "correct"
}

// runBounded runs a command; one that does not end is inconclusive, and not a fault
// of the test.
func (r *usageRun) runBounded(t *testing.T, env []string, args ...string) (outcome, bool) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	j := startJob(t, env, nil, args...)
	select {
	case <-j.done:
		return j.wait(), true
	case <-ctx.Done():
		j.killTree()
		r.why = fmt.Sprintf("%s has not ended after %s", filepath.Base(args[0])+" "+args[1], patience)
		return outcome{}, false
	}
}

// endingProblem says what is wrong with how the program ended: a correct one must
// end as without the recorder, a faulty one as it says.
func (r *usageRun) endingProblem(o outcome) string {
	hung := strings.Contains(o.stderr, "laggard: the job makes no progress")
	switch {
	case !r.faulty && o.status != 0:
		return fmt.Sprintf("status %d: %s", o.status, lastLines(o.stderr))
	case !r.faulty && o.stdout != "":
		return "it printed " + lastLines(o.stdout)
	case r.faulty && r.hangs && !hung:
		return fmt.Sprintf("status %d, and it must hang: %s", o.status, lastLines(o.stderr))
	case r.faulty && !r.hangs && !r.mayHang && hung:
		return "it hangs: " + lastLines(o.stderr)
	}
	return ""
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-4):], " / ")
}

func (r *usageRun) compareFindings(said usageFindings) {
	var seen []string
	for _, f := range said.Findings {
		at := 0
		if len(f.Locations) > 0 {
			at = f.Locations[0].Line
		}
		seen = append(seen, fmt.Sprintf("%s at line %d (%s)", f.Class, at, f.Message))
		if !r.faulty || !slices.Contains(r.classes, f.Class) {
			r.strays++
			continue
		}
		r.found = true
		if len(f.Locations) > 0 && filepath.Base(f.Locations[0].File) == r.source && slices.Contains(r.lines, at) {
			r.line = true
		}
	}
	r.why = strings.Join(seen, "; ")
	if r.why == "" {
		r.why = "nothing is found"
	}
	if !said.Complete {
		r.why += " (incomplete)"
	}
}
