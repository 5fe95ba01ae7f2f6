package movement

import (
	"slices"

	"laggard/analysis/movement"
	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/invariant"
	"laggard/analysis/movement/outlier"
	"laggard/report"
	"laggard/report/words"
	"laggard/symbol"
)

// New makes what the user gets of what was found in a run.
func New(run report.Run, s *movement.Result) *Result {
	names := placer{calls: s.Calls, places: map[string]*Place{}}
	f := s.Found
	m := &Result{
		SchemaVersion: report.SchemaVersion, Run: run, Ranks: f.Ranks.String(), Chains: f.Chains, Groups: len(f.Groups),
		Links: Links{
			f.Links.Sends, f.Links.LinkedSends, f.Links.Recvs, f.Links.LinkedRecvs, f.Links.Bytes, f.Links.LinkedBytes,
			s.Ways.Streams(), s.Ways.Messages(), f.Links.Shortened,
		},
		Training: s.Training, Pruned: f.Pruned, Notes: append([]string{}, s.Notes...),
		Problems:   words.AllPrintable(s.Problems),
		Invariants: []Invariant{}, Violations: []Violation{}, Novel: []Novel{}, Unreceived: []Unreceived{}, Outliers: []Outlier{},
		Distances: newDistances(f.Distances),
	}
	for _, inv := range f.Invariants {
		m.Invariants = append(m.Invariants, Invariant{names.newChain(inv.Group), inv.Share})
	}
	for _, v := range f.Violations {
		m.Violations = append(m.Violations, names.newViolation(v, m.Invariants[v.Invariant]))
	}
	for _, u := range f.Unreceived {
		m.Unreceived = append(m.Unreceived, Unreceived{names.placeByName(u.Site), u.From, u.To, u.Tag, u.Count})
	}
	for _, n := range f.Novel {
		violates := slices.ContainsFunc(f.Violations, func(v invariant.Violation) bool { return v.Chain.Compare(n.Group) == 0 })
		m.Novel = append(m.Novel, Novel{names.newChain(n.Group), n.Ranks.String(), newExample(n.First), violates})
	}
	for _, o := range f.Outliers {
		m.Outliers = append(m.Outliers, names.newOutlier(o))
	}
	m.shares = newShares(s.Trace, f, &names)
	return m
}

func newDistances(d outlier.Distances) Distances {
	out := Distances{
		K: d.K, Average: d.Average, FromNS: d.From, ToNS: d.To, Chains: d.Chains, Error: d.Error,
		Ranks: append([]int{}, d.Ranks...), DistanceK: []float64{},
	}
	for _, x := range d.By {
		out.DistanceK = append(out.DistanceK, x.K)
	}
	return out
}

// placer turns names of sites into places, each once.
type placer struct {
	calls  map[string]movement.Call
	places map[string]*Place
}

func (n *placer) placeByName(name string) *Place {
	if name == "" {
		return nil
	}
	if p := n.places[name]; p != nil {
		return p
	}
	p := &Place{Call: words.Printable(name), Stack: []report.Frame{}}
	n.places[name] = p
	call, known := n.calls[name]
	if !known {
		return p
	}
	p.Call = words.Printable(call.Function)
	p.Stack = append(p.Stack, report.Frames(call.Stack)...)
	if call.Frame != nil {
		top := report.Frames([]symbol.Location{*call.Frame})[0]
		p.Site, p.Module, p.Offset = report.Site{Function: top.Function, File: top.File, Line: top.Line}, top.Module,
			top.Offset
	}
	return p
}

func (n *placer) newOperation(o chain.Operation, weight float64) Operation {
	return Operation{
		Kind: o.Kind.String(), Weight: weight,
		At: n.placeByName(o.Site), Partner: n.placeByName(o.Partner), Source: n.placeByName(o.Source), Dest: n.placeByName(o.Dest),
	}
}

func (n *placer) newChain(g chain.Group) Chain {
	c := Chain{Count: g.Count, Uniqueness: g.Uniqueness(), Operations: []Operation{}}
	for i, o := range g.Ops {
		c.Operations = append(c.Operations, n.newOperation(o, g.Weight(i)))
	}
	return c
}

