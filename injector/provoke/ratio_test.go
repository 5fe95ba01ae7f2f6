package provoke

import (
	"math"
	"testing"
)

// TestChance: known values of Fisher's exact test.
func TestChance(t *testing.T) {
	for _, c := range []struct {
		with, without Ratio
		want          float64
	}{
		{Ratio{1, 10}, Ratio{0, 10}, 0.5},
		{Ratio{3, 4}, Ratio{1, 4}, 17.0 / 70}, // Fisher's tea
		{Ratio{10, 10}, Ratio{0, 10}, 1.0 / 184756},
		{Ratio{0, 10}, Ratio{3, 10}, 1},
		{Ratio{2, 2}, Ratio{}, 1},
	} {
		if got := c.with.chance(c.without); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v, %v: %v, not %v", c.with, c.without, got, c.want)
		}
	}
}

func TestIsSurelyMoreOften(t *testing.T) {
	for _, c := range []struct {
		with, without Ratio
		want          bool
	}{
		{Ratio{1, 10}, Ratio{0, 10}, false},
		{Ratio{3, 10}, Ratio{1, 10}, false},
		{Ratio{3, 3}, Ratio{0, 3}, false},
		{Ratio{4, 4}, Ratio{0, 4}, true},
		{Ratio{6, 10}, Ratio{0, 10}, true},
		{Ratio{8, 40}, Ratio{0, 40}, true},
		{Ratio{40, 40}, Ratio{25, 40}, false}, // not more than twice as often
		{Ratio{}, Ratio{}, false},
	} {
		if got := c.with.isSurelyMoreOften(c.without); got != c.want {
			t.Errorf("%v, %v: %v", c.with, c.without, got)
		}
	}
}
