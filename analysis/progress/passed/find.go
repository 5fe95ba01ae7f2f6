package passed

import (
	"bytes"
	"cmp"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/model/mpi"
)

// Call is a call that a rank went past.
type Call struct {
	Rank  int
	State *model.State // the call
	// From and To are the calls between which the rank went past it; others make it behind From. To is nil if the rank has
	// made no further call.
	From, To *model.State
	// Instead are the other calls that the rank makes behind From.
	Instead []*model.State
	// Sends: another rank waits for a message that the call sends; otherwise it waits in the call.
	Sends bool
	// Sometimes: the rank made the call behind From at other times.
	Sometimes bool
	// Once: it went past the call once.
	Once bool
	// Here: it came by that to where it is.
	Here bool
	// Before: the rank came to To on other ways before.
	Before bool
	// Alone: all others that were seen, three or more, came from From to the call, wait in it, and had made To before, too.
	Alone bool
	// Waiting are the ranks that wait in the call.
	Waiting model.RankSet
}

// Awaited is a call that sends the messages for one of which a rank waits.
type Awaited struct {
	Sender int
	By     model.StateID // zero: any of the calls by which the sender sends
	// Sent is how many the sender has sent to the rank that waits, Others how many to each other rank by that call, if to all as many,
	// and All how many by that call; 0: not known.
	Sent, Others, All uint64
}

// Find returns the calls that some ranks may have gone past, one at most for each, by what was seen of them and of other ranks. A
// rank may have gone past a call if it has a passage from the call before that no other rank has which makes both, while another
// rank waits for a message that the call sends, or waits in the call itself, a collective or one that also sends. Whether the next
// call comes behind it is for the code to say.
func (v *View) Find(suspects model.RankSet, awaited []Awaited) (out []Call) {
	for i := range v.Ranks {
		r := &v.Ranks[i]
		if !suspects.Contains(r.Rank) {
			continue
		}
		if best := v.best(r, v.candidates(r, awaited)); best != nil {
			out = append(out, *best)
		}
	}
	return out
}

// candidate is a call that a rank may have gone past.
type candidate struct {
	passage               // of the rank, by which it went past
	call    model.StateID // the one that it went past
	waiting model.StateID // the one that others wait in, which is part of the same call of the program; of weight shared
	weight  weight
	own     bool // the rank made the call behind From at other times
}

// weight says how strong the evidence is that a call was gone past.
type weight int

// From the weakest to the strongest.
const (
	none     weight = iota
	shared          // a rank waits in it
	expected        // a rank waits for a message that it sends
)

func (v *View) candidates(r *rankView, awaited []Awaited) (out []candidate) {
	ways := r.Passages
	if !r.InMPI && r.At != (model.StateID{}) {
		ways = append(slices.Clip(ways), passage{From: r.At})
	}
	for _, p := range ways {
		for _, call := range v.callsBehind(p.From) {
			if v.onOneLine(call, p.To) {
				continue
			}
			c := candidate{passage: p, call: call, own: r.has(p.From, call)}
			if c.weight, c.waiting = v.weigh(r, c, awaited); c.weight > none {
				out = append(out, c)
			}
		}
	}
	return out
}

// best is the candidate with the strongest evidence; of several, that by which the rank came to where it is, one of a call that the
// rank made there at other times, and the rarest passage. nil: there is none, or several are alike.
func (v *View) best(r *rankView, all []candidate) *Call {
	rank := func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), facts.CompareBools(b.To == r.At, a.To == r.At), facts.CompareBools(b.own, a.own),
			cmp.Compare(a.Count, b.Count))
	}
	slices.SortFunc(all, func(a, b candidate) int {
		usual := cmp.Compare(r.count(b.From, b.call), r.count(a.From, a.call)) // behind which it makes the call most often
		return cmp.Or(rank(a, b), usual, bytes.Compare(a.call[:], b.call[:]), comparePassages(a.passage, b.passage))
	})
	if len(all) == 0 {
		return nil
	}
	for _, other := range all[1:] {
		if rank(all[0], other) == 0 && other.To != all[0].To {
			return nil
		}
	}
	return v.newCall(r, all[0])
}

