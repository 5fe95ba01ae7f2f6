package passed

import (
	"math"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/rankviews"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/reduce"
)

// View is what some ranks tell of the passages between their calls.
type View struct {
	rankviews.Views[rankView]
	alike map[model.StateID]model.StateID // of each call the one that stands for it, once alike ones were joined
}

type rankView struct {
	Rank     int           `json:"rank"`
	At       model.StateID `json:"at"` // the call that it is in, or was in last; zero unknown
	InMPI    bool          `json:"in_mpi"`
	Passages []passage     `json:"passages,omitempty"`
}

// RankOf is the rank that tells.
func (r rankView) RankOf() int { return r.Rank }

// passage is the way from one call to the next.
type passage struct {
	From  model.StateID `json:"from"`
	To    model.StateID `json:"to"`
	Count uint64        `json:"count"`
}

// Views merges the views of several ranks.
var Views = reduce.JSONMonoid(Merge)

// Merge joins two views.
func Merge(a, b View) View { return View{Views: rankviews.Merge(a.Views, b.Views)} }

// maxPassages bounds the passages of a rank: of one with more nothing is told.
const maxPassages = 1024

// ViewOf is the view of one rank; it is empty if the rank has too many passages.
func ViewOf(r *model.Rank) View {
	v := View{Views: rankviews.Views[rankView]{States: map[model.StateID]*model.State{}}}
	t := facts.Representative(r)
	if t == nil || len(t.Model.Edges) > maxPassages {
		return v
	}
	at := facts.PositionOf(t)
	one := rankView{Rank: r.Rank, At: at.State, InMPI: at.InMPI}
	for _, e := range communicatingEdges(&t.Model) {
		one.Passages = append(one.Passages, passage{v.Keep(t, e.From), v.Keep(t, e.To), e.Count})
	}
	if last := lastCommunicating(&t.Model, t.Op.State); last >= 0 && last < len(t.Model.States) {
		one.At = t.Model.States[last].ID
	}
	v.Ranks = []rankView{one}
	return v
}

// IsInterpreted reports whether a rank runs a Python program that calls MPI.
func IsInterpreted(r *model.Rank) bool {
	t := facts.Representative(r)
	return t != nil && slices.ContainsFunc(t.Model.States, isInterpreted)
}

// isInterpreted reports whether a call was made by a Python program.
func isInterpreted(s *model.State) bool { return len(pythonFrames(s)) > 0 }

// pythonFrames are the frames of a state in Python, innermost first.
func pythonFrames(s *model.State) []model.Frame {
	return slices.DeleteFunc(slices.Clone(s.Stack), func(f model.Frame) bool {
		_, _, is := f.Module.PythonFunction()
		return !is
	})
}

// communicatingEdges are the passages between the calls of a model that communicate, whatever others come between.
func communicatingEdges(m *model.Model) (out []model.Edge) {
	next := make([][]model.Edge, len(m.States))
	for _, e := range m.Edges {
		next[e.From] = append(next[e.From], e)
	}
	for from, s := range m.States {
		if communicates(s) {
			out = append(out, communicatingFrom(m, next, from)...)
		}
	}
	return out
}

// communicatingFrom are those from one call; next are the passages from each.
func communicatingFrom(m *model.Model, next [][]model.Edge, from int) (out []model.Edge) {
	counts := make([]uint64, len(m.States))
	seen := make([]bool, len(m.States))
	open := []model.Edge{{To: from, Count: math.MaxUint64}}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, e := range next[at.To] {
			n := min(at.Count, e.Count)
			switch {
			case communicates(m.States[e.To]):
				counts[e.To] += n
			case !seen[e.To]:
				seen[e.To] = true
				open = append(open, model.Edge{To: e.To, Count: n})
			}
		}
	}
	for to, n := range counts {
		if n > 0 {
			out = append(out, model.Edge{From: from, To: to, Count: n})
		}
	}
	return out
}

// lastCommunicating is the call that communicates which a thread made last, by the call that it made last at all; -1: it is not known.
func lastCommunicating(m *model.Model, last int) int {
	if last < 0 || last >= len(m.States) || communicates(m.States[last]) {
		return last
	}
	found := -1
	for at, s := range m.States {
		if !communicates(s) || !leadsTo(m, at, last) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = at
	}
	return found
}

// leadsTo reports whether a call leads to another without one that communicates between.
func leadsTo(m *model.Model, from, to int) bool {
	seen := make([]bool, len(m.States))
	open := []int{from}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, e := range m.Edges {
			switch {
			case e.From != at || communicates(m.States[e.To]) || seen[e.To]:
			case e.To == to:
				return true
			default:
				seen[e.To] = true
				open = append(open, e.To)
			}
		}
	}
	return false
}

// communicates reports whether a call is one by which ranks communicate, or the first or the last one.
func communicates(s *model.State) bool {
	f := mpi.FunctionOf(s.Call)
	return f != nil && (f.CollectiveOn() != 0 || f.Class.SendsMessage() || f.Class.ReceivesMessage() || f.Class.IsProbe() ||
		f.Class.CompletesRequests() || f.Class.StartsRequests() || f.Class.IsOneSided() || f.InClass(mpi.ClassInit, mpi.ClassFinalize))
}
