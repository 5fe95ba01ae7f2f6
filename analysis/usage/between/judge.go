package between

import "laggard/analysis/usage/finding"

// Judge finds what the ranks of the evidence show together.
func Judge(e *Evidence) *finding.Group {
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
