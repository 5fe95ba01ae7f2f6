package progress

import (
	"laggard/analysis/divergence"
	"laggard/model"
)

// excepted takes exceptions into account. One of Python that nothing caught has ended the program
// of its rank there: that rank is named where it is among others, or where nothing else
// decides. And where nothing decides between ranks those are left that are in the midst of
// one, or threw one of C++ shortly before: that is how they came to do something else.
func (f *Finding) excepted() {
	last := f.raising(func(how model.RaisedHow) bool { return how == model.RaisedLast })
	if among := last.Intersect(f.least); among.Len() > 0 {
		last = among
	}
	these := f.raising(func(model.RaisedHow) bool { return true }).Intersect(f.least)
	switch {
	case !f.hang || f.least.Len() == 0:
	case last.Len() > 0 && (last.Intersect(f.least).Len() > 0 || f.confidence <= guess):
		f.only(last)
		f.confidence = max(f.confidence, f.sure(leftFew))
	case these.Len() > 0 && f.confidence <= guess:
		f.only(these)
	}
}

// only names some ranks of those in question.
func (f *Finding) only(ranks model.RankSet) {
	if !ranks.Equal(f.least) {
		f.least = ranks
		f.reason += "; only " + ranks.Phrase() + " met an exception"
	}
}

// raising returns the ranks in the midst of an exception that not all have.
func (f *Finding) raising(how func(model.RaisedHow) bool) model.RankSet {
	var out model.RankSet
	for _, x := range f.raised {
		if how(x.How) && !x.Ranks.Equal(f.scene.Present) {
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
		if x.How == model.RaisedThrown && before.Order <= x.First && (after == nil || x.Last < after.Order) &&
			o.Ranks.Minus(x.Ranks).Len() == 0 {
			return x.Frames
		}
	}
	return nil
}
