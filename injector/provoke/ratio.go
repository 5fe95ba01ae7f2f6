package provoke

import (
	"fmt"
	"math"
)

// Ratio is how many of how many runs failed.
type Ratio struct {
	Failed int `json:"failed"` // runs that failed in the same way
	Runs   int `json:"runs"`   // of so many
}

// String is "N of M runs".
func (r Ratio) String() string { return fmt.Sprintf("%d of %d runs", r.Failed, r.Runs) }

// isMoreOften reports whether more than twice the share of runs failed; none is not more often than none.
func (r Ratio) isMoreOften(other Ratio) bool {
	return r.Failed*other.Runs > 2*other.Failed*r.Runs || other.Runs == 0 && r.Failed > 0
}

// mostChance is up to which chance a difference between runs with choices and runs without is put down to the choices. A search may
// ask about several failures, each several times, as runs are added.
const mostChance = 0.02

// isSurelyMoreOften reports whether what was counted is not likely to be chance: a program that fails by itself now and then also fails
// in one of ten runs with choices, and in none of ten without.
func (r Ratio) isSurelyMoreOften(other Ratio) bool {
	return r.isMoreOften(other) && r.chance(other) <= mostChance
}

// chance is how likely as many of all failures, or more, are among these runs if both fail alike (Fisher's exact test).
func (r Ratio) chance(other Ratio) float64 {
	runs, failed := r.Runs+other.Runs, r.Failed+other.Failed
	sum := 0.0
	for k := r.Failed; k <= min(failed, r.Runs); k++ {
		if failed-k <= other.Runs {
			sum += math.Exp(logChoices(r.Runs, k) + logChoices(other.Runs, failed-k) - logChoices(runs, failed))
		}
	}
	return min(sum, 1)
}

// logChoices is the logarithm of in how many ways k of n can be taken.
func logChoices(n, k int) float64 {
	log := func(n int) float64 {
		v, _ := math.Lgamma(float64(n) + 1)
		return v
	}
	return log(n) - log(k) - log(n-k)
}