func (n *placer) newViolation(v invariant.Violation, inv Invariant) Violation {
	out := Violation{
		Chain: n.newChain(v.Chain), Invariant: v.Invariant,
		Similarity: v.Similarity, Rareness: v.Rareness, Abnormality: v.Abnormality, Evidence: v.Evidence,
		ContextMatches: v.ContextMatches, Completions: v.Completions, Stale: v.Stale,
		Instances: v.Instances, Edge: v.Edge,
		Ranks: v.Ranks.String(), MissingAt: missingRanks(v, len(inv.Operations)),
		Matched: [3]int{v.ChainAt, v.InvariantAt, v.Matched},
		Missing: []Operation{}, Examples: []Example{},
	}
	for _, e := range v.Examples {
		out.Examples = append(out.Examples, newExample(e))
	}
	rank := -1
	if len(v.Examples) > 0 {
		rank = v.Examples[0].Rank
	}
	var list locationList
	for i, o := range inv.Operations {
		if i < v.InvariantAt || i >= v.InvariantAt+v.Matched {
			out.Missing = append(out.Missing, o)
			list.addOperation("missing", rank, o)
		}
	}
	list.addChain(rank, out.Chain)
	list.addAllocations(rank, out.Missing)
	list.addAllocations(rank, out.Chain.Operations)
	out.Locations = list.all()
	return out
}

// missingRanks are the ranks where the operations that a chain lacks should have been. At the beginning and the end of a program it is
// cut off, rather than broken.
func missingRanks(v invariant.Violation, inv int) string {
	before, behind := v.Breaks(inv)
	switch {
	case v.Edge == v.Instances:
	case before:
		return v.Ranks.String()
	case behind:
		return v.Ends.String()
	}
	return ""
}

func newExample(p invariant.Place) Example { return Example{p.Rank, p.Order, p.Time} }

func (n *placer) newOutlier(o outlier.Outlier) Outlier {
	out := Outlier{
		Rank: o.Rank, DistanceK: o.K, Ratio: o.Ratio, LeaveOneOut: o.LeaveOneOut, Neighbour: o.Neighbour,
		TopGroup: n.newChain(o.Group), Ends: o.Ends.String(), Share: o.Share, PeerShare: o.PeerShare,
	}
	var list locationList
	list.addChain(o.Rank, out.TopGroup)
	list.addAllocations(o.Rank, out.TopGroup.Operations)
	out.Locations = list.all()
	return out
}

// locationList gathers call sites, each once for a role.
type locationList []Location

func (l *locationList) add(role string, rank int, p *Place) {
	if p == nil {
		return
	}
	at := Location{role, rank, p.Site, p.Call}
	if !slices.Contains(*l, at) {
		*l = append(*l, at)
	}
}

func (l *locationList) addOperation(role string, rank int, o Operation) {
	l.add(role, rank, o.At)
	l.add(role, rank, o.Partner)
}

func (l *locationList) addChain(rank int, c Chain) {
	for _, o := range c.Operations {
		l.addOperation("chain", rank, o)
	}
}

func (l *locationList) addAllocations(rank int, ops []Operation) {
	for _, o := range ops {
		l.add("allocation", rank, o.Source)
		l.add("allocation", rank, o.Dest)
	}
}

func (l *locationList) all() []Location { return append([]Location{}, *l...) }

// groupShare is the share of a kind of chains by rank, as the page shows it.
type groupShare struct {
	chain Chain
	share []float64 // by index into Result.Distances.Ranks, or the ranks of the trace
	mean  float64
}

// maxShares bounds the kinds of chains that the page tells apart.
const maxShares = 11

// newShares computes the shares of the commonest kinds; the last entry is the
// rest of them together.
func newShares(tr *chain.Trace, f movement.Found, names *placer) []groupShare {
	if tr == nil || f.Chains == 0 {
		return nil
	}
	shown := min(maxShares, len(f.Groups))
	place := map[string]int{}
	for i, g := range f.Groups[:shown] {
		place[g.Key()] = i
	}
	of := make([]int, len(tr.Groups))
	for i, g := range tr.Groups {
		of[i] = shown
		if k, known := place[g.Key()]; known {
			of[i] = k
		}
	}
	var tracks []chain.Track
	for _, t := range tr.Tracks {
		if f.Ranks.Contains(t.Rank) {
			tracks = append(tracks, t)
		}
	}
	out := make([]groupShare, shown+1)
	for i := range out {
		out[i].share = make([]float64, len(tracks))
		if i < shown {
			out[i].chain = names.newChain(f.Groups[i])
		}
	}
	for r, t := range tracks {
		for _, c := range t.Chains {
			out[of[c.Group]].share[r] += 1 / float64(len(t.Chains))
		}
		for i := range out {
			out[i].mean += out[i].share[r] / float64(len(tracks))
		}
	}
	return out
}
