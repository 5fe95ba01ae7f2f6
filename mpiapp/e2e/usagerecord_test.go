//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/usagetest"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/model/runfiles"
)

// TestUsageIsRecorded compares what was recorded of each call with what the
// program says of it: arguments, results, handles, types, statuses, errors.
func TestUsageIsRecorded(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		eachCase(t, []string{"usagecalls.c", "usagecalls.f90", "usagecalls_f08.f90"}, f.usageIsRecorded)
	})
}

func (f family) usageIsRecorded(t *testing.T, source string) {
	const ranks = 3
	flags := []string{"-O1"}
	if filepath.Ext(source) == ".f90" {
		flags = append(flags, "-ffree-line-length-none")
	}
	program := f.buildProgram(t, source, flags...)
	dir := filepath.Join(t.TempDir(), "run")
	j := f.usageRun(t, dir, ranks, program)
	j.wait().mustSucceed(t)
	traces := usageTraces(t, dir)
	musttest.Equal(t, ranks, len(traces), "ranks are recorded")
	for _, trace := range traces {
		if !trace.Complete {
			t.Errorf("rank %d: not complete: %s", trace.Rank, trace.Why)
		}
		text := musttest.Get(os.ReadFile(filepath.Join(j.cmd.Dir, fmt.Sprintf("says.%d", trace.Rank))))(t)
		compareCalls(t, trace, strings.Split(strings.TrimSpace(string(text)), "\n"))
	}
}

// usageRun starts a program whose calls are recorded.
func (f family) usageRun(t *testing.T, dir string, ranks int, command ...string) *job {
	t.Helper()
	return startJob(t, f.runEnvironment(t), nil, f.underRun(t, dir, dumpUsage, ranks, command...)...)
}

// dumpUsage has laggard run record calls, and leave a hung job's diagnosis to others.
var dumpUsage = []string{"--record", "usage", "--on-hang", "dump"}

// usageTraces reads all ranks of a run.
func usageTraces(t *testing.T, dir string) []*recorded.Trace {
	t.Helper()
	x := musttest.Get(runfiles.Scan(dir))(t)
	return tracesOf(x)
}

func tracesOf(x *runfiles.Index) (out []*recorded.Trace) {
	x.EachBatch(func(run *model.Run) {
		for _, r := range run.Ranks {
			trace := recorded.Load(x, r, recorded.Limits{})
			trace.Calls = slices.Values(callsOf(trace)) // the streams are not there any more when this returns
			out = append(out, trace)
		}
	})
	return out
}

func callsOf(trace *recorded.Trace) []*recorded.Call { return slices.Collect(trace.Calls) }

// compareCalls compares the calls with what was said of them, in which * stands
// for anything.
func compareCalls(t *testing.T, trace *recorded.Trace, said []string) {
	t.Helper()
	calls := callTexts(t, trace)
	for i := range max(len(calls), len(said)) {
		if i >= len(calls) || i >= len(said) {
			t.Errorf("rank %d: %d calls are recorded, %d were made", trace.Rank, len(calls), len(said))
			return
		}
		form := "^" + strings.ReplaceAll(regexp.QuoteMeta(said[i]), `\*`, ".*") + "$"
		if ok, err := regexp.MatchString(form, calls[i]); err != nil || !ok {
			t.Errorf("rank %d, call %d:\nrecorded %s\nmade     %s", trace.Rank, i, calls[i], said[i])
		}
	}
}

var (
	addresses = regexp.MustCompile(`0x[0-9a-f]+`)
	numbered  = regexp.MustCompile(`\b(request|message|group|op|info|comm|win|file)\d+\b`)
	typeForm  = regexp.MustCompile(`\btype(\d+)\b`)
)

