package progress

import (
	"slices"

	"laggard/analysis/divergence"
	"laggard/model"
	"laggard/symbol"
)

// preferRaising takes exceptions into account. One of Python that nothing caught has ended the program
// of its rank there: that rank is named where it is among others, or where nothing else
// decides. And where nothing decides between ranks those are left that are in the midst of
// one, or threw one of C++ shortly before: that is how they came to do something else.
func preferRaising(j *job, v Verdict) Verdict {
	last := j.ranksRaising(model.RaisedHow.EndsProcess)
	if among := last.Intersect(v.Ranks); among.Len() > 0 {
		last = among
	}
	these := j.ranksRaising(func(model.RaisedHow) bool { return true }).Intersect(v.Ranks)
	switch {
	case !j.hang || v.Ranks.Len() == 0:
	case last.Len() > 0 && (last.Intersect(v.Ranks).Len() > 0 || v.Confidence <= guess):
		v = v.narrowTo(last)
		v.Confidence = max(v.Confidence, j.scaleByKnown(leftFew))
	case these.Len() > 0 && v.Confidence <= guess:
		v = v.narrowTo(these)
	}
	return v
}

// narrowTo names some ranks of those in question.
func (v Verdict) narrowTo(ranks model.RankSet) Verdict {
	if !ranks.Equal(v.Ranks) {
		v.Ranks = ranks
		v.Reasons = append(v.Reasons, Reason{Kind: OnlyRaising, Ranks: ranks})
	}
	return v
}

// asked are exceptions by which programs in Python end when a signal asks them to.
var asked = []string{"KeyboardInterrupt", "SystemExit"}

// ranksRaising returns the ranks in the midst of an exception that not all have.
func (j *job) ranksRaising(how func(model.RaisedHow) bool) model.RankSet {
	var out model.RankSet
	for _, x := range j.raised {
		if j.scene.Ended != nil && slices.Contains(asked, x.Type) {
			continue
		}
		if how(x.How) && !x.Habit && !x.Ranks.Equal(j.scene.Present) {
			out = out.Union(x.Ranks)
		}
	}
	return out
}

// EndedAt returns the stack from which ranks ended their process instead of what the others did: by a run-time library, MPI_Abort or
// exit. nil: they did not, or it is not known.
func (d *Diagnosis) EndedAt(o *divergence.Odd) []model.Frame {
	if o.Kind != divergence.ErrorPath || o.Instead == nil || o.WentToFinalize() {
		return nil
	}
	for _, x := range d.Raised {
		if x.How == model.RaisedFatal && o.Ranks.Minus(x.Ranks).Len() == 0 {
			return x.Frames
		}
	}
	if s := o.Instead.State; s != nil && len(s.Stack) > 0 {
		return s.Stack
	}
	if d.LeastProgressed == nil {
		return nil
	}
	for _, at := range d.LeastProgressed.Locations {
		if at.Captured && at.Call == "" && !at.Other && o.Ranks.Minus(at.Ranks).Len() == 0 {
			return programFrames(at.Stack)
		}
	}
	return nil
}

// programFrames leaves out the innermost frames that are of the system's libraries, such as those of exit.
func programFrames(stack []model.Frame) []model.Frame {
	for i, f := range stack {
		if f.Module == nil || !symbol.IsSystemModule(f.Module.Path) {
			return stack[i:]
		}
	}
	return nil
}

// ThrownBy returns the stack that an exception of C++ was thrown from by which ranks left the others: they threw it
// between the last collective that all made and the first that differs. nil: there is none.
func (d *Diagnosis) ThrownBy(o *divergence.Odd) []model.Frame {
	before, after := o.Before(), o.Next()
	if before == nil {
		return nil
	}
	for _, x := range d.Raised {
		if x.How == model.RaisedThrown && !x.Ended && !x.Elsewhere && before.Order <= x.First && (after == nil || x.Last < after.Order) &&
			o.Ranks.Minus(x.Ranks).Len() == 0 {
			return x.Frames
		}
	}
	return nil
}
