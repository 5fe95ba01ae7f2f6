package divergence

import (
	"cmp"
	"fmt"
	"slices"
)

// commCall is a call with the communicator that it was made on.
type commCall struct {
	comm uint64
	Call
}

// CompareAcrossComms compares all that two ranks began, on whatever communicator, and says how
// the first one left the second, which most others agree with; nil: what is kept
// does not tell. comm is the communicator of its Calls.
func CompareAcrossComms(comms []Comm, rank, other int) (p *Deviation, comm uint64) {
	mine, theirs, n := alignSequences(comms, rank, other)
	if n == 0 || n == len(mine) || n == len(theirs) || mine[n].Order != theirs[n].Order {
		return nil, 0 // where one of them has no call in the order, that is on a communicator whose members agree
	}
	p = &Deviation{Number: mine[n].Number, After: mine[n].Number - 1}
	p.classify(plainCalls(mine[n:]), plainCalls(theirs[n:]), plainCalls(mine[:n]))
	if p.Kind == Mismatch {
		return nil, 0
	}
	if p.Fewer {
		p.Number, p.After = theirs[n].Number, theirs[n].Number-1
		p.Instead = &mine[n].Call
		return p, theirs[n].comm
	}
	return p, mine[n].comm
}

// LastSharedCall is the last call, on whatever communicator, up to which two ranks began the same;
// nil: what is kept does not tell.
func LastSharedCall(comms []Comm, rank, other int) *Call {
	mine, _, n := alignSequences(comms, rank, other)
	if n == 0 {
		return nil
	}
	return &mine[n-1].Call
}

// alignSequences is what two ranks began from where all of it is kept, and how many calls are alike.
func alignSequences(comms []Comm, rank, other int) (mine, theirs []commCall, n int) {
	mine, ours := callSequence(comms, rank)
	theirs, others := callSequence(comms, other)
	if len(mine) == 0 || len(theirs) == 0 {
		return nil, nil, 0
	}
	from := max(ours, others)
	earlier := func(o commCall) bool { return o.Order < from }
	mine, theirs = slices.DeleteFunc(mine, earlier), slices.DeleteFunc(theirs, earlier)
	for n < len(mine) && n < len(theirs) && mine[n].Order == theirs[n].Order && mine[n].sameSite(&theirs[n].Call) {
		n++
	}
	return mine, theirs, n
}

// CallOf returns what a rank began as number n on a communicator, nil if it is not kept.
func CallOf(comms []Comm, comm uint64, rank int, n uint64) *Call {
	for i := range comms {
		for _, l := range comms[i].Lines {
			if comms[i].ID != comm || !l.Ranks.Contains(rank) {
				continue
			}
			if calls := l.callsFrom(n); calls != nil {
				return &calls[0]
			}
		}
	}
	return nil
}

// CompareSites compares from where in the program members made one collective; nil: all that are
// known from one place. A program may well make it from several: it is for a collective
// that is known to have failed.
func CompareSites(comms []Comm, comm, number uint64) *Divergence {
	i := slices.IndexFunc(comms, func(c Comm) bool { return c.ID == comm })
	if i < 0 {
		return nil
	}
	var sides []Line // of one place each
	for _, l := range comms[i].Lines {
		calls := l.callsFrom(number)
		if calls == nil || calls[0].Place == "" {
			continue
		}
		k := slices.IndexFunc(sides, func(o Line) bool { return o.Latest[0].sameSite(&calls[0]) })
		if k < 0 {
			sides = append(sides, Line{Ranks: l.Ranks, Latest: calls[:1]})
			continue
		}
		sides[k].Ranks = sides[k].Ranks.Union(l.Ranks)
	}
	if len(sides) < 2 {
		return nil
	}
	slices.SortStableFunc(sides, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Ranks.Len(), a.Ranks.Len()), cmp.Compare(a.Ranks.Min(), b.Ranks.Min()))
	})
	d := &Divergence{Comm: comm, Kind: comms[i].Kind, Common: sides[0], Agree: sides[0].Ranks}
	odd := 0
	for _, side := range sides[1:] {
		odd += side.Ranks.Len()
		d.Odd = append(d.Odd, Odd{Deviation{
			Kind: Mismatch, Number: number, After: number - 1, Calls: side.Latest, Theirs: sides[0].Latest,
		}, side})
	}
	d.Majority = d.Agree.Len() > odd
	return d
}

// callSequence is what a rank began, in its order, and the Order from which on nothing of it is missing; nil:
// its histories are not kept, only those of others that began the same.
func callSequence(comms []Comm, rank int) (out []commCall, from uint32) {
	for i := range comms {
		for _, l := range comms[i].Lines {
			if l.Ranks.Min() != rank {
				continue
			}
			if len(l.Latest) > 0 && l.Latest[0].Number > 1 {
				from = max(from, l.Latest[0].Order)
			}
			for _, call := range l.Latest {
				if call.State != nil {
					call.Place = fmt.Sprintf("%x %s", comms[i].ID, call.State.ID)
				}
				out = append(out, commCall{comms[i].ID, call})
			}
		}
	}
	slices.SortFunc(out, func(a, b commCall) int { return cmp.Compare(a.Order, b.Order) })
	return out, from
}

func plainCalls(all []commCall) []Call {
	var out []Call
	for _, o := range all {
		out = append(out, o.Call)
	}
	return out
}