// callTexts returns the calls as the program says them: without rank and site,
// addresses and numbers of handles, but with what types are made of.
func callTexts(t *testing.T, trace *recorded.Trace) []string {
	t.Helper()
	var b bytes.Buffer
	musttest.Succeed(t, usagetest.Dump(&b, trace, func(recorded.Site) string { return "" }))
	var out []string
	for line := range strings.Lines(b.String()) {
		_, line, _ = strings.Cut(strings.TrimSuffix(strings.TrimSpace(line), " @"), ": ")
		line = numbered.ReplaceAllString(addresses.ReplaceAllString(line, "#"), "$1")
		out = append(out, typeForm.ReplaceAllStringFunc(line, func(s string) string { return typeText(trace, s) }))
	}
	return out
}

func typeText(trace *recorded.Trace, name string) string {
	var i int
	fmt.Sscanf(name, "type%d", &i)
	t := trace.Types[i]
	if t.Name != "" {
		return t.Name
	}
	var inner []string
	for _, k := range t.Types {
		inner = append(inner, typeText(trace, fmt.Sprint("type", k)))
	}
	return fmt.Sprintf("type{%s %v %v %s}", t.Combiner, t.Ints, t.Addresses, strings.Join(inner, ","))
}

// TestUsageOfThreads has several threads call MPI at once: every call is there, in
// the order of its thread and, by the numbers of begins and returns, among those of
// the others.
func TestUsageOfThreads(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		const ranks, threads, times = 2, 4, 300
		program := f.buildProgram(t, "usagethreads.c", "-O1")
		dir := filepath.Join(t.TempDir(), "run")
		f.usageRun(t, dir, ranks, program).wait().mustSucceed(t)
		for _, trace := range usageTraces(t, dir) {
			if !trace.Complete {
				t.Errorf("rank %d: not complete: %s", trace.Rank, trace.Why)
			}
			checkThreads(t, trace, threads, times)
		}
	})
}

func checkThreads(t *testing.T, trace *recorded.Trace, threads, times int) {
	t.Helper()
	seen := map[uint64]bool{}
	order := []string{"MPI_Irecv", "MPI_Send", "MPI_Wait"}
	next := map[int]int{}
	i, last := 0, uint64(0)
	for c := range trace.Calls {
		if c.Return <= c.Begin || seen[c.Begin] || seen[c.Return] || last >= c.Begin {
			t.Fatalf("rank %d: call %d begins at %d and returns at %d", trace.Rank, i, c.Begin, c.Return)
		}
		i, last = i+1, c.Begin
		seen[c.Begin], seen[c.Return] = true, true
		if c.Func.Class != mpi.ClassIrecv && c.Func.Class != mpi.ClassSend && c.Func.Class != mpi.ClassWait {
			continue
		}
		if want := order[next[c.Thread]%3]; c.Func.Name != want {
			t.Fatalf("rank %d: thread %d: call %d is %s, want %s", trace.Rank, c.Thread, i, c.Func.Name, want)
		}
		next[c.Thread]++
	}
	total := 0
	for _, n := range next {
		total += n
	}
	checktest.Equal(t, 3*threads*times, total, "rank", trace.Rank, "calls of threads")
}

// TestUsageOfTheKilled kills all ranks at random moments: what they recorded is
// readable up to the call in progress.
func TestUsageOfTheKilled(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		program := f.buildProgram(t, "busy.c", "-O2")
		random := rand.New(rand.NewPCG(4, 17))
		for i := range 12 {
			after := time.Duration(random.Int64N(int64(300 * time.Millisecond)))
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				f.usageOfTheKilled(t, program, after)
			})
		}
	})
}

func (f family) usageOfTheKilled(t *testing.T, program string, after time.Duration) {
	const ranks = 2
	dir := filepath.Join(t.TempDir(), "run")
	j := f.usageRun(t, dir, ranks, program)
	var run *model.Run
	j.eventually("both ranks", func() bool {
		run, _ = runfiles.Open(dir)
		return j.hasEnded() || run != nil && len(run.Ranks) == ranks
	})
	time.Sleep(after)
	signalRanks(run, syscall.SIGKILL)
	j.wait()
	for _, trace := range usageTraces(t, dir) {
		calls := callsOf(trace)
		if !trace.Complete && len(calls) > 0 { // killed before its first call is over, it has nothing
			t.Errorf("after %s: rank %d: %s", after, trace.Rank, trace.Why)
		}
		for i, c := range calls {
			if c.Return == 0 && i < len(calls)-1 {
				t.Errorf("after %s: rank %d: call %d of %d, %s, has not returned", after, trace.Rank, i, len(calls), c.Func.Name)
			}
		}
	}
}

