package progress

import (
	"slices"

	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/inference"
	"laggard/model"
)

// inferredRule asks the algorithm. Finished ranks cannot be least progressed.
func inferredRule(j *job) (Verdict, bool) {
	v := Verdict{Method: j.algorithm.Name(), Reasons: []Reason{{Kind: LeastByHistory}}, Diverged: j.diverged}
	if !j.opts.PaperOnly {
		v.Diverged = j.divergences()
	}
	ends := j.leastCandidates()
	for _, end := range ends {
		v.Ranks = v.Ranks.Union(end)
	}
	switch {
	case v.Ranks.Len() == 0:
		v.Unordered = true
	case j.undecided(v.Ranks):
		v.Reasons = []Reason{{Kind: NotDistinguished}}
	}
	v.Confidence = j.scaleByKnown(j.inferredConfidence(v.Ranks, ends))
	return v, true
}

// leastCandidates returns the unfinished ranks that no rank is behind, by place. If there
// are several places, those are discarded of which a rank waits point-to-point
// for one that is not among them and lies in another branch, unless that would
// leave none (PDI §4.3).
func (j *job) leastCandidates() []model.RankSet {
	ends := j.lowestLayer()
	if len(ends) < 2 {
		return ends
	}
	var all model.RankSet
	for _, end := range ends {
		all = all.Union(end)
	}
	kept := slices.DeleteFunc(slices.Clone(ends), func(end model.RankSet) bool {
		return slices.ContainsFunc(j.messagePeers(end), func(peer int) bool {
			if all.Contains(peer) {
				return false
			}
			code, _ := j.order.Relate(end.Min(), peer)
			return code == inference.Null
		})
	})
	if len(kept) == 0 {
		return ends
	}
	return kept
}

// lowestLayer returns the unfinished ranks of the first layer that has any, by
// place. There are none if every rank waits for another.
func (j *job) lowestLayer() []model.RankSet {
	unfinished := j.scene.Unfinished()
	for _, layer := range j.order.Layers() {
		var out []model.RankSet
		for _, place := range layer {
			if place = place.Intersect(unfinished); place.Len() > 0 {
				out = append(out, place)
			}
		}
		if len(out) > 0 || len(layer) == 0 {
			return out
		}
	}
	return nil
}

// messagePeers returns the ranks with a record that some ranks wait for in
// point-to-point operations, those of wildcards left out.
func (j *job) messagePeers(ranks model.RankSet) []int {
	var out model.RankSet
	ranks.Each(func(rank int) {
		for _, alt := range j.scene.Needs[rank].Alts {
			for _, l := range alt {
				if l.Kind == evidence.PointToPoint && !l.To.Any {
					out = out.Union(l.To.Ranks)
				}
			}
		}
	})
	return out.Intersect(j.scene.Present).Slice()
}
