package slowness

import (
	"cmp"
	"slices"

	"laggard/model"
	"laggard/model/runfiles"
)

// mostSites bounds Imbalance.Sites.
const mostSites = 5

// siteShares is what parts of the run the ranks compute behind one call.
type siteShares struct {
	state *model.State
	sum   float64
	most  float64
	ranks model.RankSet // with the most
}

// MeasureImbalance tells by the samples of all ranks of a run directory what it costs that some compute longer than others, from
// the start on; nil if there are no samples. Whoever computes longest in all is waited for by the others in the end, so
// the cost is what that rank computes more than the mean.
func MeasureImbalance(x *runfiles.Index) *Imbalance {
	sites, slowest := map[model.StateID]*siteShares{}, map[model.StateID]float64{}
	var ranks []computer
	most := -1.0
	x.EachBatch(func(run *model.Run) {
		for _, r := range run.Ranks {
			shares, total := computingShares(r)
			if shares == nil {
				continue
			}
			ranks = append(ranks, computer{r.Rank, total, starvedShare(r)})
			if total > most {
				most, slowest = total, map[model.StateID]float64{}
				for s, share := range shares {
					slowest[s.ID] = share
				}
			}
			for s, share := range shares {
				addShare(sites, s, r.Rank, share)
			}
		}
	})
	n := float64(len(ranks))
	if n < 2 {
		return nil
	}
	out := &Imbalance{Cost: costOf(ranks, func(c computer) float64 { return c.computing })}
	out.addStarved(ranks)
	for id, s := range sites {
		if cost := slowest[id] - s.sum/n; cost > 0 {
			out.Sites = append(out.Sites, ImbalancedSite{State: s.state, Cost: cost, Most: s.ranks, Mean: s.sum / n, Longest: s.most})
		}
	}
	slices.SortFunc(out.Sites, func(a, b ImbalancedSite) int {
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), slices.Compare(a.State.ID[:], b.State.ID[:]))
	})
	out.Sites = out.Sites[:min(len(out.Sites), mostSites)]
	return out
}

// computer is for what parts of the run a rank computes, and lacks a processor.
type computer struct {
	rank               int
	computing, starved float64
}

// costOf is what the rank that does something longest does more than the mean.
func costOf(ranks []computer, part func(computer) float64) float64 {
	sum, most := 0.0, 0.0
	for _, c := range ranks {
		sum += part(c)
		most = max(most, part(c))
	}
	return most - sum/float64(len(ranks))
}

// addStarved names the ranks that lack a processor, if the cost would be less than half without what they lack: then they need not have
// more work. They may lack it while they wait in MPI without sleeping, too.
func (b *Imbalance) addStarved(ranks []computer) {
	worked := costOf(ranks, func(c computer) float64 { return max(c.computing-c.starved, 0) })
	if 2*worked >= b.Cost {
		return
	}
	most := slices.MaxFunc(ranks, func(x, y computer) int { return cmp.Compare(x.starved, y.starved) }).starved
	var parts []float64
	for _, c := range ranks {
		if 2*c.starved >= most {
			b.Starved.Add(c.rank)
			parts = append(parts, c.starved)
		}
	}
	b.StarvedShare = median(parts)
}

// starvedShare is the part of its time in which a rank would have run but had no processor.
func starvedShare(r *model.Rank) float64 {
	var all sums
	for i := range r.Series {
		one := sumsOf(&r.Series[i], r.SampleHz)
		all.add(&one)
	}
	return all.share(func(s *sums) float32 { return s.starved })
}

// computingShares is what part of its samples a rank computes behind each call, and in all; nil without samples.
func computingShares(r *model.Rank) (shares map[*model.State]float64, total float64) {
	samples := 0
	for _, t := range r.Threads {
		for _, s := range t.Model.Samples {
			samples += s.Computing + s.Waiting
		}
	}
	if samples == 0 {
		return nil, 0
	}
	shares = map[*model.State]float64{}
	for _, t := range r.Threads {
		for i, s := range t.Model.Samples {
			if s.Computing > 0 {
				shares[t.Model.States[i]] += float64(s.Computing) / float64(samples)
				total += float64(s.Computing) / float64(samples)
			}
		}
	}
	return shares, total
}

// sameShare is by how much of the run ranks may differ and count as alike.
const sameShare = 0.02

func addShare(sites map[model.StateID]*siteShares, s *model.State, rank int, share float64) {
	at := sites[s.ID]
	if at == nil {
		at = &siteShares{state: s}
		sites[s.ID] = at
	}
	at.sum += share
	switch {
	case share > at.most+sameShare:
		at.most, at.ranks = share, model.NewRankSet(rank)
	case share >= at.most-sameShare:
		at.ranks.Add(rank)
		at.most = max(at.most, share)
	}
}
