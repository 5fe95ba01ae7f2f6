package recorded

import (
	"cmp"
	"slices"

	"laggard/analysis/movement/chain"
	"laggard/model"
	"laggard/reduce"
)

// InFlight is how many messages were sent that no receive took, as the ranks counted them. A stream has not all receives: of one that says
// where its data go by the datatype alone, the memory is not known. The zero value is of no rank.
type InFlight struct {
	Channels []Balance     `json:"channels"` // in order; those that are even are left out
	Unknown  model.RankSet `json:"unknown"`  // ranks that did not keep all counts
}

// Balance is the sends of a channel, without the receives.
type Balance struct {
	Comm int64 `json:"comm"` // bits of the communicator's ID
	From int   `json:"from"`
	To   int   `json:"to"`
	Tag  int   `json:"tag"`
	Sent int64 `json:"sent"`
}

func (b Balance) compare(c Balance) int {
	return cmp.Or(cmp.Compare(b.Comm, c.Comm), b.From-c.From, b.To-c.To, b.Tag-c.Tag)
}

// NewInFlight returns the counts of one rank.
func NewInFlight(r *model.Rank) InFlight {
	var out InFlight
	if r.Evicted > 0 {
		out.Unknown.Add(r.Rank)
	}
	for _, c := range r.Channels {
		peer := r.Comms[c.Comm].WorldRank(c.Peer)
		if peer < 0 {
			continue
		}
		id := int64(commOf(r, c.Comm))
		out.Channels = append(out.Channels, Balance{id, r.Rank, peer, c.Tag, int64(c.Sent)},
			Balance{id, peer, r.Rank, c.Tag, -int64(c.Received)})
	}
	return MergeInFlight(out, InFlight{})
}

// MergeInFlight unites the counts of different ranks.
func MergeInFlight(a, b InFlight) InFlight {
	all := reduce.SortJoined(slices.Concat(a.Channels, b.Channels), Balance.compare, func(x, y Balance) Balance {
		x.Sent += y.Sent
		return x
	})
	return InFlight{slices.DeleteFunc(all, func(x Balance) bool { return x.Sent == 0 }), a.Unknown.Union(b.Unknown)}
}

// Confirm returns which of the messages without a receive were not received by the counts either.
func (f InFlight) Confirm(list []chain.Unreceived) (out []chain.Unreceived) {
	for _, u := range list {
		at := Balance{Comm: int64(u.Comm), From: u.From, To: u.To, Tag: u.Tag}
		i, known := slices.BinarySearchFunc(f.Channels, at, Balance.compare)
		if !known || f.Channels[i].Sent <= 0 || f.Unknown.Contains(u.From) || f.Unknown.Contains(u.To) {
			continue
		}
		u.Count = min(u.Count, uint64(f.Channels[i].Sent))
		out = append(out, u)
	}
	return out
}
