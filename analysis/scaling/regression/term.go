package regression

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"laggard/analysis/scaling/recorded"
)

// Factor is one factor of a term, v^Power · log₂ʲ v of one control feature v.
// Trees of messages have whole numbers of levels: their factors are the
// logarithms rounded up or down. A rank has one peer less than there are ranks.
type Factor struct {
	Control int     `json:"control"`        // column of X: 1 ranks, from 2 the named controls
	Less    float64 `json:"less,omitempty"` // v is the control less this
	Power   float64 `json:"power,omitempty"`
	Log     int     `json:"log,omitempty"` // exponent of log₂ v
	Round   int     `json:"round,omitempty"`
}

// Values of Factor.Round.
const (
	roundUp   = 1
	roundDown = -1
)

func (f Factor) value(x []float64) float64 {
	v := x[f.Control] - f.Less
	if v <= 0 {
		return math.NaN()
	}
	log := math.Log2(v)
	switch f.Round {
	case roundUp:
		log = math.Ceil(log - 1e-9)
	case roundDown:
		log = math.Floor(log + 1e-9)
	}
	return math.Pow(v, f.Power) * math.Pow(log, float64(f.Log))
}

// Term is a product of factors.
type Term []Factor

func (t Term) value(x []float64) float64 {
	product := 1.0
	for _, f := range t {
		product *= f.value(x)
	}
	return product
}

// factorsOf lists the factors of one control in Extra-P's normal form, with
// negative powers for what strong scaling divides.
func factorsOf(control int) []Factor {
	var all []Factor
	if control == recorded.RanksColumn {
		all = append(all, Factor{Control: control, Power: 1, Less: 1})
	}
	for _, power := range []float64{1, 2, 0.5, -1, -0.5, -2. / 3, 3, 1.5, 1. / 3, 2. / 3} {
		all = append(all, Factor{Control: control, Power: power})
	}
	all = append(all, Factor{Control: control, Log: 1}, Factor{Control: control, Log: 1, Round: roundUp})
	for _, power := range []float64{0.25, 0.75, 4. / 3, -1. / 3, -2} {
		all = append(all, Factor{Control: control, Power: power})
	}
	all = append(all, Factor{Control: control, Log: 2})
	for _, log := range []int{1, 2} {
		for _, power := range []float64{1, 2, 0.5, 1.5, 3, 1. / 3, 2. / 3, 0.25, 0.75, 4. / 3} {
			all = append(all, Factor{Control: control, Power: power, Log: log})
		}
	}
	for _, power := range []float64{0, 1} {
		all = append(all, Factor{Control: control, Power: power, Log: 1, Round: roundDown})
	}
	return append(all, Factor{Control: control, Power: 1, Log: 1, Round: roundUp})
}

// isPlain factors are preferred and, for products of two controls, tried first.
func (f Factor) isPlain() bool {
	switch f.Log {
	case 0:
		return slices.Contains([]float64{1, 2, 0.5, -1, -0.5, -2. / 3, 3, 1.5, 1. / 3, 2. / 3}, f.Power)
	case 1:
		return f.Power == 0 && f.Round != roundDown
	}
	return false
}

// Form is one hypothesis: Coefficients[0] + Σ Coefficients[k+1]·Terms[k].
type Form struct {
	Terms        []Term    `json:"terms,omitempty"`
	Coefficients []float64 `json:"coefficients"`
	// Error is that of points left out, as a share of their value; the largest
	// scale counts as much as all others together.
	Error float64 `json:"error"`
}

// Value is what the form predicts; NaN where a control is not positive.
func (f Form) Value(x []float64) float64 {
	v := f.Coefficients[0]
	for k, t := range f.Terms {
		v += f.Coefficients[k+1] * t.value(x)
	}
	return v
}

// Text writes the form with the names of the columns of X: rank, ranks, then
// Model.Controls.
func (f Form) Text(names []string) string {
	parts := []string{fmt.Sprintf("%.4g", f.Coefficients[0])}
	for k, t := range f.Terms {
		s := fmt.Sprintf("%.4g", f.Coefficients[k+1])
		for _, factor := range t {
			s += factor.text(names[factor.Control])
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " + ")
}

func (f Factor) text(name string) string {
	s := ""
	if f.Less != 0 {
		name = fmt.Sprintf("(%s-%g)", name, f.Less)
	}
	switch f.Power {
	case 0:
	case 1:
		s += "·" + name
	default:
		s += fmt.Sprintf("·%s^%.4g", name, f.Power)
	}
	if f.Log != 0 {
		log := map[int]string{roundUp: "⌈log2 %s⌉", roundDown: "⌊log2 %s⌋", 0: "log2(%s)"}[f.Round]
		s += "·" + fmt.Sprintf(log, name)
		if f.Log > 1 {
			s += fmt.Sprintf("^%d", f.Log)
		}
	}
	return s
}
