package injector

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"laggard/internal/procfs"
)

// The kinds of fault by which a rank gets slower, from a moment on.
const (
	// Compute: the rank computes Amount times as long between its MPI calls.
	Compute Kind = "compute"
	// Steal: a busy process takes the processor from the rank about half of the time.
	Steal Kind = "steal"
	// IO: what reads or writes a regular file takes as long as its bytes at Amount MB/s.
	IO Kind = "io"
	// Late: what the rank sends is late by Amount milliseconds, in each call.
	Late Kind = "late"
)

// amounts are the least, the greatest and the usual Amount of a slowdown.
var amounts = map[Kind]struct {
	least, most, usual float64
	unit               string
}{
	Compute: {1.01, 100, 2, "the factor"},
	IO:      {0.01, 10000, 10, "MB/s"},
	Late:    {0.01, 1000, 1, "the milliseconds"},
}

// CausesSlowdown reports whether a rank gets slower by it.
func (f Fault) CausesSlowdown() bool { return f.Kind == Steal || amounts[f.Kind].most > 0 }

// parseAmount reads the number of a slowdown.
func parseAmount(kind Kind, detail string, given bool) (float64, error) {
	a := amounts[kind]
	if !given {
		return a.usual, nil
	}
	amount, err := strconv.ParseFloat(detail, 64)
	if err != nil || !(amount >= a.least && amount <= a.most) {
		return 0, fmt.Errorf("injector: \"%s:%s\": %w: %s is %g to %g", kind, detail, ErrFault, a.unit, a.least, a.most)
	}
	return amount, nil
}

// cause is what a user should be told of it, by the causes of package analysis/slowness. Of messages nobody can tell by
// samples at which rank they are late.
func (f Fault) cause() (cause string, namesRank bool) {
	switch f.Kind {
	case Steal:
		return "node", true
	case IO:
		return "io", true
	case Late:
		return "link", false
	}
	return "rank", true
}

// DrawSlowdowns makes n trials from a seed, of the faults in turn: for each a rank and a moment between two, with equal
// chances. The same arguments give the same trials.
func DrawSlowdowns(seed uint64, n, ranks int, faults []Fault, from, to time.Duration) []Trial {
	random := rand.New(rand.NewPCG(seed, stream))
	var out []Trial
	for i := range n {
		t := Trial{ID: fmt.Sprintf("%d-%03d", seed, i), Seed: seed, Index: i}
		t.Fault, t.Rank = faults[i%len(faults)], random.IntN(ranks)
		t.After = Duration(from + time.Duration(random.Int64N(int64(to-from)+1)).Round(100*time.Millisecond))
		out = append(out, t)
	}
	return out
}

// SlowLibraries are what makes a rank slow: one is preloaded before the recorder, one behind it.
type SlowLibraries struct {
	Before string `json:"before"`
	Behind string `json:"behind"`
}

// slowedEnvironment is that of a rank that gets slower: the libraries, and LAGGARD_SLOWDOWN (injector/slowdown). The report
// lies beside its place until the library puts it there.
func slowedEnvironment(o Order, environment []string) ([]string, error) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return nil, fmt.Errorf("injector: clock: %w", err)
	}
	s := *o.Strike
	after := time.Duration(s.After)
	report := o.reportFile(s.Rank)
	if err := writeJSON(report+".due", newSlowdownReport(s, os.Getpid(), time.Now().Add(after))); err != nil {
		return nil, err
	}
	preload := []string{o.Slow.Before}
	environment = slices.DeleteFunc(slices.Clone(environment), func(v string) bool {
		before, found := strings.CutPrefix(v, "LD_PRELOAD=")
		if found && before != "" {
			preload = append(preload, before)
		}
		return found
	})
	setting := fmt.Sprintf("LAGGARD_SLOWDOWN=%d %d %s %g %s", os.Getpid(), now.Nano()+int64(after), s.Fault.Kind, s.Fault.Amount, report)
	return append(environment, "LD_PRELOAD="+strings.Join(append(preload, o.Slow.Behind), ":"), setting), nil
}

func newSlowdownReport(s Strike, pid int, begin time.Time) Report {
	return Report{Strike: s, State: Injected, Time: begin.UTC(), PID: pid, TID: pid}
}

// stealSlice is how long a busy thread runs until it looks whether the rank is still there.
const stealSlice = 5 * time.Millisecond

// stealProcessor keeps busy, from a moment on, each processor that a process may run on, until it ends. Of a process that
// is pinned to one, that is where it runs.
func stealProcessor(s Strike, pid int, told func(Report) error) error {
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return fmt.Errorf("injector: process %d: %w", pid, err)
	}
	defer unix.Close(process)
	if hasEnded(process, time.Duration(s.After)) {
		return nil
	}
	var processors unix.CPUSet
	if err := unix.SchedGetaffinity(pid, &processors); err != nil {
		return fmt.Errorf("injector: process %d: %w", pid, err)
	}
	if err := told(newSlowdownReport(s, pid, time.Now())); err != nil {
		return err
	}
	takeWeight(pid)
	busy := make(chan error)
	for cpu, left := 0, processors.Count(); left > 0; cpu++ { // they may be others than those of this process
		if processors.IsSet(cpu) {
			left--
			go func() { busy <- onOwnThread(func() error { return keepBusy(cpu, process) }) }()
		}
	}
	for range processors.Count() {
		if err := <-busy; err != nil {
			return err
		}
	}
	return nil
}

// takeWeight gives this session, whose processes share the processors as one, the weight of a process's session: sched(7),
// autogroup. Where there are no such groups, both have the same weight anyway.
func takeWeight(pid int) {
	text, err := os.ReadFile(procfs.Path(pid, "autogroup"))
	if _, nice, found := strings.Cut(string(text), " nice "); err == nil && found {
		_ = os.WriteFile("/proc/self/autogroup", []byte(strings.TrimSpace(nice)), 0) // below 0 not everybody may
	}
}

// keepBusy keeps a processor busy until a process ends.
func keepBusy(cpu, process int) error {
	var only unix.CPUSet
	only.Set(cpu)
	if err := unix.SchedSetaffinity(0, &only); err != nil {
		return fmt.Errorf("injector: processor %d: %w", cpu, err)
	}
	for !hasEnded(process, 0) {
		for end := time.Now().Add(stealSlice); time.Now().Before(end); {
		}
	}
	return nil
}

// hasEnded waits for a process, by its pidfd, for a time at most.
func hasEnded(process int, longest time.Duration) bool {
	end := time.Now().Add(longest)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(process), Events: unix.POLLIN}}, int(time.Until(end).Milliseconds()))
		if n > 0 || err != nil && err != unix.EINTR {
			return n > 0
		}
		if err == nil {
			return false
		}
	}
}
