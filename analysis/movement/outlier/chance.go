package outlier

import (
	"math"

	"laggard/analysis/movement/profile"
)

// maxChance of an outlier: that one of all ranks has counts so unlike its peers' by
// chance, with chains that are independent of each other. What comes in bursts varies
// more; several training runs show how much.
const maxChance = 0.01

// peers are the ranks with their counts of chains.
type peers struct {
	distribution
	rows []profile.Row
	k    int
}

// nearestRows returns the rows nearest to that of rank i: at least k, and all that are no
// farther than the k-th.
func (p *peers) nearestRows(i int) []profile.Row {
	r := newRuler(p.groups)
	r.setOrigin(p.vectors[i])
	distance := make([]float64, len(p.rows))
	var candidates []neighbour
	for j, v := range p.vectors {
		if j != i {
			distance[j] = r.distanceTo(v)
			candidates = append(candidates, neighbour{cluster: int32(j), ranks: 1, distance: distance[j]})
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	reach := kthNearest(candidates, p.k).distance + rounding
	var out []profile.Row
	for j, row := range p.rows {
		if j != i && distance[j] <= reach {
			out = append(out, row)
		}
	}
	return out
}

// differsFromPeers reports whether the counts of rank i differ from those of its nearest peers
// by more than chance explains: one chain more among hundreds is none, though all
// peers have none of it. Without chains on one side the distance alone decides.
func (p *peers) differsFromPeers(i int) bool {
	type both struct{ own, peers uint64 }
	counts := map[int32]both{}
	var total both
	for _, c := range p.rows[i] {
		counts[c.Group] = both{own: c.Count}
		total.own += c.Count
	}
	for _, row := range p.nearestRows(i) {
		for _, c := range row {
			n := counts[c.Group]
			n.peers += c.Count
			counts[c.Group] = n
			total.peers += c.Count
		}
	}
	if total.own == 0 || total.peers == 0 {
		return true
	}
	share := float64(total.own) / float64(total.own+total.peers)
	tests := float64(2 * len(counts) * len(p.rows)) // each group may be too frequent or too rare, at any rank
	for _, n := range counts {
		if min(binomialTail(n.own, n.own+n.peers, share), binomialTail(n.peers, n.own+n.peers, 1-share))*tests < maxChance {
			return true
		}
	}
	return false
}

// binomialTail is the probability of k or more of n, each with probability p.
func binomialTail(k, n uint64, p float64) float64 {
	if float64(k) <= float64(n)*p {
		return 1 // not less than about a half, and no evidence in any case
	}
	logN, _ := math.Lgamma(float64(n) + 1)
	sum := 0.0
	for i := k; i <= n; i++ {
		a, _ := math.Lgamma(float64(i) + 1)
		b, _ := math.Lgamma(float64(n-i) + 1)
		term := math.Exp(logN - a - b + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
		sum += term
		if term <= sum*1e-9 {
			break
		}
	}
	return sum
}
