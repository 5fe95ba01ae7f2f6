package progress

import (
	"cmp"
	"maps"
	"slices"

	"laggard/model"
)

// Partial is what the models of a block say about the positions of all ranks,
// and what the ranks of the block answer to those that wait. It is a monoid;
// the zero value is its neutral element.
type Partial struct {
	Edges    []PairEdge `json:"edges,omitempty"`    // ascending; of the algorithm pdi
	Stations []Station  `json:"stations,omitempty"` // ascending; of the algorithm loop-aware
	Answers  []Answer   `json:"answers,omitempty"`  // ascending
}

// PairEdge is the dependence of two positions, by their index among the
// summary's distinct positions; A < B and the code is not Null.
type PairEdge struct {
	A     int     `json:"a"`
	B     int     `json:"b"`
	Code  Code    `json:"code"`
	Reach float64 `json:"reach"` // least probability, over the models, to get from A to B
	Back  float64 `json:"back"`  // the same from B to A
}

// Answer is a peer's counter for a want: messages sent to the waiting rank for
// a receive, received from it for a send. For a receive with a wildcard it
// counts only those sent beyond what the waiting rank has received.
type Answer struct {
	Rank  int    `json:"rank"` // that waits
	Wait  int    `json:"wait"` // index into its Waits
	Want  int    `json:"want"` // index into the wait's Wants
	From  int    `json:"from"` // the peer
	Count uint64 `json:"count"`
}

// MergePartials joins the partials of two blocks; codes by bitwise OR (PDI
// §4.2, step 4). The error is always nil.
func MergePartials(a, b Partial) (Partial, error) {
	return Partial{
		Edges:    mergeSorted(a.Edges, b.Edges, comparePairs, joinPairs),
		Stations: mergeSorted(a.Stations, b.Stations, compareStations, joinStations),
		Answers:  mergeSorted(a.Answers, b.Answers, compareAnswers, joinAnswers),
	}, nil
}

func comparePairs(x, y PairEdge) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) }

func joinPairs(x, y PairEdge) PairEdge {
	return PairEdge{x.A, x.B, x.Code.Union(y.Code), min(x.Reach, y.Reach), min(x.Back, y.Back)}
}

func compareAnswers(x, y Answer) int {
	return cmp.Or(cmp.Compare(x.Rank, y.Rank), cmp.Compare(x.Wait, y.Wait),
		cmp.Compare(x.Want, y.Want), cmp.Compare(x.From, y.From))
}

func joinAnswers(x, y Answer) Answer {
	x.Count += y.Count
	return x
}

// Local asks the algorithm about the models of a block (PDI §4.2, step 3) and
// adds the block's answers. The summary is the merged one, or its Question.
// Errors wrap ErrUnknownAlgorithm.
func Local(ranks []*model.Rank, summary *Summary, opts Options) (Partial, error) {
	l, err := NewLocaliser(summary, opts)
	if err != nil {
		return Partial{}, err
	}
	for _, r := range ranks {
		l.Add(r)
	}
	return l.Partial(), nil
}

// Localiser folds ranks one by one, so that they need not be in memory all at
// once. See Local.
type Localiser struct {
	gather  Gatherer
	queries map[queryKey][]query
	answers []Answer
}

// NewLocaliser returns a Localiser of no ranks. Errors wrap ErrUnknownAlgorithm.
func NewLocaliser(summary *Summary, opts Options) (*Localiser, error) {
	algorithm, err := NewAlgorithm(opts.Algorithm)
	if err != nil {
		return nil, err
	}
	return &Localiser{gather: algorithm.Local(summary), queries: queriesOf(summary)}, nil
}

// Add folds a rank.
func (l *Localiser) Add(r *model.Rank) {
	if !inWorld(r) {
		return
	}
	l.gather.Add(r.Rank, representative(r))
	if len(l.queries) > 0 {
		l.answers = appendAnswers(l.answers, r, l.queries)
	}
}

// Partial returns the partial of all ranks that were added, and ends the
// folding.
func (l *Localiser) Partial() Partial {
	part := l.gather.Partial()
	part.Answers = sortJoined(l.answers, compareAnswers, joinAnswers)
	return part
}

// pdgGatherer relates positions once per distinct model and position: ranks of
// one program mostly agree.
type pdgGatherer struct {
	positions []Position
	index     map[Position]int
	seen      map[modelKey]bool
	joined    map[[2]int]PairEdge
}

func newPDGGatherer(positions []Position) *pdgGatherer {
	g := &pdgGatherer{positions, make(map[Position]int, len(positions)), map[modelKey]bool{}, map[[2]int]PairEdge{}}
	for i, p := range positions {
		g.index[p] = i
	}
	return g
}

// Add is that of Gatherer.
func (g *pdgGatherer) Add(_ int, t *model.Thread) {
	key := keyOf(t)
	own, known := g.index[key.at]
	if !known || g.seen[key] {
		return
	}
	g.seen[key] = true
	for other, rel := range relate(&t.Model, key.at, g.positions) {
		if other == own || rel.Code == Null {
			continue
		}
		e := pairEdge(own, other, rel)
		if old, twice := g.joined[[2]int{e.A, e.B}]; twice {
			e = joinPairs(old, e)
		}
		g.joined[[2]int{e.A, e.B}] = e
	}
}

// Partial is that of Gatherer.
func (g *pdgGatherer) Partial() Partial {
	return Partial{Edges: slices.SortedFunc(maps.Values(g.joined), comparePairs)}
}

// pairEdge puts a relation into the order of the pair.
func pairEdge(own, other int, r Relation) PairEdge {
	if own < other {
		return PairEdge{own, other, r.Code, r.Reach, r.Back}
	}
	return PairEdge{other, own, r.Code.Swap(), r.Back, r.Reach}
}

// Positions returns the distinct positions of the ranks, in their order: the
// paper's statesSet.
func (s *Summary) Positions() []Position {
	var out []Position
	for _, p := range s.Places {
		if n := len(out); n == 0 || out[n-1] != p.At {
			out = append(out, p.At)
		}
	}
	return out
}
