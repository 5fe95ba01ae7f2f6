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
// adds the block's answers.
// The summary is the merged one. Errors wrap ErrUnknownAlgorithm.
func Local(ranks []*model.Rank, summary *Summary, opts Options) (Partial, error) {
	algorithm, err := NewAlgorithm(opts.Algorithm)
	if err != nil {
		return Partial{}, err
	}
	part := algorithm.Local(ranks, summary)
	part.Answers = answers(ranks, summary)
	return part, nil
}

// localPDG relates positions once per distinct model and position: ranks of
// one program mostly agree.
func localPDG(ranks []*model.Rank, positions []Position) []PairEdge {
	index := make(map[Position]int, len(positions))
	for i, p := range positions {
		index[p] = i
	}
	seen := map[modelKey]bool{}
	joined := map[[2]int]PairEdge{}
	for _, r := range ranks {
		if !inWorld(r) {
			continue
		}
		t := representative(r)
		key := keyOf(t)
		own, known := index[key.at]
		if !known || seen[key] {
			continue
		}
		seen[key] = true
		for other, rel := range relate(&t.Model, key.at, positions) {
			if other == own || rel.Code == Null {
				continue
			}
			e := pairEdge(own, other, rel)
			if old, twice := joined[[2]int{e.A, e.B}]; twice {
				e = joinPairs(old, e)
			}
			joined[[2]int{e.A, e.B}] = e
		}
	}
	return slices.SortedFunc(maps.Values(joined), comparePairs)
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