func (v *View) newCall(r *rankView, c candidate) *Call {
	out := Call{Rank: r.Rank, State: v.States[c.waiting], From: v.States[c.From], To: v.States[c.To],
		Sends: c.weight == expected, Sometimes: c.own, Once: c.Count == 1, Here: c.To == r.At, Before: r.cameTo(c.To, c.From),
		Waiting: v.waitingIn(r, c.waiting), Alone: v.isAlone(r, c)}
	for _, p := range r.Passages {
		if p.From == c.From && !v.onOneLine(p.To, c.To) && p.To != c.call {
			out.Instead = append(out.Instead, v.States[p.To])
		}
	}
	return &out
}

// manyOthers is how many others must do alike before a rank that does not is taken for the one that is wrong.
const manyOthers = 3

// isAlone reports whether all others went on from one call to that which a rank went past, and wait in it, and none did as that
// rank, though all had made before what it made instead.
func (v *View) isAlone(r *rankView, c candidate) bool {
	return len(v.Ranks) > manyOthers && !slices.ContainsFunc(v.Ranks, func(o rankView) bool {
		alike := o.InMPI && o.At == c.waiting && o.has(c.From, c.call) && o.makes(c.To)
		return o.Rank != r.Rank && !alike
	})
}

// cameTo reports whether a rank came to a call from others than one.
func (r *rankView) cameTo(call, from model.StateID) bool {
	return slices.ContainsFunc(r.Passages, func(p passage) bool { return p.To == call && p.From != from })
}

// waitingIn are the ranks other than one that are in a call.
func (v *View) waitingIn(r *rankView, call model.StateID) (out model.RankSet) {
	for _, o := range v.Ranks {
		if o.Rank != r.Rank && o.InMPI && o.At == call {
			out.Add(o.Rank)
		}
	}
	return out
}

// callsBehind are the calls that ranks make next behind one, by ID.
func (v *View) callsBehind(from model.StateID) (out []model.StateID) {
	for _, r := range v.Ranks {
		for _, p := range r.Passages {
			if p.From == from {
				out = append(out, p.To)
			}
		}
	}
	slices.SortFunc(out, func(a, b model.StateID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(out)
}

// count is how often a rank went from one call to another.
func (r *rankView) count(from, to model.StateID) (n uint64) {
	for _, p := range r.Passages {
		if p.From == from && p.To == to {
			n += p.Count
		}
	}
	return n
}

func (r *rankView) has(from, to model.StateID) bool { return r.count(from, to) > 0 }

// makes reports whether a rank has made a call.
func (r *rankView) makes(call model.StateID) bool {
	return slices.ContainsFunc(r.Passages, func(p passage) bool { return p.To == call })
}

// onOneLine reports whether two calls were made by the same lines of Python: they are parts of one.
func (v *View) onOneLine(a, b model.StateID) bool {
	one, other := v.States[a], v.States[b]
	if one == nil || other == nil {
		return a == b
	}
	frames := pythonFrames(one)
	return a == b || len(frames) > 0 && slices.EqualFunc(frames, pythonFrames(other), func(f, g model.Frame) bool {
		return f.Offset == g.Offset && f.Module.Path == g.Module.Path
	})
}

// weigh tells how strong the evidence is that a rank went past a call, and in which call others wait.
func (v *View) weigh(r *rankView, c candidate, awaited []Awaited) (found weight, in model.StateID) {
	for i := range v.Ranks {
		o := &v.Ranks[i]
		if o.Rank == r.Rank || !o.makes(c.call) {
			continue
		}
		if o.has(c.From, c.To) {
			return none, in // it is no way of this rank alone
		}
		waits := o.InMPI && r.At != o.At && (o.At == c.call || v.onOneLine(o.At, c.call)) // a wrapper makes several calls on a line
		if waits && o.has(c.From, c.call) && mpi.FunctionOf(v.States[o.At].Call).NeedsPartner() {
			found, in = shared, o.At
		}
	}
	f := mpi.FunctionOf(v.States[c.call].Call)
	sends := f != nil && (f.Class.SendsMessage() || f.Class.StartsRequests())
	switch {
	case !c.own && c.call != c.From && r.makes(c.call):
		return none, in // it makes that call elsewhere
	case awaits(awaited, r.Rank, c.call),
		sends && c.own && c.To == r.At && awaits(awaited, r.Rank, model.StateID{}): // elsewhere it may have sent to others
		return expected, c.call
	}
	return found, in
}

// awaits reports whether a message is awaited that a rank sends by a call.
func awaits(awaited []Awaited, sender int, by model.StateID) bool {
	return slices.ContainsFunc(awaited, func(a Awaited) bool { return a.Sender == sender && a.By == by })
}
