package facts

import (
	"cmp"
	"slices"
	"strings"

	"laggard/model"
	"laggard/model/format"
	"laggard/model/wire"
)

// Raised is an exception of Python that ranks are in the midst of, one of C++ that they threw shortly before, or an error by
// which a run-time library ended them.
type Raised struct {
	How model.RaisedHow
	// First and Last are how many collectives the ranks had begun then, at least and at most; 0 of Python.
	First, Last uint32
	Type        string
	Frames      []model.Frame // that it came through or was thrown from, innermost first; without run-time addresses
	Cut         bool          // before the last frame some are left out
	Ranks       model.RankSet
	Ended       bool   // one of C++ in a thread that ended after it
	Elsewhere   bool   // in a thread that never called MPI, one of C++ or one that it ended or put into a future
	Habit       bool   // one of C++ that ranks which live throw again and again: no reason by itself
	Text        string // what it says to the first of the ranks; "" if that is not known
}

// compareRaised orders exceptions by what they are, not by the ranks that have them.
func compareRaised(x, y Raised) int {
	return cmp.Or(cmp.Compare(x.How, y.How), cmp.Compare(x.Type, y.Type), CompareBools(x.Cut, y.Cut), CompareBools(x.Ended, y.Ended),
		CompareBools(x.Elsewhere, y.Elsewhere), CompareBools(x.Habit, y.Habit), CompareFrames(x.Frames, y.Frames))
}

func joinRaised(x, y Raised) Raised {
	if y.Ranks.Min() < x.Ranks.Min() {
		x.Text = y.Text
	}
	x.Ranks, x.First, x.Last = x.Ranks.Union(y.Ranks), min(x.First, y.First), max(x.Last, y.Last)
	return x
}

func (x *Raised) code(c *wire.Coder) {
	wire.Uint(c, &x.How)
	wire.Uint(c, &x.First)
	wire.Uint(c, &x.Last)
	c.Text(&x.Type)
	c.Text(&x.Text)
	c.Flags(&x.Cut, &x.Ended, &x.Elsewhere, &x.Habit)
	c.Stack(&x.Frames)
	codeSet(c, &x.Ranks)
}

// shortly is how many calls of MPI a rank may have begun since it threw an exception of C++ for that to be told: what
// caught it is over, and a program may throw as a habit.
const shortly = 8

// addExceptions keeps the exception that the thread which speaks for its rank is in the midst of, and those of C++ after which other
// threads ended: what catches one in a thread often only ends it. Likewise the last one of a thread that never called MPI, if the rank
// has made few calls since, and those of Python that ended such threads; not if such threads throw as a habit, of which the last ones are
// not recorded.
func (b *builder) addExceptions(r *model.Rank, speaks *model.Thread) {
	calls := uint64(0)
	for _, t := range r.Threads {
		calls += t.Calls
		ended := t.Ended && t.Raised != nil && t.Raised.How == model.RaisedThrown
		if (t == speaks || ended) && t.Raised != nil && isCurrentException(t) {
			b.addRaised(r.Rank, t.Raised, Raised{Ended: ended, Habit: t.Raised.Habit && r.End == model.NoEnd})
		}
	}
	if len(r.Thrown) >= format.MaxThrown {
		return
	}
	for i := range r.Thrown {
		x := &r.Thrown[i]
		last := i == len(r.Thrown)-1 && x.Calls <= calls && calls-x.Calls <= shortly
		if x.How == model.RaisedThread || last && !(x.How == model.RaisedFuture && isAskedFor(x, r)) {
			b.addRaised(r.Rank, x, Raised{Elsewhere: true})
		}
	}
}

// isAskedFor reports whether a thread of the rank has got an exception out of a future, and is in the midst of it.
func isAskedFor(x *model.Raised, r *model.Rank) bool {
	return slices.ContainsFunc(r.Threads, func(t *model.Thread) bool {
		return t.Raised != nil && t.Raised.Type == x.Type && len(x.Stack) > 0 && len(t.Raised.Stack) > 0 &&
			CompareFrames(x.Stack[:1], t.Raised.Stack[:1]) == 0
	})
}

// addRaised adds an exception of a rank to what is known of its thread.
func (b *builder) addRaised(rank int, x *model.Raised, one Raised) {
	one.How, one.Type, one.Text, one.Cut = x.How, validUTF8(x.Type), validUTF8(x.Text), x.Cut
	one.Frames, one.Ranks = b.portableFrames(x.Stack), model.NewRankSet(rank)
	if x.How == model.RaisedThrown || x.How == model.RaisedFatal {
		one.First, one.Last = x.Order, x.Order
	}
	b.sum.Raised = append(b.sum.Raised, one)
}

// isCurrentException reports whether the exception of a thread is of what it does now. One that nothing
// caught, and that has left the program, is for good.
func isCurrentException(t *model.Thread) bool {
	x := t.Raised
	switch {
	case x.How == model.RaisedFatal:
		return true
	case x.How == model.RaisedThrown:
		return x.Calls <= t.Calls && t.Calls-x.Calls <= shortly
	case x.How != model.RaisedLast:
		return x.Calls == t.Calls
	}
	now := presentStack(t)
	if len(now) > 0 && !slices.ContainsFunc(now, inInterpreter) {
		return false // a program that has an interpreter in it ran something there, and goes on
	}
	return len(x.Stack) > 0 && outermost(x.Stack[len(x.Stack)-1]) && !slices.ContainsFunc(now, outermost)
}

// inInterpreter reports whether a frame is one of Python, or of its interpreter.
func inInterpreter(f model.Frame) bool {
	_, _, ok := f.Module.PythonFunction()
	return ok || f.Module != nil && model.IsPython(f.Module.Path)
}

// presentStack is the stack of what a thread does now.
func presentStack(t *model.Thread) []model.Frame {
	if c := t.Captured; c != nil && c.Calls == t.Calls {
		return c.Stack
	}
	if s := stateOf(t, t.Op.State); s != nil {
		return s.Stack
	}
	return nil
}

// outermost reports whether a frame is one in which a program in Python begins: that of a file,
// or of `python -m`. Those of interactive input, which name no file, begin none.
func outermost(f model.Frame) bool {
	function, file, ok := f.Module.PythonFunction()
	typed := strings.HasPrefix(file, "<") && file != "<string>"
	return ok && (function == "<module>" && !typed || function == "_run_module_as_main")
}
