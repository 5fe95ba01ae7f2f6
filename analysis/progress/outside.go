package progress

import (
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
)

// outside takes the ranks that compute, where all that is known of any rank is its
// stack: whoever is in a call may wait for somebody, and
// whoever is not waits for nobody. Of several, those ahead of the lowest are left
// out, as far as the algorithm can tell.
func (f *Finding) outside() bool {
	s := f.scene
	if !f.opts.StacksOnly {
		return false
	}
	stand := func(which evidence.Standing) func(*facts.Fact) bool {
		return func(fact *facts.Fact) bool { return s.Needs[fact.Rank].Standing == which && !s.Off.Contains(fact.Rank) }
	}
	inside, computing := s.RanksWhere(stand(evidence.Opaque)), s.RanksWhere(stand(evidence.Running))
	if inside.Len() == 0 || computing.Len() == 0 {
		return false
	}
	f.least, f.confidence = computing, f.sure(guess)
	f.reason = "outside MPI, unlike " + inside.Phrase() + ", whose waits are not recorded"
	f.narrow()
	return true
}
