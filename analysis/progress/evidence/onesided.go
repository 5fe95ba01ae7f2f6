package evidence

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// OneSided is an edge, or several, of the graph of a communicator that only the rank lists which waits for it in a collective among
// neighbours: nobody is at its other end.
type OneSided struct {
	Rank  int           // the rank that waits
	Peers model.RankSet // those that do not list it
	// Sends: it sends to them and they do not list it as a source; else it receives from them and is none of their destinations.
	Sends bool
	On    model.CommRef
	Wait  *facts.Wait  // that the rank is in
	Want  *facts.Want  // the collective
	In    *model.State // the call of the wait; nil: that of another thread, whose place is not known
}

// OneSided returns the edges for which some ranks wait in vain, by rank.
func (s *Scene) OneSided(ranks model.RankSet) (out []OneSided) {
	ranks.Each(func(rank int) {
		n := s.Needs[rank]
		for _, l := range slices.Concat(n.Alts...) {
			if w := s.wantOf(l); w != nil && w.Neighbourhood && l.To.Any {
				out = append(out, s.oneSided(l.source, w))
			}
		}
	})
	return out
}

func (s *Scene) oneSided(id wantID, w *facts.Want) OneSided {
	f := s.Facts[id.rank]
	out := OneSided{Rank: id.rank, On: s.commOf(w), Wait: &f.Waits[id.wait], Want: w}
	if !out.Wait.Side {
		place := s.Sum.PlaceAt(f.At)
		out.In = &model.State{ID: f.At.State, Call: place.Call, Stack: place.Stack}
	}
	notDest, notSource := judge{s}.unlisting(id)
	if out.Peers = notDest; notDest.Len() == 0 {
		out.Peers, out.Sends = notSource, true
	}
	return out
}

// unlisting returns the neighbours of a rank in a collective that do not list it, as far as their lists are known: as a destination,
// though it receives from them, and as a source, though it sends to them.
func (s judge) unlisting(id wantID) (notDest, notSource model.RankSet) {
	for _, a := range s.answers[id] {
		if a.NotDest {
			notDest.Add(a.From)
		}
		if a.NotSource {
			notSource.Add(a.From)
		}
	}
	return notDest, notSource
}
