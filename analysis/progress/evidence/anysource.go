package evidence

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// AnySourceWait is a rank that waits for several messages of a kind from any source in one call, and not all of them came.
type AnySourceWait struct {
	Rank         int
	Call         string // that it is in
	Tag          int
	On           model.CommRef
	Wanted, Came uint64
	From         model.RankSet // that sent those that came
	None         model.RankSet // that may send such messages, and sent none; empty: none, or it is not known
}

// AnySourceWaits returns the certain ones, by rank; at most as many as are asked about.
func AnySourceWaits(s *Scene) (out []AnySourceWait) {
	j := judge{s}
	s.eachMessage(s.Present, func(rank int, l Link) {
		w := s.wantOf(l)
		if l.Weak || w == nil || w.Peer != model.Any || s.Needs[rank].Weak || len(out) == maxUnsent {
			return
		}
		wait := &s.Facts[rank].Waits[l.source.wait]
		one := AnySourceWait{Rank: rank, Call: wait.Call, Tag: w.Tag, On: s.commOf(w), Came: j.answerCount(l.source)}
		for i := range wait.Wants {
			if areAlike(&wait.Wants[i], w) {
				one.Wanted++
			}
		}
		known := slices.ContainsFunc(out, func(o AnySourceWait) bool { return o.Rank == rank && o.On.ID == one.On.ID && o.Tag == one.Tag })
		if one.Wanted < 2 || known || oneWillDo(wait) || wait.Unlisted {
			return
		}
		one.From, one.None = posted{s}.sendersOf(l.source, w)
		out = append(out, one)
	})
	return out
}

// sendersOf returns the ranks that sent a message for a receive from any source which it has not received, and those that sent none, as
// far as all who may send are known.
func (s posted) sendersOf(id wantID, w *facts.Want) (some, none model.RankSet) {
	for _, a := range s.answers[id] {
		if a.Count > 0 {
			some.Add(a.From)
		}
	}
	c := s.comms[w.Comm]
	if c == nil || w.Self {
		return some, none
	}
	none = s.groupOf(c, otherSide(c, id.rank)).Minus(some).Minus(model.NewRankSet(id.rank))
	incomplete := func(r int) bool { return !judge(s).countersComplete(r) }
	if none.Minus(s.Present).Len() > 0 || slices.ContainsFunc(none.Slice(), incomplete) {
		return some, model.RankSet{}
	}
	return some, none
}
