package movement

import "laggard/model"

// Result is what Analyse found.
type Result struct {
	Ranks  model.RankSet // that were looked at
	Chains uint64        // that start there
	Groups []Group       // of these, by falling count
	Links  Links         // of the whole trace

	Invariants []Invariant // FC-invariants, by falling count
	Violations []Violation // the most suspicious first
	// Pruned counts violations left out because the training runs have the chain.
	Pruned int

	Distances Distances // of the span that Outliers was found in
	Outliers  []Outlier // by falling distance
}

// Invariant is a frequent chain (§4.3.1).
type Invariant struct {
	Group
	Share float64 // among the chains that are unique enough
}

// Violation is a group of chains that are like a frequent chain, but rare
// (§4.4).
type Violation struct {
	Chain     Group
	Invariant int   // index into Result.Invariants
	group     int32 // index of Chain

	Similarity, Rareness, Abnormality float64 // Equations 6, 7, 8

	// The longest common part: Matched operations, from ChainAt in the chain and
	// from InvariantAt in the invariant.
	ChainAt, InvariantAt, Matched int
	Missing                       []Operation // those of the invariant that the chain lacks

	// Of the Instances, ContextMatches have a missing operation in a chain close
	// by (§4.4.2), and Completions have it in one that is no frequent chain
	// itself: the other half of a broken chain.
	Instances, ContextMatches, Completions int
	// Edge counts the instances before the first chain of the invariant in their
	// rank, or behind the last: how a program begins or ends is no fault.
	Edge int
	// Evidence is how far the rate of one of the two lies, at least, above the
	// rate around any other chain; 0: it tells nothing.
	Evidence float64
	Ranks    model.RankSet
	Examples []Place // those with a completion first, at most maxExamples
}

// Place names one chain.
type Place struct {
	Rank        int
	Order, Time int64 // as in Instance
}

// maxExamples bounds the instances that a violation names.
const maxExamples = 8

// Outlier is a rank whose chains are distributed unlike those of its peers
// (§4.5).
type Outlier struct {
	Rank int
	Distance
	// Group is the group of chains that contributes most to the distance; Share
	// is its share of the rank's chains, PeerShare of its k-th neighbour's.
	Group            Group
	Share, PeerShare float64
}

// Distance is how far a rank is from its peers.
type Distance struct {
	// K is Distance^k, the Manhattan distance to the k-th nearest rank (Equations
	// 4, 5), 0 to 2; or to the nearest rank of the training runs, if that is less.
	K float64
	// Ratio is K over the average of all ranks, LeaveOneOut over the average of
	// the others; at most maxRatio.
	Ratio, LeaveOneOut float64
	Neighbour          int // the k-th nearest rank, -1 none
	Top                int // index into Result.Groups: contributes most; -1 none
}

// maxRatio stands for a ratio to an average of nothing.
const maxRatio = 1e6

// Distances is the distance of every rank, over a span of time.
type Distances struct {
	Ranks    []int
	By       []Distance // by index into Ranks
	Average  float64    // of Distance.K
	K        int
	From, To int64 // first and last time of a chain in the span
	Chains   uint64
	// Error bounds what By may be wrong by: with very many different
	// distributions, near ones are taken for the same.
	Error float64
}
