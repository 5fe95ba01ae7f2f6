package injector

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"laggard/internal/checktest"
	"laggard/internal/golden"
	"laggard/internal/musttest"
)

// mustParseFaults reads the text forms of faults.
func mustParseFaults(t *testing.T, texts ...string) (out []Fault) {
	t.Helper()
	for _, text := range texts {
		f := musttest.Get(ParseFault(text))(t)
		out = append(out, f)
	}
	return out
}

// A seed gives the same trials, a smaller number their beginning; every rank and the whole time are drawn.
func TestDrawSlowdowns(t *testing.T) {
	faults := mustParseFaults(t, "compute:1.5", "steal", "io:20")
	const from, to = 30 * time.Second, 40 * time.Second
	trials := DrawSlowdowns(7, 300, 3, faults, from, to)
	checktest.Equal(t, trials[:20], DrawSlowdowns(7, 20, 3, faults, from, to))
	ranks, earliest, latest := map[int]int{}, to, from
	for i, trial := range trials {
		musttest.Equal(t, faults[i%3], trial.Fault, "trial", i)
		ranks[trial.Rank]++
		earliest, latest = min(earliest, time.Duration(trial.After)), max(latest, time.Duration(trial.After))
	}
	if len(ranks) != 3 || earliest < from || earliest > from+time.Second || latest > to || latest < to-time.Second {
		t.Errorf("ranks %v, %s to %s", ranks, earliest, latest)
	}
	if same := DrawSlowdowns(1, 1, 1, faults, from, from)[0].After; time.Duration(same) != from {
		t.Errorf("at one moment: %s", time.Duration(same))
	}
}

func TestSlowdownOrders(t *testing.T) {
	good := Order{Out: "x", Strike: &Strike{Fault: Fault{Kind: Compute, Amount: 2}, After: 1}, Slow: &SlowLibraries{"a", "b"}}
	if err := good.check(); err != nil || good.tracesRank(0) || !good.slows(0) || good.slows(1) {
		t.Errorf("%v", err)
	}
	steal := good
	steal.Strike = &Strike{Fault: Fault{Kind: Steal}, After: 1}
	if !steal.tracesRank(0) || steal.tracesRank(1) {
		t.Error("who takes the processor is started beside the rank, and beside no other")
	}
	for name, change := range map[string]func(*Order){
		"at no time":        func(o *Order) { o.Strike = &Strike{Fault: o.Strike.Fault} },
		"without libraries": func(o *Order) { o.Slow = nil },
		"without one":       func(o *Order) { o.Slow = &SlowLibraries{Before: "a"} },
	} {
		o := good
		change(&o)
		checktest.ErrorIs(t, ErrOrder, o.check(), name)
	}
}

// The libraries stand on both sides of what was preloaded before, and the report waits beside its place.
func TestSlowedEnvironment(t *testing.T) {
	o := Order{Out: t.TempDir(), Strike: &Strike{Rank: 3, Fault: Fault{Kind: Late, Amount: 0.5}, After: Duration(time.Minute)},
		Slow: &SlowLibraries{"/before.so", "/behind.so"}}
	for _, c := range []struct{ given, want string }{
		{"LD_PRELOAD=/recorder.so:/other.so", "LD_PRELOAD=/before.so:/recorder.so:/other.so:/behind.so"},
		{"A=b", "LD_PRELOAD=/before.so:/behind.so"},
	} {
		given := []string{c.given, "C=d"}
		env := musttest.Get(slowedEnvironment(o, given))(t)
		all := strings.Join(env, "\n")
		if !strings.Contains(all, c.want) || !strings.Contains(all, "C=d") || !strings.Contains(all, " late 0.5 "+o.reportFile(3)) ||
			given[0] != c.given {
			t.Errorf("%s: %s", c.given, all)
		}
	}
	checktest.Fails(o.ReadReport())(t, os.ErrNotExist, "a report before the rank is slow")
	musttest.Succeed(t, os.Rename(o.reportFile(3)+".due", o.reportFile(3)))
	if r, err := o.ReadReport(); err != nil || r.State != Injected || r.PID != os.Getpid() || time.Until(r.Time) < 50*time.Second {
		t.Errorf("%+v, %v", r, err)
	}
}

// What takes the processor keeps the one busy that the program is pinned to, from the moment on, is reported, and ends with it.
func TestSteal(t *testing.T) {
	order := Order{Strike: &Strike{Fault: Fault{Kind: Steal}, After: Duration(300 * time.Millisecond)}, Slow: &SlowLibraries{"a", "b"}}
	began := time.Now()
	last := pinToLast(t)
	l := launchProgram(t, order, "/bin/sleep", "600")
	r := l.waitReport(t)
	if r.State != Injected || r.PID != l.Process.Pid || time.Since(began) < 300*time.Millisecond {
		t.Errorf("%+v", r)
	}
	file := filepath.Join(l.order.Out, "order.json")
	eventually(t, "a busy process beside it", func() bool {
		found := processesOf(t, file)
		return len(found) == 1 && isBusyOn(found[0], strconv.Itoa(last))
	})
	l.Process.Kill()
	eventually(t, "its end", func() bool { return len(processesOf(t, file)) == 0 })
}

