package diagnosis

import (
	"slices"

	"laggard/analysis/progress/passed"
	"laggard/model"
	"laggard/report"
	"laggard/report/diagnosis/wording"
	"laggard/report/source"
	"laggard/slicing"
	"laggard/slicing/python"
)

// Passed is a call that ranks went past, for which others wait.
type Passed struct {
	Ranks string   `json:"ranks"` // the ranks that went past it
	Call  MadeCall `json:"call"`  // the call
	// the call before, behind which others make it
	From MadeCall `json:"from"`
	// the call that the ranks made instead of it; absent: none
	To *MadeCall `json:"to,omitempty"`
	// other ranks wait for a message that the call sends; otherwise they wait in the call
	Sends bool `json:"sends"`
	// the branch that decided
	Branch Branch `json:"branch"`
}

// AddPassed adds the calls that ranks went past, as far as the code tells that they did, and by which line. It is not known if ranks went
// past different ones.
func AddPassed(r *Result, s Source, finder source.Finder) {
	var found []Passed
	for _, c := range s.Passed {
		b := branchAt(pythonDeciders{s, finder}.passedSites(c), finder)
		if b == nil {
			continue
		}
		one := Passed{Call: *s.newMadeCall(c.State), From: *s.newMadeCall(c.From), To: s.newMadeCall(c.To), Sends: c.Sends, Branch: *b}
		ranks := model.NewRankSet(c.Rank)
		if n := len(found); n > 0 && found[n-1].Branch.Site == one.Branch.Site && found[n-1].Call.Site == one.Call.Site {
			before, _ := model.ParseRankSet(found[n-1].Ranks)
			found, ranks = found[:n-1], before.Union(ranks)
		}
		one.Ranks = ranks.String()
		found = append(found, one)
	}
	if len(found) != 1 {
		return
	}
	r.Passed = found
	if len(r.Divergences) > 0 {
		r.Divergences[0].Branch = nil // who left others is told by the call that they went past
	}
}

// AddPassedBranch adds the call that a named rank of a program in machine code went past, with the branch that decided.
func AddPassedBranch(r *Result, s Source, b *slicing.Branch, finder source.Finder) {
	if b == nil || s.LeastProgressed == nil {
		return
	}
	at := branchAt(s.branchSites(b), finder)
	for _, reason := range s.LeastProgressed.Reasons {
		if c := reason.Passed; c != nil && at != nil {
			r.Passed = []Passed{{Ranks: reason.Ranks.String(), Call: *s.newMadeCall(c.State), From: *s.newMadeCall(c.From),
				To: s.newMadeCall(c.To), Branch: *at}}
			return
		}
	}
}

// passedSites are the lines that decided that a rank went past a call, nearest first; nil: they are not known, or it has yet to come there.
func (s pythonDeciders) passedSites(c passed.Call) (sites []report.Site) {
	var to []report.Frame
	switch {
	case c.To != nil:
		to = s.newMadeCall(c.To).Stack
	default:
		if to = s.eventLoop(c.Rank); to == nil {
			return nil
		}
	}
	w := waysOf(s.newMadeCall(c.State).Stack, to)
	k, search := w.shared, lineSearch{finder: s.finder, again: c.Sometimes, outer: w.reached[:w.shared], rounds: c.From.ID == c.State.ID}
	switch {
	case len(w.reached) == 0:
		return nil
	case len(w.missed) == 0:
		if c.To == nil || !s.finishes(c.To) {
			return nil
		}
		search.exit = s.exitRole(s.newMadeCall(c.State).Stack, to)
		sites = search.lastDeciders(w.reached, w.calls)
	case c.To == nil:
		if k < len(w.missed) {
			return nil
		}
		sites = search.conditions(w.reached[k:], w.calls)
	case w.inPackage:
		return nil
	case k == len(w.reached) && k == len(w.missed):
		sites = search.sites(w.reached, w.calls)
	case k == len(w.reached) || k == len(w.missed):
		return nil
	case !sameFunction(w.reached[k], w.missed[k]):
		if !c.Sends && !c.Sometimes {
			return nil // it is not known which is called first
		}
		sites = search.sites(w.reached[k:], w.calls)
	default:
		at := w.missed[k].Line
		switch {
		case w.reached[k].Line < at:
			search.past = at
			sites = search.sites(w.reached[k:], w.calls)
		case s.isNextRound(w, c.From) || c.Sometimes:
			search.past, search.next = at, true
			sites = search.sites(w.reached[k:], w.calls)
		default:
			return nil // the rank may have yet to come there
		}
	}
	for _, other := range c.Instead {
		between := betweenAlternatives(w.reached, pythonFrames(s.newMadeCall(other).Stack), s.finder)
		sites = slices.DeleteFunc(sites, func(at report.Site) bool { return slices.Contains(between, at) })
	}
	return sites
}

// isNextRound reports whether who came from a call to the second of two ways, not to the first, is in the next round of a loop by then.
func (s pythonDeciders) isNextRound(w pythonWays, from *model.State) bool {
	last := s.framesBehind(from, w.reached[:w.shared])
	return len(last) > 0 && sameFunction(last[0], w.reached[w.shared]) &&
		python.NextRound(s.finder.Text(last[0].File), w.missed[w.shared].Line, w.reached[w.shared].Line, last[0].Line)
}

// eventLoop is the stack of a named rank that waits in an event loop, innermost first; nil: it does not.
func (s Source) eventLoop(rank int) []report.Frame {
	if at := s.locationOf(rank); at != nil && at.WaitsFor == "event loop" {
		return at.Stack
	}
	return nil
}

// stackOf is the stack of a named rank, innermost first; nil: it is not known.
func (s Source) stackOf(rank int) []report.Frame {
	if at := s.locationOf(rank); at != nil {
		return at.Stack
	}
	return nil
}

