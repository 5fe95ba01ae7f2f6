package judge

import (
	"cmp"
	"math"
	"slices"

	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/regression"
)

// comparison compares what a row sent at each site with what was predicted.
type comparison struct {
	sites     []siteComparison
	total     float64 // bytes, the larger of sent and predicted
	predicted float64 // of these, at sites that are predicted
	// switched are the sites of calls for which a library may choose another
	// algorithm.
	switched float64
	far      bool // more than a step of scale from training
}

// siteComparison is one site. Without a prediction its volume is no evidence.
type siteComparison struct {
	site     recorded.Site
	observed float64
	interval regression.Interval
	forecast bool
	gap      regression.Gap // why there is no forecast
	fresh    bool           // training did not have the site
}

func (b *matchedModel) compareRow(row recorded.Observation, x, y []float64, fresh map[int]float64) *comparison {
	c, beyond, twins := &comparison{far: !b.isNear(x)}, b.isBeyondTraining(x), b.twins.groupOf(x)
	add := func(s siteComparison) {
		if beyond && b.switching[s.site.Call()] {
			c.switched += max(s.observed, s.interval.Expected)
			s = siteComparison{site: s.site, observed: s.observed, gap: regression.Gap{Cause: Switching}, fresh: s.fresh}
		}
		c.add(s)
	}
	for i := range b.m.Features {
		s := siteComparison{site: b.m.Sites[i], observed: y[i]}
		told := len(twins) > 0
		if told && b.twins.canPredict(i) {
			s.interval, s.forecast = b.twins.intervalFor(twins, i, b.roles[i], row, x), true
		} else if s.predict(&b.m.Features[i], b.roles[i], row, x); told && !s.forecast {
			s.gap = regression.Gap{Cause: Unrepeated}
		}
		add(s)
	}
	for site := range b.t.Sites {
		if bytes := fresh[site]; bytes > 0 {
			add(siteComparison{site: b.t.Sites[site], observed: bytes, forecast: true, fresh: true})
		}
	}
	return c
}

// predict takes the prediction of the site's scaling model.
func (s *siteComparison) predict(f *regression.Feature, r regression.Role, row recorded.Observation, x []float64) {
	s.interval, s.gap = f.Interval(r, row.Rank, row.Ranks, x)
	if s.site.Feature == recorded.DistanceFeature && s.interval.Expected > float64(row.Ranks)/2 {
		// Nothing is so far on a ring: in training the way round was the shorter one.
		s.gap = regression.Gap{Cause: regression.Irregular}
	}
	s.forecast = s.gap == regression.Gap{}
}

func (c *comparison) add(s siteComparison) {
	c.sites = append(c.sites, s)
	if s.site.Feature != "" {
		return
	}
	expected := 0.0
	if s.forecast {
		expected = s.interval.Expected
		c.predicted += max(s.observed, expected)
	}
	c.total += max(s.observed, expected)
}

// coveredShare is the share of the volume at sites that are predicted. It is 1 for a
// rank that sends nothing and was expected to send nothing.
func (c *comparison) coveredShare() float64 {
	if c.total == 0 {
		return 1
	}
	return c.predicted / c.total
}

func (c *comparison) deviations() []Deviation {
	var out []Deviation
	for _, s := range c.sites {
		if c.isDeviation(s) {
			out = append(out,
				Deviation{Site: s.site.Key(), Observed: s.observed, Interval: s.interval, Inside: s.site.BelowMPICall()})
		}
	}
	slices.SortStableFunc(out, func(a, b Deviation) int { return cmp.Compare(b.difference(), a.difference()) })
	return out
}

func (d Deviation) difference() float64 { return math.Abs(d.Observed - d.Interval.Expected) }

// peersMoved reports whether the peers of a call site are elsewhere than predicted. If
// less than half of the volume is predicted, the program divides its work
// differently at each scale, its neighbours change with that, and nothing is
// reported; nor is it where they follow a law only roughly. Whether a call site sends
// at all is judged by its bytes. An average
// over many peers varies with the scale in ways that a few points do not show, so
// far from training more deviation is accepted.
func (c *comparison) peersMoved(s siteComparison) bool {
	away := math.Abs(s.observed - s.interval.Expected)
	switch {
	case c.coveredShare() < halfCovered, s.observed == 0, !s.isSharp():
		return false
	case c.far && away < farDistance*max(s.observed, s.interval.Expected):
		return false
	}
	return c.bytesOf(s.site) >= minShare*c.total
}

// bytesOf is what was sent from the call site of another observation.
func (c *comparison) bytesOf(site recorded.Site) float64 {
	key := recorded.Site{Frames: site.Frames}.Key()
	for _, s := range c.sites {
		if s.site.Feature == "" && s.site.Key() == key {
			return s.observed
		}
	}
	return 0
}

// isSharp: the prediction is so narrow that it counts even in a program of which most
// cannot be predicted.
func (s siteComparison) isSharp() bool {
	return s.interval.Expected > 0 && s.interval.High-s.interval.Low <= 2*sharpWidth*s.interval.Expected
}

func (c *comparison) isDeviation(s siteComparison) bool {
	if !s.forecast || s.observed >= s.interval.Low && s.observed <= s.interval.High {
		return false
	}
	switch {
	case s.site.Feature != "":
		return c.peersMoved(s)
	case c.coveredShare() < halfCovered && !s.isSharp():
		return false
	}
	limit := minShare
	if s.interval.Expected == 0 {
		limit = minNewShare
	}
	if s.site.BelowMPICall() {
		limit = minPathShare
	}
	return math.Abs(s.observed-s.interval.Expected) >= limit*c.total
}
