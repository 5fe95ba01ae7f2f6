package progress

import (
	"laggard/analysis/divergence"
	"laggard/analysis/progress/facts"
	"laggard/model"
)

// visits is what it tells of a job how often ranks were in a call.
type visits struct{ *job }

// manyVisits is how often ranks were at least in a call that is part of the work that they do again and again.
const manyVisits = 3

// noteNever notes that no other ranks than those that are in the others' call were ever there.
func (v visits) noteNever(o *divergence.Odd) {
	if len(o.Theirs) == 0 || o.Theirs[0].State == nil {
		return
	}
	call := o.Theirs[0].State.ID
	site := v.scene.Sum.Flow.SiteOf(call)
	o.Never = site != nil && site.Visits.Ranks == uint64(v.ranksIn(call).Len())
	o.OtherWork = o.Never && o.WentToFinalize() && site.Visits.Least >= manyVisits
}

// ranksIn are the ranks that are in a call.
func (v visits) ranksIn(call model.StateID) model.RankSet {
	return v.scene.RanksWhere(func(fact *facts.Fact) bool { return fact.At.InMPI && fact.At.State == call })
}

// fewestVisits is how often ranks must have been in a call, for each time that some were there more, for it to be one that all make
// equally often.
const fewestVisits = 2

// areMore reports whether the ranks that are in a call, the few, were there more often than all others that ever were, which
// were there equally often. In a round there may be several visits, as one for each direction.
func (v visits) areMore(call model.StateID) bool {
	site, few := v.scene.Sum.Flow.SiteOf(call), uint64(v.ranksIn(call).Len())
	if site == nil || 2*few >= site.Visits.Ranks {
		return false
	}
	more := site.Visits.Surplus(few)
	return more > 0 && site.Visits.Least >= fewestVisits*more
}