// TestUsageOfLAMMPS records a real program of some thousand calls.
func TestUsageOfLAMMPS(t *testing.T) {
	t.Parallel()
	for _, need := range []string{"/usr/bin/lmp", crackInput} {
		musttest.Get(os.Stat(need))(t, "make deps installs lammps")
	}
	f := families[0]
	dir := filepath.Join(t.TempDir(), "run")
	f.usageRun(t, dir, 2, "/usr/bin/lmp", "-log", "none", "-in", shortCrack(t)).wait().mustSucceed(t)
	for _, trace := range usageTraces(t, dir) {
		calls := callsOf(trace)
		last := calls[len(calls)-1]
		if !trace.Complete || last.Func.Name != "MPI_Finalize" || last.Return == 0 || len(calls) < 500 {
			t.Errorf("rank %d: %d calls, the last one %s, %s", trace.Rank, len(calls), last.Func.Name, trace.Why)
		}
		for i, c := range calls {
			if c.Return == 0 || c.Code != 0 {
				t.Fatalf("rank %d: call %d, %s: returned at %d with code %d", trace.Rank, i, c.Func.Name, c.Return,
					c.Code)
			}
		}
	}
}

// shortCrack is the crack input with a hundredth of the steps.
func shortCrack(t *testing.T) string {
	t.Helper()
	text := musttest.Get(os.ReadFile(crackInput))(t)
	path := filepath.Join(t.TempDir(), "in.crack")
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "run\t\t5000", "run\t\t50", 1)),
		0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestChangedBuffers: every buffer that is changed while it is sent is seen, and no
// other; see the program.
func TestChangedBuffers(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		program := f.buildProgram(t, "usagesums.c", "-O1")
		dir := filepath.Join(t.TempDir(), "run")
		f.usageRun(t, dir, 2, program).wait().mustSucceed(t)
		for _, trace := range usageTraces(t, dir) {
			var want, got []int64
			if trace.Rank == 0 {
				want = []int64{100, 101, 102, 103, 104, 105, 100}
			}
			calls := callsOf(trace)
			for _, n := range trace.Notes {
				at := slices.IndexFunc(calls, func(c *recorded.Call) bool { return c.Begin == n.Call })
				c := calls[at]
				if c.Func.Name == "MPI_Start" { // the message is that of the call that made the request
					c = calls[at-1]
				}
				tag, ok := c.InputInt("tag")
				if !ok {
					tag, _ = c.InputInt("count")
				}
				got = append(got, tag)
			}
			if diff := cmp.Diff(want, got); diff != "" || !trace.Complete {
				t.Errorf("rank %d: changed (-), seen (+), %s:\n%s", trace.Rank, trace.Why, diff)
			}
		}
	})
}

// TestUsageIsBounded: a recording that has used up its room ends there, and says so.
func TestUsageIsBounded(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		dir := filepath.Join(t.TempDir(), "run")
		args := f.underRun(t, dir, dumpUsage, 1, f.buildProgram(t, "usageflood.c", "-O2"))
		j := startJob(t, f.runEnvironment(t, "LAGGARD_STREAM_MB=1"), nil, args...)
		var traces []*recorded.Trace
		j.eventually("the end of the recording", func() bool {
			x, err := runfiles.Scan(dir)
			if err != nil {
				return j.hasEnded()
			}
			traces = tracesOf(x)
			return len(traces) > 0 && strings.Contains(traces[0].Why, "LAGGARD_STREAM_MB")
		})
		if trace := traces[0]; trace.Complete || trace.CallNumber < 10000 {
			t.Errorf("%d calls are recorded, complete: %v, %s", trace.CallNumber, trace.Complete, trace.Why)
		}
	})
}
