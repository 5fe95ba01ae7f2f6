package regression

import (
	"testing"

	"laggard/analysis/scaling/recorded"
)

// A class that was fitted to points from 8 to 16 ranks reaches two doublings
// further, if it has the points for it, and no further than its form makes sense.
func TestReach(t *testing.T) {
	class := func(points int, coefficients ...float64) *Class {
		form := Form{Coefficients: coefficients}
		if len(coefficients) > 1 {
			form.Terms = []Term{{{Control: recorded.RanksColumn, Power: 1}}}
		}
		return &Class{Forms: []Form{form}, Predictable: true, Points: points, Rows: 40, Floor: 1, Low: []float64{0, 8},
			High: []float64{15, 16}, Values: []int{1, points}}
	}
	for _, one := range []struct {
		name  string
		class *Class
		ranks float64
		ok    bool
	}{
		{"within training", class(5, 0, 100), 12, true},
		{"two doublings on", class(5, 0, 100), 64, true},
		{"three", class(5, 0, 100), 128, false},
		{"two doublings with two points", class(2, 0, 100), 64, false},
		{"smaller than training", class(5, 0, 100), 4, false},
		{"still above nothing", class(5, 3000, -100), 20, true},
		{"below nothing", class(5, 3000, -100), 40, false},
		{"nothing, as always", class(5, 0), 40, true},
	} {
		if _, gap := one.class.intervalAt([]float64{0, one.ranks}); gap == (Gap{}) != one.ok {
			t.Errorf("%s: %v", one.name, gap)
		}
	}
}
