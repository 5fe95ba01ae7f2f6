package regression

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Feature is the scaling model of one site: classes of ranks, and for each how
// its volume depends on scale and arguments.
type Feature struct {
	Site int `json:"site"` // index into Model.Sites
	// Role names the way in which ranks are sorted into classes.
	Role    string  `json:"role"`
	Classes []Class `json:"classes"`
}

// Class is the model of one class of ranks. Errors are shares of the volume.
type Class struct {
	Class string `json:"class"`
	// Forms are the best hypothesis, then others that the data does not exclude
	// and that differ most from it further out.
	Forms []Form `json:"forms"`
	// Predictable: points left out were predicted well enough. Else the class is
	// left out of the verdict (WuKong's pruning).
	Predictable bool    `json:"predictable"`
	Sigma       float64 `json:"sigma"`  // standard deviation of rows left out from their prediction
	Worst       float64 `json:"worst"`  // the largest such difference
	Floor       float64 `json:"floor"`  // volume below which shares are taken of this instead
	Points      int     `json:"points"` // conditions it was fitted to
	Rows        int     `json:"rows"`
	// Low and High bound each control in training, Values counts its different values.
	Low    []float64 `json:"low"`
	High   []float64 `json:"high"`
	Values []int     `json:"values"`
}

const (
	// maxError is the error beyond which a class cannot be predicted.
	maxError = 0.25
	// quietError: predictions are never held to be better than this.
	quietError = 0.02
	// tail is the chance that a good volume falls outside its interval on one
	// side. A run has thousands of volumes.
	tail = 1e-5
	// few is the chance that a form is off by more than the margin at points that it
	// was not fitted to, as far as the points that were left out tell. It is larger than
	// tail: all volumes of a run share a form.
	few = 1e-3
	// reach is how many times as far as training spans a control, in doublings, it
	// is predicted beyond.
	reach = 2
	// maxWidth is how wide an interval may be, as a share of the volume, before
	// it says nothing.
	maxWidth = 1.0
)

// Interval is a volume as predicted: the best form, and the bounds outside which
// it is flagged. Bytes.
type Interval struct {
	Expected float64 `json:"expected"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// Interval predicts the volume of a row, or says why that cannot be done.
func (f *Feature) Interval(r Role, rank, ranks int, x []float64) (Interval, Gap) {
	name, times := r.classOf(rank, ranks)
	for i := range f.Classes {
		if c := &f.Classes[i]; c.Class == name {
			in, gap := c.intervalAt(x)
			return Interval{times * in.Expected, times * in.Low, times * in.High}, gap
		}
	}
	return Interval{}, Gap{Cause: Irregular}
}

func (c *Class) intervalAt(x []float64) (Interval, Gap) {
	steps := c.doublingsBeyond(x)
	if gap := c.gapAt(x); gap != (Gap{}) {
		return Interval{}, gap
	}
	if c.Forms[0].Value(x) < -c.Floor {
		return Interval{}, Gap{Cause: Irregular} // nothing sends less than nothing: the form does not hold so far out
	}
	in := Interval{Expected: max(0, c.Forms[0].Value(x))}
	in.Low, in.High = in.Expected, in.Expected
	for _, form := range c.Forms[1:] {
		v := max(0, form.Value(x))
		in.Low, in.High = min(in.Low, v), max(in.High, v)
	}
	base := max(in.Expected, c.Floor)
	half := c.halfWidth() * (1 + steps) * base
	in.Low, in.High = max(0, in.Low-half), in.High+half
	if in.High-in.Low <= 2*maxWidth*base {
		return in, Gap{}
	}
	return in, Gap{Cause: Irregular} // NaN comes here as well
}

// halfWidth is the half width inside the training range, as a share.
func (c *Class) halfWidth() float64 {
	freedom := max(5, c.Rows-len(c.Forms[0].Coefficients))
	return max(Margin(c.Sigma, freedom), 1.5*c.Worst, c.formMargin())
}

// formMargin is what the form itself may be off by: rows of a run do not scatter around
// it independently, so the points count, and of few points many forms fit some well.
func (c *Class) formMargin() float64 {
	used := 0
	for _, v := range c.Forms[0].Coefficients {
		if v != 0 {
			used++
		}
	}
	freedom := max(2, c.Points-used) // of one the quantile says nothing but that nothing is known
	return c.Forms[0].Error * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile(1-few)
}

// Margin is the half width of an interval around a volume that scatters with the
// standard deviation sigma, both as shares; so many degrees of freedom told sigma.
func Margin(sigma float64, freedom int) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile(1 - tail)
	return max(t*sigma, quietError)
}

// Margin is by what share the volume of a row may be off where it is known what to
// expect: that of its class, or the largest with which one can be predicted.
func (f *Feature) Margin(r Role, rank, ranks int, x []float64) float64 {
	name, _ := r.classOf(rank, ranks)
	for i := range f.Classes {
		if c := &f.Classes[i]; c.Class == name && c.gapAt(x) == (Gap{}) {
			return c.halfWidth()
		}
	}
	return maxError
}

// doublingsBeyond counts by how many doublings a row lies outside the training range, in
// the control where that is most.
func (c *Class) doublingsBeyond(x []float64) float64 {
	steps := 0.0
	for i := 1; i < len(c.Low); i++ {
		steps = max(steps, doublings(x[i], c.High[i]))
	}
	return steps
}

// doublings is log₂(v/limit) where v is above, else 0. Around 0 the logarithm
// has no meaning; then every difference is one doubling.
func doublings(v, limit float64) float64 {
	switch {
	case v <= limit:
		return 0
	case limit <= 0:
		return 1
	}
	return math.Log2(v / limit)
}
