package outlier

import (
	"math"
	"slices"
)

// cluster is some ranks whose distributions are taken for the same.
type cluster struct {
	leader  int32 // whose distribution stands for all
	members []int32
}

const (
	// maxExact is up to how many different distributions all pairs are measured.
	maxExact = 6000
	// maxLeaders is how many clusters are made of more.
	maxLeaders = 2048
	// firstRadius is the distance below which distributions are first taken for
	// the same, when there are too many.
	firstRadius = 0.01
	// pivots are distributions whose distance to all others is known, so that
	// most pairs that are far apart need not be measured.
	pivots = 4
)

// clusterRanks joins ranks with the same distribution, and if more than limit are
// left, those near each other into no more than leaders. Members are no farther
// from their leader than the distance returned.
func (d distribution) clusterRanks(limit, leaders int) ([]cluster, float64) {
	list := d.identicalClusters()
	if len(list) <= limit {
		return list, 0
	}
	reach := 0.0
	for r := firstRadius; len(list) > leaders; r *= 2 {
		list = d.mergeNear(list, r, leaders)
		reach += r
	}
	return list, reach
}

func (d distribution) identicalClusters() []cluster {
	order := make([]int32, len(d.vectors))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return d.vectors[a].compare(d.vectors[b]) })
	var out []cluster
	for _, i := range order {
		if n := len(out); n > 0 && d.vectors[out[n-1].leader].compare(d.vectors[i]) == 0 {
			out[n-1].members = append(out[n-1].members, i)
		} else {
			out = append(out, cluster{i, []int32{i}})
		}
	}
	slices.SortFunc(out, func(a, b cluster) int { return int(a.leader - b.leader) })
	return out
}

// mergeNear joins each cluster with the first one before it within the radius. Once
// there are far more than wanted, the radius is too small, and the rest is left
// as it is for a greater one.
func (d distribution) mergeNear(list []cluster, radius float64, wanted int) []cluster {
	place := d.pivotCoordinates(list)
	measure := newRuler(d.groups)
	var out []cluster
	var at [][pivots]float64
	for i, c := range list {
		into := -1
		measure.setOrigin(d.vectors[c.leader])
		for j := 0; j < len(out) && into < 0 && len(out) <= 2*wanted; j++ {
			if withinRadius(place[i], at[j], radius) && measure.distanceTo(d.vectors[out[j].leader]) <= radius {
				into = j
			}
		}
		if into < 0 {
			out, at = append(out, c), append(at, place[i])
		} else {
			out[into].members = append(out[into].members, c.members...)
		}
	}
	return out
}

// pivotCoordinates measures each cluster against some pivots. By the triangle
// inequality two clusters are no nearer than their coordinates.
func (d distribution) pivotCoordinates(list []cluster) [][pivots]float64 {
	out := make([][pivots]float64, len(list))
	measure := newRuler(d.groups)
	for p := range pivots {
		measure.setOrigin(d.vectors[list[p*len(list)/pivots].leader])
		for i, c := range list {
			out[i][p] = measure.distanceTo(d.vectors[c.leader])
		}
	}
	return out
}

func withinRadius(a, b [pivots]float64, radius float64) bool {
	for p := range a {
		if math.Abs(a[p]-b[p]) > radius {
			return false
		}
	}
	return true
}
