package backtrace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"laggard/model"
	"laggard/model/mpi"
	"laggard/symbol"
	"laggard/symbol/outside"
)

// Options say what else is known of a job.
type Options struct {
	Size     int             // ranks of MPI_COMM_WORLD; 0: one more than the highest rank with a stack
	Program  *symbol.Program // that ran, for addresses without a module; nil unknown
	Resolver *symbol.Resolver
	Ancestor *Ancestor // an earlier run of the program; nil none
}

// Job is what the stacks of a job amount to.
type Job struct {
	Ranks []*model.Rank // in order of rank; they share their models
	Names *symbol.Names // what the texts call the frames
	Size  int           // of MPI_COMM_WORLD
	// Unmatched are ranks whose place is none of the ancestor's.
	Unmatched model.RankSet
	// Nameless are ranks whose stack is addresses alone: it cannot be told whether
	// they are in an MPI call.
	Nameless model.RankSet
}

// ErrTwice wraps the place of a process which another one stands for,
// ErrRange that of a rank that cannot be.
var (
	ErrTwice = errors.New("another process has that rank already")
	ErrRange = errors.New("no job has such a rank")
)

// BuildJob makes ranks of stacks, which must all have a rank (see AssignRanks). Of a
// rank's threads those count that are in MPI, and the one that runs main; the
// libraries' own threads say nothing. A second process of one rank, a rank
// that no job has, and one whose main thread has no stack are left out; the errors, which wrap ErrTwice, ErrRange or
// ErrMissing, say so.
func BuildJob(stacks []Stack, o Options) (*Job, []error) {
	b := &builder{Options: o, placer: newPlacer(o), union: newUnion(o.Ancestor)}
	b.mainHasPID = slices.ContainsFunc(stacks, Stack.hasPIDOfProcess)
	processes, errs := byRank(stacks)
	for _, p := range processes {
		if sites := b.threadSites(p.stacks); len(sites) > 0 {
			b.addRank(p, sites)
		} else {
			errs = append(errs, fmt.Errorf("backtrace: %s:%d: rank %d: %w: the stack of the main thread",
				p.stacks[0].File, p.stacks[0].Line, p.rank, ErrMissing))
		}
	}
	shared := b.union.completeModel()
	for _, r := range b.ranks {
		for _, t := range r.Threads {
			t.Model = shared
		}
	}
	size := o.Size
	if n := len(b.ranks); n > 0 {
		size = max(size, b.ranks[n-1].Rank+1)
	}
	for _, r := range b.ranks {
		r.Size = size
	}
	return &Job{Ranks: b.ranks, Names: b.placer.names, Size: size, Unmatched: b.unmatched, Nameless: b.nameless}, errs
}

// process is the stacks of one.
type process struct {
	rank   int
	stacks []Stack
}

// byRank sorts the stacks by rank, those of a second process of a rank left out.
func byRank(stacks []Stack) ([]process, []error) {
	var errs []error
	at := map[int]*process{}
	for _, s := range stacks {
		p := at[s.Rank]
		switch {
		case s.Rank < 0 || s.Rank > model.MaxRank:
			errs = append(errs, fmt.Errorf("backtrace: %s:%d: rank %d: %w", s.File, s.Line, s.Rank, ErrRange))
		case p == nil:
			at[s.Rank] = &process{s.Rank, []Stack{s}}
		case p.stacks[0].File != s.File || p.stacks[0].PID != s.PID:
			errs = append(errs, fmt.Errorf("backtrace: %s:%d: rank %d: %w, from %s:%d", s.File, s.Line, s.Rank,
				ErrTwice, p.stacks[0].File, p.stacks[0].Line))
		default:
			p.stacks = append(p.stacks, s)
		}
	}
	var out []process
	for _, p := range at {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b process) int { return cmp.Compare(a.rank, b.rank) })
	return out, errs
}

type builder struct {
	Options
	placer    *placer
	union     *union
	ranks     []*model.Rank
	unmatched model.RankSet
	nameless  model.RankSet
	// mainHasPID tells that the texts number threads as Linux does: that with main has the number of the process.
	mainHasPID bool
}

// site is where a thread is.
type site struct {
	call   string // MPI function it is in, "" in computation
	kind   model.Kind
	bind   mpi.Binding
	stack  []level // outside MPI; the innermost is the caller of the MPI function
	tid    int
	main   bool
	broken bool // the outer end is missing
}

// faults are the signals of which a process dies by itself. Others are sent by
// whoever ends a job, and leave lightweight core files too.
var faults = []syscall.Signal{
	syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGSEGV, syscall.SIGSYS,
}