// pinToLast pins what the test starts to the last processor that it may run on, as launchers pin ranks, and returns it.
func pinToLast(t *testing.T) (last int) {
	t.Helper()
	var may, only unix.CPUSet
	musttest.Succeed(t, unix.SchedGetaffinity(0, &may))
	for left := may.Count(); left > 0; last++ {
		if may.IsSet(last) {
			left--
		}
	}
	last--
	only.Set(last)
	runtime.LockOSThread()
	musttest.Succeed(t, unix.SchedSetaffinity(0, &only))
	t.Cleanup(func() {
		checktest.ErrorIs(t, nil, unix.SchedSetaffinity(0, &may))
		runtime.UnlockOSThread()
	})
	return last
}

// isBusyOn reports whether a thread of a process, which may run on one processor only, has run there for 100 ms.
func isBusyOn(process, processor string) bool {
	threads, _ := filepath.Glob(filepath.Join(process, "task", "*"))
	return slices.ContainsFunc(threads, func(thread string) bool {
		status, _ := os.ReadFile(filepath.Join(thread, "status")) // it may be gone
		scheduled, _ := os.ReadFile(filepath.Join(thread, "schedstat"))
		var ran time.Duration
		fmt.Sscan(string(scheduled), (*int64)(&ran))
		return strings.Contains(string(status), "Cpus_allowed_list:\t"+processor+"\n") && ran > 100*time.Millisecond
	})
}

// processesOf are the processes beside a rank that follow an order.
func processesOf(t *testing.T, order string) (out []string) {
	t.Helper()
	all := musttest.Get(filepath.Glob("/proc/[0-9]*"))(t)
	for _, path := range all {
		text, err := os.ReadFile(filepath.Join(path, "cmdline")) // it may be gone
		if err == nil && bytes.Contains(text, []byte("follow\x00"+order+"\x00")) {
			out = append(out, path)
		}
	}
	return out
}

func TestJudgeSlowdown(t *testing.T) {
	struck := func(text string) Strike { return Strike{Rank: 1, Fault: mustParseFaults(t, text)[0]} }
	for name, c := range map[string]struct {
		strike Strike
		alerts []Alert
		want   SlowdownVerdict
	}{
		"nothing": {struck("compute:2"), nil, SlowdownVerdict{}},
		"right": {struck("compute:2"), []Alert{{25, "rank", []int{1}, ""}},
			SlowdownVerdict{Told: true, Rank: true, Cause: true, Seconds: 25}},
		"other rank":  {struck("compute:2"), []Alert{{25, "rank", []int{0}, ""}}, SlowdownVerdict{Told: true, Cause: true, Seconds: 25}},
		"and another": {struck("steal"), []Alert{{25, "node", []int{0, 1}, ""}}, SlowdownVerdict{Told: true, Cause: true, Seconds: 25}},
		"other cause": {struck("io"), []Alert{{25, "link", nil, ""}}, SlowdownVerdict{Told: true, Seconds: 25}},
		"link": {struck("late"), []Alert{{25, "link", []int{}, ""}},
			SlowdownVerdict{Told: true, Rank: true, Cause: true, Seconds: 25}},
		"before": {struck("steal"), []Alert{{-9, "rank", []int{1}, ""}, {25, "node", []int{1}, ""}, {40, "rank", []int{0}, ""}},
			SlowdownVerdict{Told: true, Rank: true, Cause: true, Seconds: 25, FalseAlarms: 1}},
	} {
		checktest.Equal(t, c.want, JudgeSlowdown(c.strike, c.alerts), name)
	}
}

// slowdownRecords are of two faults, with a miss, one that was not reached, and two healthy runs.
func slowdownRecords(t *testing.T) []Record {
	faults := mustParseFaults(t, "compute:1.5", "steal")
	of := func(id string, rank int, f Fault, alerts ...Alert) Record {
		return Record{Trial: Trial{ID: id, Seed: 2, Strike: Strike{Rank: rank, Fault: f, After: Duration(45 * time.Second)}},
			Outcome: &Outcome{Report: Report{State: Injected}, Alerts: alerts}}
	}
	late := of("2-004", 0, faults[0])
	late.Outcome.Report.State = NotReached
	healthy := HealthyTrials(2)
	return []Record{
		of("2-000", 1, faults[0], Alert{24, "rank", []int{1}, "14:00:24 UTC rank 1 computes 1.5 times as long"}),
		of("2-001", 1, faults[1], Alert{-8, "link", []int{}, "13:59:52 UTC all ranks wait longer"},
			Alert{30, "node", []int{1}, "14:00:30 UTC no CPU"}),
		of("2-002", 0, faults[0], Alert{36, "rank", []int{1}, "14:00:36 UTC rank 1 computes 1.1 times as long"}),
		of("2-003", 0, faults[1]),
		late,
		{Trial: healthy[0], Outcome: &Outcome{}},
		{Trial: healthy[1], Outcome: &Outcome{Alerts: []Alert{{60, "machine", []int{0, 1}, "14:01:00 UTC all nodes are slow"}}}},
	}
}

func TestSlowdownText(t *testing.T) {
	c := &Campaign{}
	c.Program.Name, c.Launch.Family, c.Launch.Ranks, c.Trials.Report = "melt", "openmpi", 2, []uint64{2}
	records := slowdownRecords(t)
	var text bytes.Buffer
	for _, r := range records {
		text.WriteString(r.String() + "\n")
	}
	musttest.Succeed(t, c.WriteText(&text, records))
	golden.Check(t, "slowdowns.txt", text.Bytes())
}
