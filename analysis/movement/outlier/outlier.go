package outlier

import (
	"cmp"
	"math"
	"slices"

	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/profile"
	"laggard/internal/parallel"
	"laggard/model"
)

// Outlier is a rank whose chains are distributed unlike those of its peers
// (§4.5).
type Outlier struct {
	Rank int
	Distance
	// Group is the group of chains of which the rank has most more than its k-th neighbour, or that it lacks if it has no chains;
	// Share is its share of the rank's chains, PeerShare of the neighbour's. Of a rank that resends it is what it sends again, and
	// the neighbour who does so most.
	Group            chain.Group
	Share, PeerShare float64
	Ends             model.RankSet // where the rank's chains of the group end; empty for a rank that resends
}

// findOutliers finds the outliers among the given chains.
func findOutliers(tr *chain.Trace, chains []timed, training *profile.Profile) (Distances, []Outlier) {
	tracks := make([][]chain.Instance, len(tr.Tracks))
	for _, c := range chains {
		tracks[c.track] = append(tracks[c.track], c.Instance)
	}
	rows := make([]profile.Row, len(tracks))
	parallel.ForEach(len(tracks), func(i int) { rows[i] = profile.Count(tracks[i]) })
	d := newDistribution(rows, len(tr.Groups))
	s := d.distances(max(1, len(rows)/neighbours), maxExact, maxLeaders)
	if s.Chains = uint64(len(chains)); s.Chains > 0 {
		s.From, s.To = chains[0].Time, chains[len(chains)-1].Time
	}
	if training != nil {
		s.applyTraining(d, tr, training)
	}
	var out []Outlier
	peers := &peers{d, rows, s.K}
	for _, i := range s.suspectIndexes() {
		if peers.differsFromPeers(i) {
			out = append(out, s.describeOutlier(d, i, tr))
		}
	}
	slices.SortStableFunc(out, func(a, b Outlier) int { return cmp.Compare(b.K, a.K) })
	s.tracksToRanks(tr)
	if len(out) == 0 {
		out = findResenders(tr, chains, s, training)
	}
	return s, out
}

// tracksToRanks turns indexes of tracks into ranks.
func (s *Distances) tracksToRanks(tr *chain.Trace) {
	for i, t := range tr.Tracks {
		s.Ranks = append(s.Ranks, t.Rank)
		if n := s.By[i].Neighbour; n >= 0 {
			s.By[i].Neighbour = tr.Tracks[n].Rank
		}
	}
}

const (
	neighbours  = 4    // k is the number of ranks divided by this
	factor      = 5    // K of the paper: an outlier is so many times the average away
	minDistance = 0.01 // of an outlier, 0 to 2, exclusive
	// fewChains, of all ranks together, have no distribution.
	fewChains = 16
)

// suspectIndexes returns the indexes of the ranks that are far enough from their
// peers. With no more ranks than the factor none can be that many times the
// average, which it is part of; then the average of the others counts. A handful
// of chains says nothing.
func (s *Distances) suspectIndexes() []int {
	var out []int
	if s.Chains < fewChains {
		return nil
	}
	for i, x := range s.By {
		far := x.Ratio > factor
		if len(s.By) <= factor {
			far = x.LeaveOneOut > factorOfFew(len(s.By)-1)
		}
		if far && x.K > minDistance {
			out = append(out, i)
		}
	}
	return out
}

// factorOfFew returns how many times the average of n others a rank must be away to be as
// unlikely as one that is factor times a well-known average away: e^-factor, if distances
// have an exponential distribution. The average of few is not well known.
func factorOfFew(n int) float64 {
	others := float64(n)
	return others * math.Expm1(factor/others)
}

// applyTraining brings ranks as near as the nearest distribution of the training runs
// is, less what varies from run to run. That is done for all, since a rank that is known to be different would
// raise the average so far that no other can stand out.
func (s *Distances) applyTraining(d distribution, tr *chain.Trace, p *profile.Profile) {
	trained, groups := trainingVectors(p, tr.Groups)
	varies := variation(p, trained, groups)
	parallel.ForEachWith(len(s.By), func() *ruler { return newRuler(groups) }, func(i int, r *ruler) {
		r.setOrigin(d.vectors[i])
		for _, v := range trained {
			near := 0.0
			if varies == nil {
				near = r.distanceTo(v)
			} else {
				near = r.excessDistance(v, varies)
			}
			s.By[i].K = min(s.By[i].K, near)
		}
	})
	s.setRatios()
}

// variation returns by group by how much its share differed at most, at one rank,
// between the training runs; nil: there was one run only.
func variation(p *profile.Profile, trained []vector, groups int) []float64 {
	var out []float64
	r := newRuler(groups)
	for _, rows := range p.ByRank {
		for k, a := range rows {
			for _, b := range rows[k+1:] {
				if out == nil {
					out = make([]float64, groups)
				}
				r.setOrigin(trained[a])
				r.eachShare(trained[b], func(g int32, mine, theirs float64) { out[g] = max(out[g], math.Abs(mine-theirs)) })
			}
		}
	}
	return out
}

// trainingVectors returns the distributions of the training runs in terms of the given
// groups, and the number of groups there are with those that are new.
func trainingVectors(p *profile.Profile, groups []chain.Group) ([]vector, int) {
	number := map[string]int32{}
	for i, g := range groups {
		number[g.Key()] = int32(i)
	}
	place := make([]int32, len(p.Groups))
	n := len(groups)
	for i, g := range p.Groups {
		j, known := number[g.Key()]
		if !known {
			j = int32(n)
			n++
		}
		place[i] = j
	}
	out := make([]vector, len(p.Rows))
	for i, r := range p.Rows {
		out[i] = newVector(r.Renumbered(func(g int32) int32 { return place[g] }))
	}
	return out, n
}

// describeOutlier describes an outlying rank.
func (s *Distances) describeOutlier(d distribution, i int, tr *chain.Trace) Outlier {
	o := Outlier{Rank: tr.Tracks[i].Rank, Distance: s.By[i]}
	r := newRuler(d.groups)
	r.setOrigin(d.vectors[i])
	var top int32
	if top, o.Share, o.PeerShare = r.topSurplus(d.vectors[o.Neighbour]); top < 0 { // it has no chains
		top, o.Share, o.PeerShare = r.topContributor(d.vectors[o.Neighbour])
	}
	if top >= 0 {
		o.Group = tr.Groups[top]
	}
	for _, c := range tr.Tracks[i].Chains {
		if c.Group == top {
			o.Ends.Add(int(c.End))
		}
	}
	o.Neighbour = tr.Tracks[o.Neighbour].Rank
	return o
}
