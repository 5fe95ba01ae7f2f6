package regression

import (
	"cmp"
	"math"
	"slices"
)

const (
	goodEnough = 0.005 // error below which no further hypotheses are tried
	shortlist  = 4     // forms that are tried again with changes
	doubt      = 2     // hypotheses with an error up to this factor are not excluded
	simpler    = 1.25  // what one more coefficient must be better by
	changing   = 1.1   // what one more term must be better by
	plainer    = 1.25  // what a factor that is not plain must be better by
	jump       = 0.015 // error beyond which a class may have changed its ways
	clearly    = 3     // what leaving out smaller scales must be better by
	minPoints  = 4     // that are left for what came after
	levels     = 3     // different values of a rounded logarithm; two are but a step
)

// spare is how many points a form needs, by the number of its coefficients.
var spare = [maxCoefficients + 1]int{0, 1, 3, 7}

// classFit is the search for the form of one class.
type classFit struct {
	d       *Design
	class   string
	points  []point
	typical []float64 // by condition: the volume of the site
	y, w    []float64 // by point: its mean, and the weight of its error
	one     []float64
	last    []bool // the point is of the largest scale
	floor   float64
	noise   float64 // error of the points themselves, as far as their rows tell
	fitter  fitter
	forms   []candidate
}

// candidate is a form that was tried.
type candidate struct {
	form    Form
	without []float64 // by point: what the form predicts from the others
	// products are its terms, each as factors: indices into the design's factors.
	products [][]int
	cost     float64 // its error and the noise, more for one that is less simple
}

// sumSquares is the sum over rows of squared errors, as shares of what is typical.
func (f *classFit) sumSquares() float64 {
	best, sum := f.best(), 0.0
	for i, p := range f.points {
		miss := p.squares + p.n*square(p.mean-best.without[i])
		sum += miss * p.times / square(f.typical[p.condition])
	}
	return sum
}

func square(v float64) float64 { return v * v }

func newClassFit(d *Design, class string, points []point, typical []float64) *classFit {
	f := &classFit{d: d, class: class, points: points, typical: typical}
	top := 0.0
	for _, p := range points {
		top = max(top, d.conditions[p.condition][d.scale])
		f.floor = max(f.floor, typical[p.condition]/1000, p.mean/100)
	}
	for _, p := range points {
		f.y = append(f.y, p.mean)
		f.w = append(f.w, 1/max(p.mean, f.floor))
		f.one = append(f.one, 1)
		f.last = append(f.last, d.conditions[p.condition][d.scale] == top)
		if p.n > 1 {
			f.noise += p.squares / p.n / (p.n - 1) / square(max(p.mean, f.floor))
		}
	}
	f.noise = math.Sqrt(f.noise / float64(len(points)))
	return f
}

// searchForms tries a constant, each term, and the products of plain terms of two
// controls.
func (f *classFit) searchForms() {
	f.tryForm()
	if f.best().form.Error < 1e-9 {
		return
	}
	for a := range f.d.factors {
		f.tryForm([]int{a})
	}
	for a := range f.d.factors {
		for b := range a {
			if f.d.factors[a].isPlain() && f.d.factors[b].isPlain() {
				f.tryProduct(b, a)
			}
		}
	}
}

// refineClass tries the best forms again with a factor changed or added, or with a
// second term. If nothing fits, the volume may have jumped where a library
// changed to another algorithm: then it models what came after.
func (f *classFit) refineClass() Class {
	if f.best().form.Error >= goodEnough {
		for _, first := range f.bestSingleTerms() {
			for t := range f.d.factors {
				f.tryVariations(first, t)
			}
		}
	}
	if e := f.best().form.Error; e > jump {
		if later := f.fitAfterJump(e / clearly); later != nil {
			return later.newClass()
		}
	}
	return f.newClass()
}

// fitAfterJump leaves out the smallest scales, as few as it takes.
func (f *classFit) fitAfterJump(enough float64) *classFit {
	for drop := 1; len(f.points)-drop >= minPoints; drop++ {
		at := f.points[drop].condition
		if f.d.conditions[at][f.d.scale] == f.d.conditions[f.points[drop-1].condition][f.d.scale] {
			continue
		}
		later := newClassFit(f.d, f.class, f.points[drop:], f.typical)
		later.searchForms()
		if later.best().form.Error <= enough {
			return later
		}
	}
	return nil
}

