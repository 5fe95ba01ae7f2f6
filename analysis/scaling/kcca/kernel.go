package kcca

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// widthSample bounds the rows whose pairwise distances give the median; the
// number of pairs is its square.
const widthSample = 400

// kernelValue is the Gaussian kernel exp(−‖a−b‖²/τ) (paper, Equation 2, with
// τ = 2σ²).
func kernelValue(a, b []float64, tau float64) float64 {
	d := floats.Distance(a, b, 2)
	return math.Exp(-d * d / tau)
}

// gramMatrix is the symmetric matrix of the kernel over all pairs of rows.
func gramMatrix(rows [][]float64, tau float64) *mat.SymDense {
	k := mat.NewSymDense(len(rows), nil)
	for i := range rows {
		for j := i; j < len(rows); j++ {
			k.SetSym(i, j, kernelValue(rows[i], rows[j], tau))
		}
	}
	return k
}

// baseWidth is τ before its factor, by the rule of the settings. It is 1 where all
// rows are the same, so that every kernel value is 1.
func (r WidthRule) baseWidth(rows [][]float64) float64 {
	w := medianDistance(rows)
	if r == NormVariance {
		w = normVariance(rows)
	}
	if w > 0 && !math.IsInf(w, 0) {
		return w
	}
	return 1
}

// medianDistance is the median of ‖xi−xj‖² over the pairs of different rows.
// Beyond widthSample rows it is that of an even sample. Where more than half of
// the pairs coincide it is the mean instead, as a median of 0 says nothing.
func medianDistance(rows [][]float64) float64 {
	rows = sampleEvenly(rows, widthSample)
	var squares []float64
	for i := range rows {
		for j := range i {
			d := floats.Distance(rows[i], rows[j], 2)
			squares = append(squares, d*d)
		}
	}
	if len(squares) == 0 {
		return 0
	}
	slices.Sort(squares)
	n := len(squares)
	if m := (squares[(n-1)/2] + squares[n/2]) / 2; m > 0 {
		return m
	}
	return stat.Mean(squares, nil)
}

// normVariance is the sample variance of ‖xi‖ (paper, §5.2).
func normVariance(rows [][]float64) float64 {
	norms := make([]float64, len(rows))
	for i, row := range rows {
		norms[i] = floats.Norm(row, 2)
	}
	if len(norms) < 2 {
		return 0
	}
	return stat.Variance(norms, nil)
}

// sampleEvenly takes at most limit of the rows, evenly spaced.
func sampleEvenly(rows [][]float64, limit int) [][]float64 {
	if len(rows) <= limit {
		return rows
	}
	sample := make([][]float64, limit)
	for i := range sample {
		sample[i] = rows[i*len(rows)/limit]
	}
	return sample
}
