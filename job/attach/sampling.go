package attach

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"laggard/intake/backtrace"
	"laggard/intake/python"
	"laggard/intake/stopped"
	"laggard/intake/unwind"
	"laggard/model"
	"laggard/symbol"
)

// sample is one thread as one look saw it.
type sample struct {
	rank   int
	look   int
	thread stopped.Thread
	stack  unwind.Stack
	levels []python.Level // the stack with the frames of a Python program in it
}

// sampledRank is a rank that is looked at several times.
type sampledRank struct {
	*rankProcess
	unwinder *unwind.Process
	python   *python.Interpreter // nil: there is none
	tids     []int               // that are worth further looks; nil: all
	samples  []*sample
	problems []error
}

// newSampledRank prepares to look at a rank. An interpreter is looked for in the program, and in libraries that are called so.
func newSampledRank(f *rankProcess, rows *unwind.Rows, resolver *symbol.Resolver) *sampledRank {
	w := &sampledRank{rankProcess: f, unwinder: unwind.New(&f.process.Image, rows)}
	var may []*stopped.Module
	for _, m := range w.unwinder.Modules() {
		if m.Path == f.process.Program || strings.HasPrefix(filepath.Base(m.Path), "libpython") {
			may = append(may, m)
		}
	}
	w.python = python.FindInterpreter(may, f.process.Memory, resolver)
	return w
}

// sampleThreads looks at all threads of a rank, or at those worth it. Without the first one, which runs
// the program, the others say nothing: a thread of a library would stand for the rank.
func (w *sampledRank) sampleThreads(n int, hold bool) {
	tids := w.tids
	if tids == nil {
		var err error
		if tids, err = w.process.TIDs(); err != nil {
			w.problems = append(w.problems, err)
			return
		}
	}
	for _, tid := range tids {
		s, err := w.sampleThread(tid, n, hold)
		switch {
		case err == nil:
			w.samples = append(w.samples, s)
		case tid == w.process.PID:
			w.problems = append(w.problems, err)
			return
		}
	}
	w.selectThreads()
}

// sampleThread looks at one, and holds it only if its stack cannot be followed otherwise.
func (w *sampledRank) sampleThread(tid, look int, hold bool) (*sample, error) {
	t, err := w.process.ReadThread(tid, hold)
	if err != nil {
		return nil, err
	}
	s := w.unwindSample(t, look)
	if s.stack.Lacks && !t.Held {
		if again, err := w.process.ReadThread(tid, true); err == nil {
			s = w.unwindSample(again, look)
		}
	}
	return s, nil
}

// unwindSample follows the stack of a thread. In an MPI call what the interpreter does to get there says nothing.
func (w *sampledRank) unwindSample(t stopped.Thread, look int) *sample {
	s := &sample{rank: w.rank, look: look, thread: t, stack: w.unwinder.Unwind(&t)}
	inMPI := slices.ContainsFunc(s.stack.Frames, func(f unwind.Frame) bool {
		return f.Module != nil && libraryOfMPI(f.Module.Path)
	})
	cut := false
	s.levels, cut = w.python.MergeStacks(t.TID, s.stack.Frames, !inMPI)
	s.stack.Partial = s.stack.Partial || cut
	return s
}

// isRecorderThread reports whether a thread is one of the recorder's, in a job that is recorded as
// well: nothing is on its stack but that and the C library.
func (s *sample) isRecorderThread() bool {
	own := false
	for _, f := range s.stack.Frames {
		switch {
		case f.Module == nil, !symbol.IsSystemModule(f.Module.Path), libraryOfMPI(f.Module.Path):
			return false
		case symbol.IsRecorderModule(f.Module.Path):
			own = true
		}
	}
	return own
}

// selectThreads forgets the copies of stacks that only the newest look needs, and chooses the
// threads for the next one: the first, and those with a frame in an MPI library or in the program.
func (w *sampledRank) selectThreads() {
	w.tids = []int{w.process.PID}
	for _, s := range w.samples {
		if s.look != w.samples[len(w.samples)-1].look {
			s.thread.Stack = nil
			continue
		}
		worth := slices.ContainsFunc(s.stack.Frames, func(f unwind.Frame) bool {
			return f.Module != nil && (f.Module.Path == w.process.Program || libraryOfMPI(f.Module.Path))
		})
		if worth && s.thread.TID != w.process.PID {
			w.tids = append(w.tids, s.thread.TID)
		}
	}
}

// sampleRanks looks at all ranks as often as is asked, at equal distances.
func sampleRanks(ranks []*sampledRank, o Options) {
	apart := time.Duration(0)
	if o.Looks > 1 {
		apart = o.Over / time.Duration(o.Looks-1)
	}
	next := time.Now()
	for n := range o.Looks {
		time.Sleep(time.Until(next))
		next = next.Add(apart)
		var all sync.WaitGroup
		turn := make(chan bool, atOnce)
		for _, w := range ranks {
			turn <- true
			all.Go(func() {
				w.sampleThreads(n, o.Hold)
				<-turn
			})
		}
		all.Wait()
	}
}

// atOnce is how many ranks are looked at at the same time.
const atOnce = 4

// stackTexts are the samples as package backtrace takes stacks. The number of the sample
// stands for that of the thread, so that every look is a stack of its own.
func stackTexts(samples []*sample, of map[int]*sampledRank) []backtrace.Stack {
	var out []backtrace.Stack
	for i, s := range samples {
		t := backtrace.Stack{Rank: s.rank, TID: i, Partial: s.stack.Partial}
		t.Program, t.Signal = of[s.rank].process.Program, of[s.rank].process.Signal
		for _, l := range s.levels {
			t.Frames = append(t.Frames, frameText(l))
		}
		if len(t.Frames) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// frameText is a level as package backtrace takes it.
func frameText(l python.Level) backtrace.Frame {
	if l.Python != nil {
		m := model.PythonModule(l.Python.File, l.Python.Function)
		return backtrace.Frame{Module: m.Path, BuildID: m.BuildID, Offset: uint64(l.Python.Line)}
	}
	f := l.C
	frame := backtrace.Frame{Address: f.PC(), PC: f.Exact}
	if m := f.Module; m != nil {
		frame.Module, frame.BuildID, frame.Offset = m.Path, m.BuildID, f.PC()-m.Bias
		if f.Exact {
			frame.Offset++ // as if it were a return address, as all others are
		}
	}
	return frame
}

// problemsOf says what went wrong with each rank, once. That a thread had no processor to
// stop on in a few looks is nothing: the others tell what the rank does.
func problemsOf(w *sampledRank, looks int) []error {
	busy := 0
	for _, err := range w.problems {
		if transient(err) {
			busy++
		}
	}
	var out []error
	seen := map[string]bool{}
	for _, err := range w.problems {
		if transient(err) && 2*busy <= looks {
			continue
		}
		if errors.Is(err, stopped.ErrForbidden) {
			err = permissionError(w.process.PID, err)
		}
		err = fmt.Errorf("rank %d: %w", w.rank, err)
		if !seen[err.Error()] {
			seen[err.Error()] = true
			out = append(out, err)
		}
	}
	return out
}

// transient: the thread had not come to a stop in time, or still had to be let go of from then.
func transient(err error) bool {
	return errors.Is(err, stopped.ErrBusy) || errors.Is(err, stopped.ErrForbidden)
}
