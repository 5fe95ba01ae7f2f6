package between

import "laggard/analysis/usage/finding"

// Judge finds what the ranks of the evidence show together, until stop says that time is over; begin is told what is
// compared next. It returns what was found, and what was not compared, or not all of it.
func Judge(e *Evidence, stop func() bool, begin func(what string)) (found *finding.Group, undone []string) {
	j := newJob(e.digests)
	j.stop = stop
	var m *matcher
	var w *waits
	for _, step := range []struct {
		compares string
		compare  func()
	}{
		{"messages", func() { m = j.matchMessages(); m.checkTypes() }},
		{"collectives", func() { j.groupCollectives(); j.checkCollectives() }},
		{"calls that wait", func() {
			w = j.buildWaitGraph(false)
			w.nearMiss = m.checkUnmatched(w.unmetHalves(), w.unmetByPolls())
			w.checkDeadlock()
		}},
		{"the order without buffering", j.checkRendezvous},
		{"ready sends", func() { m.checkReady() }},
		{"receives from any rank", func() { m.checkRaces() }},
		{"accesses to windows", j.checkWindows},
	} {
		if stop() {
			undone = append(undone, step.compares)
			continue
		}
		begin(step.compares)
		if step.compare(); stop() {
			undone = append(undone, step.compares)
		}
	}
	return j.found, undone
}
