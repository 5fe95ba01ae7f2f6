package progress

// outside takes the ranks that compute, where all that is known of any rank is its
// stack: whoever is in a call may wait for somebody, and
// whoever is not waits for nobody. Of several, those ahead of the lowest are left
// out, as far as the algorithm can tell.
func (f *Finding) outside() bool {
	s := f.scene
	if !s.opts.StacksOnly {
		return false
	}
	stand := func(which standing) func(*Fact) bool {
		return func(fact *Fact) bool { return s.needs[fact.Rank].standing == which && !s.off.Contains(fact.Rank) }
	}
	inside, computing := s.factsWhere(stand(opaque)), s.factsWhere(stand(running))
	if inside.Len() == 0 || computing.Len() == 0 {
		return false
	}
	f.least, f.confidence = computing, f.sure(guess)
	f.reason = "outside MPI, unlike " + ranksText(inside) + ", whose waits are not recorded"
	f.narrow()
	return true
}
