package regression

import (
	"math"

	"laggard/analysis/scaling/recorded"
)

// minScales is how many scales training needs for one to be left out.
const minScales = 4

// heldOutScale is a design without the largest scale of another, which shows how well a
// feature can be predicted one step ahead. Roles and forms are chosen anew for it: of
// few scales some of the many always fit, and only a scale that had no part in the
// choice shows whether that was chance.
type heldOutScale struct {
	smaller *Design
	rows    []recorded.Observation // of the largest scale
	x, y    [][]float64            // the same
}

// newHeldOutScale is nil where there are too few scales.
func newHeldOutScale(t *recorded.Table, d *Design) *heldOutScale {
	scales := recorded.Distinct(d.X, d.scale)
	if len(scales) < minScales {
		return nil
	}
	a, smaller := &heldOutScale{}, &recorded.Table{Sites: t.Sites}
	for i, row := range t.Rows {
		if d.X[i][d.scale] < scales[len(scales)-1] {
			smaller.Rows = append(smaller.Rows, row)
			continue
		}
		a.rows, a.x, a.y = append(a.rows, row), append(a.x, d.X[i]), append(a.y, d.Y[i])
	}
	a.smaller = newDesign(smaller)
	return a
}

// validate holds the classes of a feature to what the smaller scales predict of the largest:
// the worst miss counts like one of a row that was left out.
func (a *heldOutScale) validate(f *Feature, r Role) {
	before := a.smaller.fitFeature(f.Site)
	role, _ := RoleByName(before.Role)
	for i, row := range a.rows {
		in, gap := before.Interval(role, row.Rank, row.Ranks, a.x[i])
		if gap.Cause == Far || gap.Cause == Untried {
			continue
		}
		name, times := r.classOf(row.Rank, row.Ranks)
		for at := range f.Classes {
			if c := &f.Classes[at]; c.Class == name {
				c.recordMiss(a.y[i][f.Site]/times, in.Expected/times, gap)
			}
		}
	}
}

// recordMiss takes up a volume and what was predicted of it, if anything was.
func (c *Class) recordMiss(y, predicted float64, gap Gap) {
	if gap == (Gap{}) {
		c.Worst = max(c.Worst, math.Abs(y-predicted)/max(y, c.Floor))
	}
	c.Predictable = c.Predictable && gap == (Gap{}) && c.Worst <= maxError
}
