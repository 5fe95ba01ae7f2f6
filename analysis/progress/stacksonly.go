package progress

import (
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
)

// outsideRule names the ranks that compute, where all that is known of any rank is its
// stack: a rank in a call may wait for another, and
// a rank outside waits for none. Of several, those ahead of the lowest are left
// out, as far as the algorithm can tell.
func outsideRule(j *job) (Verdict, bool) {
	s := j.scene
	if !j.opts.StacksOnly {
		return Verdict{}, false
	}
	stand := func(which evidence.Standing) func(*facts.Fact) bool {
		return func(fact *facts.Fact) bool { return s.Needs[fact.Rank].Standing == which && !s.Off.Contains(fact.Rank) }
	}
	inside, computing := s.RanksWhere(stand(evidence.Opaque)), s.RanksWhere(stand(evidence.Running))
	if inside.Len() == 0 || computing.Len() == 0 {
		return Verdict{}, false
	}
	return j.narrowByOrder(Verdict{
		Ranks: computing, Confidence: j.scaleByKnown(guess), Diverged: j.divergences(),
		Reasons: []Reason{{Kind: OutsideMPI, Others: inside}},
	}), true
}
