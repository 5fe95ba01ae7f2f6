package inference

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/reduce"
)

// Partial is what the models of a block say about the positions of all
// ranks. It is a monoid; the zero value is its neutral element.
type Partial struct {
	Edges    []PairEdge `json:"edges,omitempty"`    // ascending; of the algorithm pdi
	Stations []Station  `json:"stations,omitempty"` // ascending; of the algorithm loop-aware
}

// MergePartials joins the partials of two blocks; codes by bitwise OR (PDI
// §4.2, step 4).
func MergePartials(a, b Partial) Partial {
	return Partial{
		Edges:    reduce.MergeSorted(a.Edges, b.Edges, comparePairs, joinPairs),
		Stations: reduce.MergeSorted(a.Stations, b.Stations, compareStations, joinStations),
	}
}

// ErrPartial wraps what is wrong with a partial that was received.
var ErrPartial = errors.New("not a partial")

// Check verifies what the package relies on: order and bounds. Errors wrap
// ErrPartial.
func (p *Partial) Check() error {
	for i, e := range p.Edges {
		if e.A < 0 || e.A >= e.B || e.Code == Null || e.Code > Undefined ||
			i > 0 && comparePairs(p.Edges[i-1], e) >= 0 {
			return fmt.Errorf("%w: edge %d–%d", ErrPartial, e.A, e.B)
		}
		if !probability(e.Reach) || !probability(e.Back) {
			return fmt.Errorf("%w: edge %d–%d: no probability", ErrPartial, e.A, e.B)
		}
	}
	for i, s := range p.Stations {
		if s.Place < 0 || s.Ranks.Len() == 0 || i > 0 && compareStations(p.Stations[i-1], s) >= 0 {
			return fmt.Errorf("%w: station at place %d", ErrPartial, s.Place)
		}
		if s.Ranks.Max() >= model.MaxRanks {
			return fmt.Errorf("%w: rank %d", ErrPartial, s.Ranks.Max())
		}
	}
	return nil
}

func probability(p float64) bool { return p >= 0 && p <= 1 && !math.Signbit(p) }

// PairEdge is the dependence of two positions, by their index among the
// summary's distinct positions; A < B and the code is not Null.
type PairEdge struct {
	A     int     `json:"a"`
	B     int     `json:"b"`
	Code  Code    `json:"code"`
	Reach float64 `json:"reach"` // least probability, over the models, to get from A to B
	Back  float64 `json:"back"`  // the same from B to A
}

func comparePairs(x, y PairEdge) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) }

func joinPairs(x, y PairEdge) PairEdge {
	return PairEdge{x.A, x.B, x.Code.Union(y.Code), min(x.Reach, y.Reach), min(x.Back, y.Back)}
}

// pdgGatherer relates positions once per distinct model and position: ranks of
// one program mostly agree.
type pdgGatherer struct {
	positions []facts.Position
	index     map[facts.Position]int
	seen      map[modelKey]bool
	joined    map[[2]int]PairEdge
}

func newPDGGatherer(positions []facts.Position) *pdgGatherer {
	g := &pdgGatherer{positions, make(map[facts.Position]int, len(positions)), map[modelKey]bool{},
		map[[2]int]PairEdge{}}
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
	for other, rel := range relatePositions(&t.Model, key.at, g.positions) {
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