// tryVariations tries a form of one term with factor t: added, in the place of the one
// of the same control, or as a term of its own.
func (f *classFit) tryVariations(product []int, t int) {
	for i, a := range product {
		if f.controlOf(a) == f.controlOf(t) {
			changed := slices.Clone(product)
			changed[i] = t
			f.tryForm(changed)
			f.tryForm(product, []int{t})
			return
		}
	}
	f.tryProduct(append(slices.Clone(product), t)...)
	f.tryForm(product, []int{t})
}

func (f *classFit) controlOf(factor int) int { return f.d.factors[factor].Control }

// tryProduct tries the product of terms of different controls.
func (f *classFit) tryProduct(terms ...int) {
	for i, a := range terms {
		for _, b := range terms[:i] {
			if f.controlOf(a) == f.controlOf(b) {
				return
			}
		}
	}
	f.tryForm(terms)
}

// productColumn is the product of terms at the conditions of the class.
func (f *classFit) productColumn(product []int) []float64 {
	out := make([]float64, len(f.points))
	for i, p := range f.points {
		out[i] = 1
		for _, t := range product {
			out[i] *= f.d.values[t][p.condition]
		}
	}
	return out
}

// bestSingleTerms gives the best forms of one term, as its factors.
func (f *classFit) bestSingleTerms() [][]int {
	single := slices.DeleteFunc(slices.Clone(f.forms), func(c candidate) bool { return len(c.products) != 1 })
	slices.SortStableFunc(single, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) })
	var products [][]int
	for _, c := range single[:min(shortlist, len(single))] {
		products = append(products, c.products[0])
	}
	return products
}

// tryForm fits the hypothesis with these terms, each a product, with a constant and
// without.
func (f *classFit) tryForm(products ...[]int) {
	for _, product := range products {
		for _, t := range product {
			if !f.hasEnoughValues(t) {
				return
			}
		}
	}
	f.fitForm(products, true)
	if len(products) > 0 {
		f.fitForm(products, false)
	}
}

// fitForm keeps the form if the data determines it.
func (f *classFit) fitForm(products [][]int, constant bool) {
	var columns [][]float64
	if constant {
		columns = append(columns, f.one)
	}
	for _, product := range products {
		columns = append(columns, f.productColumn(product))
	}
	if len(f.points) < spare[len(columns)] {
		return
	}
	coefficients, ok := f.fitter.fitWeighted(columns, f.y, f.w)
	without := slices.Clone(f.fitter.without)
	switch {
	case !ok && len(products) > 0:
		return
	case !ok:
		// A single point predicts itself; Class.Points remembers that.
		coefficients, without = []float64{f.y[0]}, slices.Clone(f.y)
	case !constant:
		coefficients = append([]float64{0}, coefficients...)
	}
	c := candidate{form: Form{Coefficients: coefficients, Error: f.leaveOneOutError(without)}, without: without,
		products: products}
	c.cost = (math.Hypot(c.form.Error, f.noise) + 1e-9) * f.complexity(len(columns), products)
	for _, product := range products {
		c.form.Terms = append(c.form.Terms, f.newTerm(product))
	}
	f.forms = append(f.forms, c)
}

func (f *classFit) newTerm(product []int) Term {
	var t Term
	for _, factor := range product {
		t = append(t, f.d.factors[factor])
	}
	return t
}

// complexity is by what factor a form must be better than a constant.
func (f *classFit) complexity(coefficients int, products [][]int) float64 {
	factor := math.Pow(simpler, float64(coefficients-1))
	for _, product := range products {
		factor *= changing
		for _, t := range product {
			if !f.d.factors[t].isPlain() {
				factor *= plainer
			}
		}
	}
	return factor
}

// hasEnoughValues: the factor takes enough different values to tell a trend from a step,
// or as many as its control does.
func (f *classFit) hasEnoughValues(factor int) bool {
	enough := levels
	if f.d.factors[factor].Round == 0 {
		enough = 2
	}
	var seen []float64
	for _, p := range f.points {
		if v := f.d.values[factor][p.condition]; !slices.Contains(seen, v) {
			seen = append(seen, v)
		}
		if len(seen) == enough {
			return true
		}
	}
	return false
}

// leaveOneOutError is the root mean square of the relative errors of points left out, half
// of it from the points of the largest scale: that is what will be asked.
func (f *classFit) leaveOneOutError(without []float64) float64 {
	var all, last, n, lasts float64
	for i, v := range without {
		e := square((f.y[i] - v) * f.w[i])
		all += e
		n++
		if f.last[i] {
			last += e
			lasts++
		}
	}
	return math.Sqrt((all/n + last/lasts) / 2)
}

// best is the form with the smallest cost.
func (f *classFit) best() candidate {
	return slices.MinFunc(f.forms, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) })
}
