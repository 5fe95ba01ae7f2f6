package regression

import (
	"cmp"
	"math"
	"slices"

	"laggard/analysis/scaling/recorded"
	"laggard/internal/parallel"
)

// particular is what a further role must be better by.
const particular = 0.8

// fitFeature models one site. Among the roles it takes the one that predicts
// best with the simple forms; a role with more classes must be better.
func (d *Design) fitFeature(site int) Feature {
	typical := d.typicalVolumes(site)
	best, bestError := []*classFit(nil), math.Inf(1)
	f, role := Feature{Site: site}, Role{}
	for i, r := range roles {
		fits, e := d.tryRole(site, d.sorted[i], typical)
		if e < bestError*particular-1e-9 || best == nil {
			best, bestError, f.Role, role = fits, e, r.name, r
		}
		if bestError < goodEnough {
			break
		}
	}
	for _, fit := range best {
		f.Classes = append(f.Classes, fit.refineClass())
	}
	slices.SortFunc(f.Classes, func(a, b Class) int { return cmp.Compare(a.Class, b.Class) })
	if d.heldOut != nil {
		d.heldOut.validate(&f, role)
	}
	return f
}

// tryRole gives the root mean square of the errors of all rows, as a share of
// what is typical.
func (d *Design) tryRole(site int, s roleClasses, typical []float64) ([]*classFit, float64) {
	var fits []*classFit
	squares := 0.0
	for c, points := range d.pointsByClass(site, s) {
		f := newClassFit(d, s.classes[c], points, typical)
		f.searchForms()
		fits = append(fits, f)
		squares += f.sumSquares()
	}
	return fits, math.Sqrt(squares/float64(len(d.Y))) * (1 + 0.05*float64(len(fits)-1))
}

// typicalVolumes is by condition the mean volume of a site, or a fiftieth of the
// largest mean where that is more: the unit of errors, so that roles compare.
func (d *Design) typicalVolumes(site int) []float64 {
	sums, counts := make([]float64, len(d.conditions)), make([]float64, len(d.conditions))
	for i, y := range d.Y {
		sums[d.conditionOf[i]] += y[site]
		counts[d.conditionOf[i]]++
	}
	top := 0.0
	for i := range sums {
		sums[i] /= counts[i]
		top = max(top, sums[i])
	}
	for i := range sums {
		sums[i] = max(sums[i], top/50, math.SmallestNonzeroFloat32)
	}
	return sums
}

// newClass is the model of the class.
func (f *classFit) newClass() Class {
	best := f.best()
	c := Class{Class: f.class, Floor: f.floor, Points: len(f.points)}
	rows := 0.0
	for i, p := range f.points {
		w, at := f.w[i], best.without[i]
		rows += p.n
		c.Sigma += (p.squares + p.n*square(p.mean-at)) * w * w
		c.Worst = max(c.Worst, (p.high-at)*w, (at-p.low)*w)
		c.extendBounds(f.d.conditions[p.condition], f.d.leftOut)
	}
	c.Values = f.distinctCounts()
	c.Rows, c.Forms = int(rows), f.plausibleForms(best, c.High)
	c.Sigma = math.Sqrt(c.Sigma / max(1, rows-1))
	c.Predictable = best.form.Error <= maxError && c.Sigma <= maxError
	return c
}

// distinctCounts counts the values of each control.
func (f *classFit) distinctCounts() []int {
	var x [][]float64
	for _, p := range f.points {
		x = append(x, f.d.conditions[p.condition])
	}
	counts := make([]int, len(x[0]))
	for c := range counts {
		counts[c] = len(recorded.Distinct(x, c))
	}
	return counts
}

// extendBounds takes a condition into the bounds. Controls that are left out have none.
func (c *Class) extendBounds(x []float64, left []int) {
	if c.Low == nil {
		c.Low, c.High = slices.Clone(x), slices.Clone(x)
	}
	for _, i := range left {
		c.Low[i], c.High[i] = -recorded.Largest, recorded.Largest
	}
	for i, v := range x {
		c.Low[i], c.High[i] = min(c.Low[i], v), max(c.High[i], v)
	}
}

// plausibleForms gives the best form and those others, of nearly the same error, that
// predict least and most at twice and at eight times the largest scale.
func (f *classFit) plausibleForms(best candidate, high []float64) []Form {
	kept := []Form{best.form}
	for _, factor := range []float64{2, 8} {
		x := slices.Clone(high)
		for _, c := range f.d.columns {
			x[c] *= factor
		}
		for _, sign := range []float64{1, -1} {
			far := best.form
			for _, c := range f.forms {
				if c.cost <= doubt*best.cost && sign*c.form.Value(x) > sign*far.Value(x) {
					far = c.form
				}
			}
			if !slices.ContainsFunc(kept, func(k Form) bool { return slices.Equal(k.Coefficients, far.Coefficients) }) {
				kept = append(kept, far)
			}
		}
	}
	return kept
}

// FitFeatures models every site that is part modulo parts, on all cores.
func (d *Design) FitFeatures(part, parts int) []Feature {
	n := (len(d.Y[0]) - part + parts - 1) / parts
	features := make([]Feature, max(n, 0))
	parallel.ForEach(len(features), func(i int) { features[i] = d.fitFeature(part + i*parts) })
	return features
}
