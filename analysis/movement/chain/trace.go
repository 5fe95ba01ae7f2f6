package chain

import (
	"cmp"
	"slices"

	"laggard/model"
)

// Trace holds the chains of a job, whole ones across ranks.
type Trace struct {
	Lost   []Operation // that Instance.Lost counts in
	Groups []Group     // by falling count, then by operations
	Tracks []Track     // by rank
	Links  Links
	// Unreceived are the messages of which no receive is known although the rank that they are for has events.
	Unreceived []Unreceived
}

// Unreceived counts messages from one call site to one rank, with one tag.
type Unreceived struct {
	Site          string
	Comm          uint64 // ID of the channel
	From, To, Tag int
	Count         uint64
}

func (u Unreceived) compare(w Unreceived) int {
	return cmp.Or(cmp.Compare(u.Comm, w.Comm), u.From-w.From, u.To-w.To, u.Tag-w.Tag, cmp.Compare(u.Site, w.Site))
}

// Track is the chains that start at one rank, in order. A rank without chains
// has a track as well.
type Track struct {
	Rank   int
	Chains []Instance
}

// Instance is one chain.
type Instance struct {
	Group int32 // index into Trace.Groups
	// Lost is the operation that should have come before the chain, an index into
	// Trace.Lost: what the first operation reads had been read before, and that one
	// usually writes it anew. -1 none.
	Lost int32
	// Superseded: it is a message that was thrown away, while the same data came with another.
	Superseded bool
	// PriorSuperseded: so was the message with that data before it.
	PriorSuperseded bool
	End             int32 // rank where its last operation ended
	// Order is the place of the chain's last operation in the rank where it
	// starts, among the events of that rank, from 1; Time is when that was.
	Order, Time int64
}

// Links says how much of the data could be followed from one rank to another.
type Links struct {
	Sends, LinkedSends uint64 // transfers; linked: some of their bytes met the other half
	Recvs, LinkedRecvs uint64
	Bytes, LinkedBytes uint64 // sent
	// Shortened counts the chains that were not followed to their end because
	// there were too many of them.
	Shortened uint64
}

// FilterRanks returns the part of the trace that starts at the given ranks.
func (tr *Trace) FilterRanks(ranks model.RankSet) *Trace {
	out := &Trace{Lost: tr.Lost, Links: tr.Links, Unreceived: tr.Unreceived, Groups: slices.Clone(tr.Groups)}
	for i := range out.Groups {
		out.Groups[i].Count = 0
	}
	for _, t := range tr.Tracks {
		if !ranks.Contains(t.Rank) {
			continue
		}
		out.Tracks = append(out.Tracks, Track{t.Rank, slices.Clone(t.Chains)})
		for _, c := range t.Chains {
			out.Groups[c.Group].Count++
		}
	}
	place := SortGroups(out.Groups)
	for _, t := range out.Tracks {
		for i := range t.Chains {
			t.Chains[i].Group = place[t.Chains[i].Group]
		}
	}
	out.Groups = slices.DeleteFunc(out.Groups, func(g Group) bool { return g.Count == 0 })
	return out
}
