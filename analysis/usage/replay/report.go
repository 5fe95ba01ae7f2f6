package replay

import (
	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
)

// reporter is what all that follow a rank share: its trace, and what they find.
type reporter struct {
	t     *recorded.Trace
	calls []Call       // those that have begun
	mute  bool         // the program asked that nothing be said of its calls, see Call.Muted
	wrong map[int]bool // calls that were found to be wrong, which MPI may have refused
	found *finding.Group
	last  *finding.Finding // reported last; its fields may still change
}

func newReporter(t *recorded.Trace) *reporter {
	return &reporter{t: t, calls: make([]Call, 0, t.CallNumber), wrong: map[int]bool{}, found: finding.NewGroup()}
}

// Place returns call i as one that takes part in a finding.
func (r *reporter) Place(i int, role string) finding.Place { return placeOf(r.t, r.calls, i, role) }

// nameOf returns the name of call i.
func (r *reporter) nameOf(i int) string { return r.calls[i].Function().Name }

func placeOf(t *recorded.Trace, calls []Call, i int, role string) finding.Place {
	if i < 0 || i >= len(calls) {
		return finding.Place{Rank: t.Rank, Role: role}
	}
	c := &calls[i]
	p := finding.Place{Rank: t.Rank, Call: c.Function().Name, Role: role, Muted: c.Muted}
	if c.Site >= 0 && int(c.Site) < len(t.Sites) {
		p.Site = t.Sites[c.Site]
	}
	return p
}

// wasRefused reports whether MPI refused a call, as it is wrong and did not end well.
func (r *reporter) wasRefused(a args) bool { return r.wrong[a.i] && !a.succeeded() }

// report adds a finding. The caller may change it until the next is reported.
func (r *reporter) report(class, message string, places ...finding.Place) *finding.Finding {
	r.addLast()
	f := finding.New(class, message, places...)
	r.last = &f
	return r.last
}

// takeLast takes back the finding that was reported last, nil if it was added to the others.
func (r *reporter) takeLast() *finding.Finding {
	last := r.last
	r.last = nil
	return last
}

// addLast adds the finding that was reported last to the others.
func (r *reporter) addLast() {
	if r.last != nil {
		r.found.Add(*r.last)
		r.last = nil
	}
}

// allFindings returns all that was reported, in the order in which it happened first.
func (r *reporter) allFindings() []finding.Finding {
	r.addLast()
	return r.found.InOrder()
}
