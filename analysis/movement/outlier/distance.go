package outlier

import (
	"cmp"
	"slices"

	"laggard/internal/parallel"
)

// Distance is how far a rank is from its peers.
type Distance struct {
	// K is Distance^k, the Manhattan distance to the k-th nearest rank (Equations
	// 4, 5), 0 to 2; or to the nearest rank of the training runs, if that is less.
	K float64
	// Ratio is K over the average of all ranks, LeaveOneOut over the average of
	// the others; at most maxRatio.
	Ratio, LeaveOneOut float64
	Neighbour          int // the k-th nearest rank, -1 none
	Top                int // index into Trace.Groups: contributes most; -1 none
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

// refined is how many of the ranks that seem farthest from their peers are
// measured exactly where the rest is approximate.
const refined = 64

// distances measures Distance^k for every vector (Equation 5), itself
// excluded. By is in the order of the vectors, and neighbours are numbered as
// these. There are at most limit clusters, or else leaders.
func (d distribution) distances(k, limit, leaders int) Distances {
	out := Distances{By: make([]Distance, len(d.vectors)), K: k}
	list, reach := d.clusterRanks(limit, leaders)
	out.Error = 2 * reach
	all := make([]int, len(list))
	for i := range all {
		all[i] = i
	}
	d.measureClusters(list, all, k, func(i int, x Distance) {
		for _, m := range list[i].members {
			out.By[m] = list[i].forMember(m, x)
		}
	})
	if reach > 0 {
		d.refineFarthest(&out)
	}
	out.setRatios()
	return out
}

// forMember returns what was measured for the cluster as it holds for one member: none
// is its own neighbour.
func (c cluster) forMember(member int32, x Distance) Distance {
	if x.Neighbour == int(member) {
		x.Neighbour = int(c.members[len(c.members)-1])
	}
	return x
}

// batch is how many vectors are measured together: each of the others is then
// fetched from memory once for all of them.
const batch = 8

// batchMeasurer holds what it takes to measure a batch.
type batchMeasurer struct {
	rulers     [batch]*ruler
	candidates [batch][]neighbour
}

func (d distribution) newBatchMeasurer() *batchMeasurer {
	b := &batchMeasurer{}
	for i := range b.rulers {
		b.rulers[i] = newRuler(d.groups)
	}
	return b
}

// measureClusters calls f with Distance^k of the chosen clusters, on all cores.
func (d distribution) measureClusters(list []cluster, which []int, k int, f func(i int, x Distance)) {
	parallel.ForEachWith((len(which)+batch-1)/batch, d.newBatchMeasurer, func(n int, b *batchMeasurer) {
		some := which[n*batch : min(len(which), (n+1)*batch)]
		b.measureBatch(d, list, some)
		for at, i := range some {
			f(i, b.kthDistance(d, list, at, k))
		}
	})
}

// measureBatch notes the distances of some clusters to all. A cluster is at distance
// 0 from its other members.
func (b *batchMeasurer) measureBatch(d distribution, list []cluster, some []int) {
	for at, i := range some {
		b.rulers[at].setOrigin(d.vectors[list[i].leader])
		b.candidates[at] = b.candidates[at][:0]
	}
	for j, c := range list {
		v := d.vectors[c.leader]
		for at, i := range some {
			n := neighbour{cluster: int32(j), ranks: int32(len(c.members))}
			if j == i {
				n.ranks--
			} else {
				n.distance = b.rulers[at].distanceTo(v)
			}
			if n.ranks > 0 {
				b.candidates[at] = append(b.candidates[at], n)
			}
		}
	}
}

// kthDistance returns Distance^k of one cluster of the batch.
func (b *batchMeasurer) kthDistance(d distribution, list []cluster, at, k int) Distance {
	if len(b.candidates[at]) == 0 {
		return Distance{Neighbour: -1, Top: -1}
	}
	n := kthNearest(b.candidates[at], k)
	peer := list[n.cluster].leader
	top, _, _ := b.rulers[at].topContributor(d.vectors[peer])
	return Distance{K: n.distance, Neighbour: int(peer), Top: int(top)}
}

// refineFarthest measures the ranks that seem farthest exactly.
func (d distribution) refineFarthest(out *Distances) {
	order := make([]int32, len(out.By))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(out.By[b].K, out.By[a].K) })
	order = order[:min(refined, len(order))]
	list := d.identicalClusters()
	which := make([]int, len(order))
	for i, rank := range order {
		which[i] = slices.IndexFunc(list, func(c cluster) bool { return slices.Contains(c.members, rank) })
	}
	slices.Sort(which)
	d.measureClusters(list, slices.Compact(which), out.K, func(i int, x Distance) {
		for _, rank := range list[i].members {
			if slices.Contains(order, rank) {
				out.By[rank] = list[i].forMember(rank, x)
			}
		}
	})
}

// setRatios sets the ratios to the average.
func (s *Distances) setRatios() {
	var sum float64
	for _, x := range s.By {
		sum += x.K
	}
	n := float64(len(s.By))
	s.Average = sum / max(n, 1)
	for i := range s.By {
		x := &s.By[i]
		x.Ratio = cappedRatio(x.K, s.Average)
		x.LeaveOneOut = cappedRatio(x.K, (sum-x.K)/max(n-1, 1))
	}
}

// cappedRatio is x over an average, at most maxRatio.
func cappedRatio(x, average float64) float64 {
	return min(x/max(average, rounding), maxRatio)
}
