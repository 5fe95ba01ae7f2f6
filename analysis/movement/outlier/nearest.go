package outlier

import (
	"cmp"
	"slices"
)

// neighbour is a candidate for the k-th nearest: a cluster, its distance, and
// for how many ranks it stands.
type neighbour struct {
	distance       float64
	cluster, ranks int32
}

func (a neighbour) compare(b neighbour) int {
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.cluster, b.cluster))
}

// kthNearest returns the candidate with which, going by rising distance, k ranks
// are reached, or the last one. It reorders the list, which is not empty.
func kthNearest(list []neighbour, k int) neighbour {
	for len(list) > 12 {
		low, pivot, high := partition(list)
		reached := 0
		for _, x := range low {
			reached += int(x.ranks)
		}
		switch {
		case k <= reached:
			list = low
		case k <= reached+int(pivot.ranks) || len(high) == 0:
			return pivot
		default:
			list, k = high, k-reached-int(pivot.ranks)
		}
	}
	slices.SortFunc(list, neighbour.compare)
	for _, x := range list {
		if k -= int(x.ranks); k <= 0 {
			return x
		}
	}
	return list[len(list)-1]
}

// partition splits the list around the median of three of it.
func partition(list []neighbour) (low []neighbour, pivot neighbour, high []neighbour) {
	n := len(list)
	three := []int{0, n / 2, n - 1}
	slices.SortFunc(three, func(a, b int) int { return list[a].compare(list[b]) })
	list[three[1]], list[n-1] = list[n-1], list[three[1]]
	pivot = list[n-1]
	i := 0
	for j := range list[:n-1] {
		if list[j].distance < pivot.distance || list[j].distance == pivot.distance && list[j].cluster < pivot.cluster {
			list[i], list[j] = list[j], list[i]
			i++
		}
	}
	return list[:i], pivot, list[i : n-1]
}
