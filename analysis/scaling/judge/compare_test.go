package judge

import (
	"testing"

	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/regression"
)

func TestDistancesNeedAProgramThatIsPredicted(t *testing.T) {
	c := &comparison{}
	c.add(siteComparison{site: recorded.Site{}, observed: 1000})
	c.add(siteComparison{site: recorded.Site{Feature: recorded.DistanceFeature}, observed: 4,
		interval: regression.Interval{Low: 1, Expected: 1, High: 1}, forecast: true})
	if d := c.deviations(); len(d) != 0 {
		t.Errorf("of a program that is not predicted: %+v", d)
	}
	c.add(siteComparison{site: recorded.Site{}, observed: 1000,
		interval: regression.Interval{Low: 1000, Expected: 1000, High: 1000}, forecast: true})
	if d := c.deviations(); len(d) != 1 || d[0].Observed != 4 {
		t.Errorf("of one that is: %+v", d)
	}
}

// One call site that sends most bytes, one that sends next to none: only the
// neighbours of the first matter, and far from training only if they are well off.
func TestDistancesThatMatter(t *testing.T) {
	heavy, light := []recorded.Frame{{Function: "heavy"}}, []recorded.Frame{{Function: "light"}}
	exactly := func(v float64) regression.Interval { return regression.Interval{Low: v, Expected: v, High: v} }
	for _, one := range []struct {
		name                string
		frames              []recorded.Frame
		observed, predicted float64
		far, deviates       bool
	}{
		{"a wrong neighbour", heavy, 4, 1, false, true},
		{"one step off", heavy, 5.2, 4.8, false, true},
		{"the same far away", heavy, 5.2, 4.8, true, false},
		{"well off far away", heavy, 7, 4.8, true, true},
		{"of few bytes", light, 4, 1, false, false},
		{"where nobody was predicted to send", heavy, 1, 0, false, false},
		{"where nothing was sent", heavy, 0, 2, false, false},
	} {
		c := &comparison{far: one.far}
		c.add(siteComparison{site: recorded.Site{Frames: heavy}, observed: 100000, interval: exactly(100000), forecast: true})
		c.add(siteComparison{site: recorded.Site{Frames: light}, observed: 10, interval: exactly(10), forecast: true})
		c.add(siteComparison{site: recorded.Site{Frames: one.frames, Feature: recorded.DistanceFeature},
			observed: one.observed, interval: exactly(one.predicted), forecast: true})
		if d := c.deviations(); (len(d) == 1) != one.deviates {
			t.Errorf("%s: %+v", one.name, d)
		}
	}
}
