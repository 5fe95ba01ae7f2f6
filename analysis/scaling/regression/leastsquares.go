package regression

import "math"

// fitter solves small weighted least squares problems and predicts each point
// from the others, by Gram-Schmidt. Its buffers are used again.
type fitter struct {
	q         [][]float64 // by coefficient, by point: orthonormal
	r         [maxCoefficients][maxCoefficients]float64
	residuals []float64 // residuals, weighted
	without   []float64 // prediction of each point by the others
}

const maxCoefficients = 3

// fitWeighted fits y by the columns, where point i counts with weight w[i] (a factor on
// its residual). It gives the coefficients; without[i] then predicts y[i] from
// the other points. It is false where the columns do not determine them, or
// some point is determined by itself alone.
func (f *fitter) fitWeighted(columns [][]float64, y, w []float64) (coefficients []float64, ok bool) {
	n := len(y)
	f.resize(n)
	for i := range n {
		f.residuals[i] = y[i] * w[i]
	}
	var projected [maxCoefficients]float64
	for k, column := range columns {
		if !f.orthogonalise(k, column, w) {
			return nil, false
		}
		projected[k] = dot(f.q[k], f.residuals)
		for i, q := range f.q[k] {
			f.residuals[i] -= projected[k] * q
		}
	}
	for i := range n {
		leverage := 0.0
		for k := range columns {
			leverage += f.q[k][i] * f.q[k][i]
		}
		if leverage > 1-1e-9 {
			return nil, false
		}
		f.without[i] = y[i] - f.residuals[i]/(1-leverage)/w[i]
	}
	return f.backSubstitute(projected[:len(columns)]), true
}

// orthogonalise takes the earlier directions out of a column, twice, as one
// pass loses digits.
func (f *fitter) orthogonalise(k int, column, w []float64) bool {
	q := f.q[k]
	for i, v := range column {
		q[i] = v * w[i]
	}
	length := math.Sqrt(dot(q, q))
	for j := range k {
		f.r[j][k] = 0
	}
	for range 2 {
		for j := range k {
			p := dot(f.q[j], q)
			f.r[j][k] += p
			for i, v := range f.q[j] {
				q[i] -= p * v
			}
		}
	}
	rest := math.Sqrt(dot(q, q))
	if !(rest > 1e-9*length) {
		return false
	}
	f.r[k][k] = rest
	for i := range q {
		q[i] /= rest
	}
	return true
}

// backSubstitute solves Rc = projected.
func (f *fitter) backSubstitute(projected []float64) []float64 {
	c := make([]float64, len(projected))
	for k := len(projected) - 1; k >= 0; k-- {
		c[k] = projected[k]
		for j := k + 1; j < len(projected); j++ {
			c[k] -= f.r[k][j] * c[j]
		}
		c[k] /= f.r[k][k]
	}
	return c
}

func (f *fitter) resize(n int) {
	if cap(f.residuals) < n {
		f.residuals, f.without = make([]float64, n), make([]float64, n)
		f.q = make([][]float64, maxCoefficients)
		for k := range f.q {
			f.q[k] = make([]float64, n)
		}
	}
	f.residuals, f.without = f.residuals[:n], f.without[:n]
	for k := range f.q {
		f.q[k] = f.q[k][:n]
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