// locationOf is where a named rank is; nil: it is not named.
func (s Source) locationOf(rank int) *Location {
	if s.LeastProgressed == nil {
		return nil
	}
	for _, place := range s.LeastProgressed.Locations {
		if place.Ranks.Contains(rank) {
			at := s.newLocation(place)
			return &at
		}
	}
	return nil
}

// betweenAlternatives are the lines that decide between two calls of one function, by their frames: who makes neither did not decide there.
func betweenAlternatives(one, other []report.Frame, finder source.Finder) (out []report.Site) {
	k := sharedFrames(one, other)
	if k == min(len(one), len(other)) || !sameFunction(one[k], other[k]) {
		return nil
	}
	text := finder.Text(one[k].File)
	back := python.Deciders(text, other[k].Line, one[k].Line)
	for _, d := range python.Deciders(text, one[k].Line, other[k].Line) {
		if slices.ContainsFunc(back, func(b python.Decider) bool { return b.Line == d.Line }) {
			out = append(out, report.Site{Function: one[k].Function, File: one[k].File, Line: d.Line})
		}
	}
	return out
}

// AddPythonSkips adds the lines of a Python program that decide whether messages are sent that ranks wait for, where the sender has come
// behind the call that sends them.
func AddPythonSkips(r *Result, s Source, finder source.Finder) {
	if len(r.Passed) > 0 || len(r.Unsent) != len(s.Unsent) {
		return
	}
	for i := range s.Unsent {
		m := &s.Unsent[i]
		if !s.IsNamed(m.Peer) || !s.MayBeSkipped(m) || r.Unsent[i].Branch != nil {
			continue
		}
		by, at := s.newMadeCall(m.By).Stack, s.newMadeCall(m.At).Stack
		w, d := waysOf(by, at), pythonDeciders{s, finder}
		if d.receiverIsAhead(m.Rank, w.missed) {
			continue
		}
		sites := d.skipSites(w, m.At, m.Never, d.exitRole(by, at))
		if len(sites) == 0 && m.Sent > 0 {
			sites = leftLoop(w, pythonFrames(s.stackOf(m.Rank)), finder)
		}
		if len(sites) > 0 {
			r.Unsent[i].Branch = branchAt(sites, finder)
		}
	}
}

// receiverIsAhead reports whether the rank that waits for a message is further, in a function in Python, than the sender, by whose frames
// the message was not sent: the sender has not come to the call for that one yet.
func (s pythonDeciders) receiverIsAhead(rank int, sender []report.Frame) bool {
	g := s.GroupOf(rank)
	if g == nil {
		return false
	}
	receiver := pythonFrames(report.Frames(s.Resolver.ResolveProgramStack(g.Stack, false)))
	k := sharedFrames(receiver, sender)
	return k < min(len(receiver), len(sender)) && sameFunction(receiver[k], sender[k]) &&
		isFurther(receiver[k:], sender[k:], nil, s.finder)
}

// skipSites are the lines that decide whether a call is made, by who has come to another behind it. Who made it before has passed the
// conditions around its function.
func (s pythonDeciders) skipSites(w pythonWays, at *model.State, never bool, exit exitRole) []report.Site {
	k, past := w.shared, 0
	switch {
	case len(w.reached) == 0 || k == len(w.reached):
		return nil
	case len(w.missed) == 0:
		if !s.finishes(at) {
			return nil
		}
		k = 0
	case k == len(w.missed) || !sameFunction(w.reached[k], w.missed[k]) || !isFurther(w.missed[k:], w.reached[k:], nil, s.finder):
		return nil
	default:
		past = w.missed[k].Line
	}
	if never {
		return lineSearch{finder: s.finder, past: past, outer: w.reached[:k], exit: exit}.sites(w.reached[k:], w.calls)
	}
	last := len(w.reached) - 1
	return lineSearch{finder: s.finder, again: true, exit: exit}.conditions(w.reached[last:], w.calls)
}

// leftLoop are the lines by which a rank left the loop in which it sent messages, and in which the receiver, by its frames, still is.
func leftLoop(w pythonWays, receiver []report.Frame, finder source.Finder) (out []report.Site) {
	for i, f := range slices.Backward(w.reached) {
		if i < w.shared || i >= len(receiver) || !slices.Equal(receiver[:i], w.reached[:i]) || !sameFunction(receiver[i], f) {
			continue
		}
		text, past := finder.Text(f.File), 0
		if i == w.shared && i < len(w.missed) {
			past = w.missed[i].Line
		}
		if !python.InOneLoop(text, f.Line, receiver[i].Line) || past > 0 && python.InOneLoop(text, f.Line, past) {
			continue
		}
		for _, d := range python.Deciders(text, f.Line, past) {
			if d.Loop && !d.Fixed {
				out = append(out, report.Site{Function: f.Function, File: f.File, Line: d.Line})
			}
		}
		return out
	}
	return nil
}

// passedCalls writes the calls that ranks went past, and what decided.
func (p *printer) passedCalls(r *Result) {
	for i := range r.Passed {
		x := &r.Passed[i]
		p.Line("")
		p.Line("%s:", x.words().What())
		p.Line("  %s", x.words().Instead())
		p.branch(r, &x.Branch)
	}
}

// passedLines says the same in a line each.
func passedLines(r *Result) (out []string) {
	for i := range r.Passed {
		out = append(out, r.Passed[i].words().Decided(r.Passed[i].Branch.String()))
	}
	return out
}

// words is what is said of it.
func (x *Passed) words() *wording.Passed {
	return &wording.Passed{Ranks: x.Ranks, Call: x.Call.text(), From: x.From.text(), To: x.To.text(), Further: x.To != nil, Sends: x.Sends}
}
