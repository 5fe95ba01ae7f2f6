package regression

import (
	"fmt"
	"math"
	"slices"

	"laggard/analysis/scaling/file"
	"laggard/analysis/scaling/recorded"
)

// Design is what the fits of all features share: which rows were told the same
// (conditions), and the values of all terms there.
type Design struct {
	X           [][]float64 // by row
	Y           [][]float64
	conditions  [][]float64 // distinct rows of X; the rank and what is left out are 0
	conditionOf []int       // by row: its condition
	columns     []int       // of X, that vary and are used
	leftOut     []int       // of X, that vary and are left out
	scale       int         // the column that says how large a run is
	factors     []Factor
	values      [][]float64   // by factor, by condition
	sorted      []roleClasses // by role
	heldOut     *heldOutScale // nil: there are too few scales for a trial
}

// roleClasses is a role applied to all rows.
type roleClasses struct {
	classes []string
	classOf []int // by row: its class
	times   []float64
}

// NewDesign makes it of a canonical table.
func NewDesign(t *recorded.Table) *Design {
	d := newDesign(t)
	d.heldOut = newHeldOutScale(t, d)
	return d
}

func newDesign(t *recorded.Table) *Design {
	x, y := t.Matrices()
	d := &Design{X: x, Y: y, scale: recorded.ScaleColumn(x)}
	d.chooseColumns(t)
	d.groupConditions()
	for _, c := range d.columns {
		for _, f := range factorsOf(c) {
			d.addFactor(f)
		}
	}
	for _, r := range roles {
		d.sorted = append(d.sorted, r.classifyRows(t.Rows))
	}
	return d
}

// chooseColumns lists the columns of X, beside rank, that are not constant. A control
// that differs from rank to rank of one run is left out where it makes nearly
// every row a condition of its own: nothing is then left to compare.
func (d *Design) chooseColumns(t *recorded.Table) {
	var perRank []int
	for c := recorded.RanksColumn; c < len(d.X[0]); c++ {
		switch {
		case len(recorded.Distinct(d.X, c)) == 1:
		case d.variesWithinRun(t, c):
			perRank = append(perRank, c)
		default:
			d.columns = append(d.columns, c)
		}
	}
	d.leftOut = slices.Clone(perRank)
	for i, c := range perRank {
		before := len(d.columns)
		d.columns = append(d.columns, c)
		d.leftOut = slices.DeleteFunc(slices.Clone(d.leftOut), func(l int) bool { return l == c })
		d.groupConditions()
		if 3*len(d.conditions) > len(d.X) {
			d.columns, d.leftOut = d.columns[:before], append(d.leftOut, perRank[i])
		}
	}
}

func (d *Design) variesWithinRun(t *recorded.Table, c int) bool {
	first := make(map[string]float64)
	for i, row := range t.Rows {
		v, known := first[row.Run]
		if known && v != d.X[i][c] {
			return true
		}
		first[row.Run] = d.X[i][c]
	}
	return false
}

// groupConditions finds the conditions, in the order of their values.
func (d *Design) groupConditions() {
	keys := make([][]float64, len(d.X))
	for i, row := range d.X {
		keys[i] = slices.Clone(row)
		keys[i][0] = 0
		for _, c := range d.leftOut {
			keys[i][c] = 0
		}
	}
	d.conditions = slices.Clone(keys)
	slices.SortFunc(d.conditions, slices.Compare)
	d.conditions = slices.CompactFunc(d.conditions, slices.Equal)
	d.conditionOf = make([]int, len(keys))
	for i, key := range keys {
		d.conditionOf[i], _ = slices.BinarySearchFunc(d.conditions, key, slices.Compare)
	}
}

// addFactor enters a factor if it has a finite value in each condition.
func (d *Design) addFactor(f Factor) {
	values := make([]float64, len(d.conditions))
	for i, x := range d.conditions {
		values[i] = f.value(x)
		if !(math.Abs(values[i]) < recorded.Largest) {
			return
		}
	}
	d.factors, d.values = append(d.factors, f), append(d.values, values)
}

func (r Role) classifyRows(rows []recorded.Observation) roleClasses {
	s := roleClasses{classOf: make([]int, len(rows)), times: make([]float64, len(rows))}
	index := make(map[string]int)
	for i, row := range rows {
		class, times := r.classOf(row.Rank, row.Ranks)
		at, known := index[class]
		if !known {
			at = len(s.classes)
			index[class] = at
			s.classes = append(s.classes, class)
		}
		s.classOf[i], s.times[i] = at, times
	}
	return s
}

// point sums up the rows of one class under one condition.
type point struct {
	condition int
	n         float64
	mean      float64
	squares   float64 // of differences from the mean
	low, high float64
	times     float64 // mean square of the rows' multiples
}

func (p *point) add(y, times float64) {
	if p.n == 0 {
		p.low, p.high = y, y
	}
	p.n++
	before := y - p.mean
	p.mean += before / p.n
	p.squares += before * (y - p.mean)
	p.low, p.high = min(p.low, y), max(p.high, y)
	p.times += (times*times - p.times) / p.n
}

// pointsByClass gives those of each class, for one site under one role.
func (d *Design) pointsByClass(site int, s roleClasses) [][]point {
	at := make([]int, len(s.classes)*len(d.conditions))
	out := make([][]point, len(s.classes))
	for i, y := range d.Y {
		class := s.classOf[i]
		slot := &at[class*len(d.conditions)+d.conditionOf[i]]
		if *slot == 0 {
			out[class] = append(out[class], point{condition: d.conditionOf[i]})
			*slot = len(out[class])
		}
		out[class][*slot-1].add(y[site]/s.times[i], s.times[i])
	}
	for _, points := range out {
		slices.SortFunc(points, func(a, b point) int { return a.condition - b.condition })
	}
	return out
}

// RoleByName finds a role of a model file. The error wraps ErrCorrupt.
func RoleByName(name string) (Role, error) {
	for _, r := range roles {
		if r.name == name {
			return r, nil
		}
	}
	return Role{}, fmt.Errorf("role %q: %w", name, file.ErrCorrupt)
}
