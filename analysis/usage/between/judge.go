package between

import "laggard/analysis/usage/finding"

// Judge finds what the ranks of the evidence show together.
func Judge(e *Evidence) *finding.Group {
	j := newJob(e.digests)
	m := j.matchMessages()
	m.checkTypes()
	j.groupCollectives()
	j.checkCollectives()
	w := j.buildWaitGraph()
	w.nearMiss = m.checkUnmatched(w.unmetHalves())
	w.checkDeadlock()
	j.checkRendezvous()
	m.checkReady()
	m.checkRaces()
	j.checkWindows()
	return j.found
}
