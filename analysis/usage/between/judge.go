package between

import "laggard/analysis/usage/replay"

// Judge finds what the ranks of the evidence show together.
func Judge(e *Evidence) *usage.Group {
	j := newJob(e.digests)
	m := j.match()
	m.checkTypes()
	j.gather()
	j.checkCollectives()
	w := j.wait()
	w.nearMiss = m.checkLeft(w.lonely())
	w.checkDeadlock()
	j.checkRendezvous()
	m.checkReady()
	m.checkRaces()
	j.checkWindows()
	return j.found
}