func (b *builder) addRank(p process, sites []site) {
	r := &model.Rank{
		Rank: p.rank, Exe: p.stacks[0].Program, Phase: model.Running,
		EndDetail: -1, ThreadLevel: -1,
	}
	for _, s := range p.stacks {
		if slices.Contains(faults, syscall.Signal(s.Signal)) {
			r.End, r.EndDetail = model.Signalled, s.Signal
		}
		if s.Fault != "" {
			r.Notes = append(r.Notes, s.Fault)
		}
	}
	for i, s := range sites {
		state, matched := b.union.stateOf(s)
		if !matched && b.Ancestor != nil && i == 0 {
			b.unmatched.Add(p.rank)
		}
		if s.call == "" && i == 0 && !slices.ContainsFunc(s.stack, func(l level) bool { return l.at.Function != "" }) {
			b.nameless.Add(p.rank)
		}
		t := &model.Thread{Index: i, TID: s.tid}
		t.Op = model.Op{State: state, InMPI: s.call != "", Kind: s.kind}
		if i == 0 {
			t.Progress = 1 // the thread that speaks for the rank
		}
		r.Threads = append(r.Threads, t)
		if s.kind == model.Finalize {
			r.Phase = max(r.Phase, model.Finalizing)
		} else if s.kind == model.Init {
			r.Phase = model.Starting
		}
	}
	b.ranks = append(b.ranks, r)
}

// threadSites returns where the threads are that count, that with main first. Without
// one, the first of the text comes first, unless the numbers tell that it is another thread: then the text lacks the main thread's
// stack, and nothing is known of the rank. If main waits for another thread, that one is
// among those which run the program's own code, and they come before it.
func (b *builder) threadSites(stacks []Stack) []site {
	var out, others []site
	for _, s := range stacks {
		levels := b.placer.placeStack(s)
		if len(levels) == 0 {
			continue
		}
		at := siteOf(levels)
		at.tid, at.broken = s.TID, s.Partial
		if at.main || isMPIFunction(at.call) {
			out = append(out, at)
		} else {
			others = append(others, at)
		}
	}
	if len(out) == 0 && len(others) > 0 {
		i := 0
		if b.mainHasPID {
			i = slices.IndexFunc(others, func(s site) bool { return s.tid == stacks[0].PID })
		}
		if i < 0 {
			return nil
		}
		return others[i : i+1]
	}
	awaits := slices.ContainsFunc(out, site.mainAwaitsThread)
	if own := slices.DeleteFunc(others, func(s site) bool { return !s.runsProgramCode() }); awaits {
		out = append(out, own...)
	}
	slices.SortStableFunc(out, func(x, y site) int {
		return cmp.Or(
			cmp.Compare(boolToInt(x.mainAwaitsThread()), boolToInt(y.mainAwaitsThread())),
			cmp.Compare(boolToInt(y.main), boolToInt(x.main)),
		)
	})
	return out
}

// mainAwaitsThread reports whether it is main, and waits for another thread.
func (s site) mainAwaitsThread() bool { return s.main && s.call == "" && s.waitsFor() == "thread" }

// runsProgramCode reports whether the thread runs code of the program, and does not wait for others there.
func (s site) runsProgramCode() bool {
	return s.waitsFor() == "" && slices.ContainsFunc(s.stack, func(l level) bool {
		return !symbol.IsSystemModule(l.at.Module) && l.at.Function != ""
	})
}

// waitsFor is what a thread outside MPI waits for, as package outside has it.
func (s site) waitsFor() string {
	var stack []symbol.Location
	for _, l := range s.stack {
		stack = append(stack, l.at)
	}
	return outside.WaitOf(stack).For
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// isMPIFunction reports whether a call is a function of MPI.
func isMPIFunction(call string) bool {
	return mpi.FunctionOf(call) != nil
}

// siteOf splits a stack into the MPI call and the program outside it.
func siteOf(levels []level) site {
	var flat []symbol.Location
	var owner []int // level of each
	for i, l := range levels {
		for _, c := range l.at.Calls() {
			flat = append(flat, symbol.Location{Call: c, Module: l.at.Module, Language: l.at.Language})
			owner = append(owner, i)
		}
	}
	s := site{stack: levels, kind: model.Local}
	if c, ok := callOf(flat); ok {
		s.call, s.kind, s.bind = c.name, kindOf(c.name), c.binding
		s.stack = levels[owner[c.frame]+1:]
	}
	s.main = slices.ContainsFunc(flat, func(l symbol.Location) bool {
		return l.Language == "" && l.Function == "main" || l.Function == "MAIN__" || l.Function == "__libc_start_main"
	})
	return s
}
