package outlier

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"laggard/analysis/movement/profile"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// randomRows makes distributions of which many are equal, some empty.
func randomRows(rng *rand.Rand, n, groups, kinds int) []profile.Row {
	models := make([]profile.Row, kinds)
	for i := 1; i < kinds; i++ {
		for g := range groups {
			if rng.IntN(3) > 0 {
				models[i] = append(models[i], profile.Cell{Group: int32(g), Count: uint64(1 + rng.IntN(1000))})
			}
		}
	}
	out := make([]profile.Row, n)
	for i := range out {
		out[i] = models[rng.IntN(kinds)]
	}
	return out
}

// singleGroupRow is of a rank with count chains of one group.
func singleGroupRow(group int32, count uint64) profile.Row {
	return profile.Row{{Group: group, Count: count}}
}

// naiveDistances does it the long way: all pairs, sorted.
func naiveDistances(d distribution, k int) []float64 {
	full := make([][]float64, len(d.vectors))
	for i, v := range d.vectors {
		full[i] = make([]float64, d.groups)
		for j, g := range v.group {
			full[i][g] = v.share[j]
		}
	}
	out := make([]float64, len(full))
	for i := range full {
		var all []float64
		for j := range full {
			if i == j {
				continue
			}
			sum := 0.0
			for g := range full[i] {
				sum += math.Abs(full[i][g] - full[j][g])
			}
			all = append(all, sum)
		}
		slices.Sort(all)
		if len(all) > 0 {
			out[i] = all[k-1]
		}
	}
	return out
}

func TestDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for _, n := range []int{1, 2, 3, 5, 40, 150} {
		for _, kinds := range []int{2, 10, 1000} {
			d := newDistribution(randomRows(rng, n, 12, kinds), 12)
			k := max(1, n/4)
			got := d.distances(k, maxExact, maxLeaders)
			for i, want := range naiveDistances(d, k) {
				x := got.By[i]
				if math.Abs(x.K-want) > 1e-9 {
					t.Errorf("%d ranks of %d kinds: rank %d at %g, not %g", n, kinds, i, x.K, want)
				}
				if x.Neighbour == i || n > 1 && x.Neighbour < 0 {
					t.Errorf("%d ranks of %d kinds: rank %d is a neighbour of %d", n, kinds, i, x.Neighbour)
				}
			}
			checktest.Equal(t, 0, got.Error, "exact distances with an error of")
		}
	}
}

// With too many different distributions the distances are off by no more than
// is said, and the farthest are exact.
func TestClusteredDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	rows := randomRows(rng, 400, 30, 6)
	for i, r := range rows {
		rows[i] = slices.Clone(r)
		for j := range rows[i] {
			rows[i][j].Count += uint64(rng.IntN(12))
		}
	}
	rows[77] = singleGroupRow(29, 1)
	d := newDistribution(rows, 30)
	got := d.distances(100, 50, 20)
	want := naiveDistances(d, 100)
	if got.Error <= 0 || got.Error > 0.5 {
		t.Errorf("an error of %g", got.Error)
	}
	for i := range want {
		if math.Abs(got.By[i].K-want[i]) > got.Error {
			t.Errorf("rank %d at %g, not %g", i, got.By[i].K, want[i])
		}
	}
	if math.Abs(got.By[77].K-want[77]) > 1e-9 {
		t.Errorf("the farthest at %g, not %g", got.By[77].K, want[77])
	}
}

func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for range 300 {
		var list, flat []neighbour
		for i := range 1 + rng.IntN(60) {
			n := neighbour{float64(rng.IntN(8)), int32(i), 1 + rng.Int32N(3)}
			list = append(list, n)
			for range n.ranks {
				flat = append(flat, n)
			}
		}
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		slices.SortFunc(flat, neighbour.compare)
		k := 1 + rng.IntN(len(flat))
		musttest.Equal(t, flat[k-1], kthNearest(list, k), "number", k)
	}
}

// A rank is not its own neighbour, whoever leads its cluster.
func TestNeighbours(t *testing.T) {
	rows := []profile.Row{singleGroupRow(0, 1), singleGroupRow(0, 2), singleGroupRow(1, 1), singleGroupRow(0, 1)}
	by := newDistribution(rows, 2).distances(1, maxExact, maxLeaders).By
	for i, x := range by {
		if x.Neighbour == i || x.Neighbour == 2 && i != 2 {
			t.Errorf("rank %d has neighbour %d", i, x.Neighbour)
		}
	}
	if by[2].K != 2 || by[2].LeaveOneOut != maxRatio || by[0].K != 0 {
		t.Errorf("distances %+v", by)
	}
}

// A rank so many times the average of n others away is as rare as one that is factor times a
// well-known average away, among ranks with distances of an exponential distribution.
func TestFactorOfFew(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	const trials = 400_000
	for n := 1; n < factor; n++ {
		far := 0
		for range trials {
			sum := 0.0
			for range n {
				sum += draw.ExpFloat64()
			}
			if draw.ExpFloat64() > factorOfFew(n)*sum/float64(n) {
				far++
			}
		}
		want := trials * math.Exp(-factor)
		if math.Abs(float64(far)-want) > 6*math.Sqrt(want) {
			t.Errorf("%d others: %d of %d are far, want %.0f", n, far, trials, want)
		}
	}
}
