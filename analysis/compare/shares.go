package compare

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"laggard/model"
	"laggard/reduce"
)

// Share is how much of the time of all ranks a place took, where the bad run differs from every good one.
type Share struct {
	At      Place
	Waiting bool    // in the call, or between empty polls; else computing behind it
	Bad     float64 // of all samples of the bad run, 0 to 1
	Good    float64 // the same, the mean of the good runs
}

// placeTime is how many samples found a rank at a state.
type placeTime struct {
	State     int    `json:"state"`
	Computing uint64 `json:"computing"`
	Waiting   uint64 `json:"waiting"`
}

// timesOf are the samples of a rank. They are no part of its profile, as no two ranks have the same.
func timesOf(r *model.Rank, number func(*model.State) int) (out []placeTime) {
	for _, t := range r.Threads {
		for i, s := range t.Model.Samples {
			if s.Computing+s.Waiting > 0 {
				out = append(out, placeTime{number(t.Model.States[i]), uint64(s.Computing), uint64(s.Waiting)})
			}
		}
	}
	return out
}

// joinTimes adds up the samples of equal states.
func joinTimes(list []placeTime) []placeTime {
	return reduce.SortJoined(list, func(a, b placeTime) int { return a.State - b.State }, func(a, b placeTime) placeTime {
		return placeTime{a.State, a.Computing + b.Computing, a.Waiting + b.Waiting}
	})
}

const (
	fewSamples  = 200  // of a run with fewer, shares say little
	otherShare  = 0.25 // by how much a share must differ: equal runs of LAMMPS on two busy processors differ by up to 0.15
	maxOfShares = 12   // places that a result has
)

// activity is computing or waiting at a place.
type activity struct {
	place   int
	waiting bool
}

func compareActivities(a, b activity) int {
	switch {
	case a.place != b.place || a.waiting == b.waiting:
		return a.place - b.place
	case a.waiting:
		return 1
	}
	return -1
}

// shareOfTime divides a run's samples by what ranks did; nil: there are too few.
func shareOfTime(times []placeTime, number []int) map[activity]float64 {
	shares, total := map[activity]float64{}, uint64(0)
	for _, t := range times {
		shares[activity{number[t.State], false}] += float64(t.Computing)
		shares[activity{number[t.State], true}] += float64(t.Waiting)
		total += t.Computing + t.Waiting
	}
	if total < fewSamples {
		return nil
	}
	for a := range shares {
		shares[a] /= float64(total)
	}
	return shares
}

// findShares lists what took another share of the time in the bad run, the largest change first. A run without samples
// is left out.
func findShares(p *places, runs []*runRead) (out []Share) {
	bad := shareOfTime(runs[p.last].Times, p.number[p.last])
	var good []map[activity]float64
	all := map[activity]bool{}
	for i, r := range runs[:p.last] {
		if shares := shareOfTime(r.Times, p.number[i]); shares != nil {
			good = append(good, shares)
		}
	}
	if bad == nil || good == nil {
		return nil
	}
	for _, shares := range append(good[:len(good):len(good)], bad) {
		for a := range shares {
			all[a] = true
		}
	}
	for _, a := range slices.SortedFunc(maps.Keys(all), compareActivities) {
		least, most, sum := math.Inf(1), 0.0, 0.0
		for _, g := range good {
			least, most, sum = math.Min(least, g[a]), math.Max(most, g[a]), sum+g[a]
		}
		if bad[a] > most+otherShare || bad[a] < least-otherShare {
			out = append(out, Share{p.place(a.place), a.waiting, bad[a], sum / float64(len(good))})
		}
	}
	slices.SortStableFunc(out, func(a, b Share) int { return cmp.Compare(b.change(), a.change()) })
	return out[:min(len(out), maxOfShares)]
}

// change is by how much the share differs, whether it is more or less.
func (s Share) change() float64 { return math.Abs(s.Bad - s.Good) }
