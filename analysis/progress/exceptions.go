package progress

import (
	"slices"

	"laggard/analysis/divergence"
	"laggard/model"
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
		if how(x.How) && !x.Ranks.Equal(j.scene.Present) {
			out = out.Union(x.Ranks)
		}
	}
	return out
}

// ThrownBy returns the stack that an exception of C++ was thrown from by which ranks left the others: they threw it
// between the last collective that all made and the first that differs. nil: there is none.
func (d *Diagnosis) ThrownBy(o *divergence.Odd) []model.Frame {
	before, after := o.Before(), o.Next()
	if before == nil {
		return nil
	}
	for _, x := range d.Raised {
		if x.How == model.RaisedThrown && !x.Ended && before.Order <= x.First && (after == nil || x.Last < after.Order) &&
			o.Ranks.Minus(x.Ranks).Len() == 0 {
			return x.Frames
		}
	}
	return nil
}
