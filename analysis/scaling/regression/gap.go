package regression

import "math"

// Cause says why a volume is not predicted.
type Cause string

// The causes. The last two can be mended by training on runs that are closer in one
// control.
const (
	// Irregular: no form fits the volumes of training, or those that fit say nothing
	// definite so far out.
	Irregular Cause = "irregular"
	// Far: the control is further beyond training than its points reach.
	Far Cause = "far"
	// Untried: the control is below its values in training, or differs where it
	// had only one.
	Untried Cause = "untried"
)

// Gap says why a class cannot be predicted for a row. The zero Gap: it can.
type Gap struct {
	Cause Cause
	// Control is the column of the control that is Far or Untried; Needed is a value of
	// it that training must reach, for Far at least, else the value of the row.
	Control int
	Needed  float64
}

// gapAt looks at what is known without the forms.
func (c *Class) gapAt(x []float64) Gap {
	if !c.Predictable {
		return Gap{Cause: Irregular}
	}
	for i := 1; i < len(c.Low); i++ {
		switch {
		case c.isUntried(x, i):
			return Gap{Untried, i, x[i]}
		case c.isTooFar(x, i):
			return Gap{Far, i, c.neededValue(x, i)}
		}
	}
	return Gap{}
}

// isTooFar: few values do not reach far, nor do those that are close together.
func (c *Class) isTooFar(x []float64, i int) bool {
	steps := doublings(x[i], c.High[i])
	return steps > float64(c.Values[i]-1) || c.Low[i] > 0 && steps > reach*math.Log2(c.High[i]/c.Low[i])
}

// neededValue is the least value of a control that is too far which, as the largest of
// training, would do: one more value reaches one doubling further, and training must
// span so much that it reaches the row.
func (c *Class) neededValue(x []float64, i int) float64 {
	least := x[i] / math.Exp2(float64(c.Values[i]))
	if c.Low[i] > 0 {
		least = max(least, math.Pow(x[i]*math.Pow(c.Low[i], reach), 1./(1+reach)))
	}
	return least
}

// isUntried: the row is smaller than anything in training, where libraries may
// choose other algorithms, or differs in a control that did not vary.
func (c *Class) isUntried(x []float64, i int) bool {
	return x[i] < c.Low[i] || c.Low[i] == c.High[i] && x[i] != c.Low[i]
}
