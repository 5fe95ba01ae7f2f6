package kcca

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// factor is the incomplete Cholesky decomposition of a kernel matrix, K ≈ GGᵀ,
// with the rows chosen as pivots. Bach and Jordan (2003), Figure 2.
type factor struct {
	g      *mat.Dense // row by column, one column for each pivot
	pivots []int      // indices of rows, in order of choice
	rest   float64    // trace of what is left, K − GGᵀ
}

// incompleteCholesky goes on until the trace of the rest is at most tolerance,
// or there are limit pivots. It never forms K: time is rows × pivots², memory
// rows × pivots.
func incompleteCholesky(rows [][]float64, tau, tolerance float64, limit int) *factor {
	n := len(rows)
	limit = min(limit, n)
	g := make([]float64, n*limit)
	diagonal := make([]float64, n)
	for i := range diagonal {
		diagonal[i] = 1
	}
	f := &factor{rest: float64(n)}
	for f.rest > tolerance && len(f.pivots) < limit {
		pivot := floats.MaxIdx(diagonal)
		if diagonal[pivot] <= 1e-13 {
			break
		}
		f.addColumn(rows, tau, pivot, g, limit, diagonal)
	}
	f.g = mat.NewDense(n, limit, g).Slice(0, n, 0, len(f.pivots)).(*mat.Dense)
	return f
}

// addColumn adds the column of a pivot and subtracts it from the remaining diagonal.
func (f *factor) addColumn(rows [][]float64, tau float64, pivot int, g []float64, stride int, diagonal []float64) {
	m := len(f.pivots)
	head := math.Sqrt(diagonal[pivot])
	own := blas64.Vector{N: m, Inc: 1, Data: g[pivot*stride:]}
	f.rest = 0
	for i := range rows {
		row := g[i*stride:]
		before := blas64.Dot(own, blas64.Vector{N: m, Inc: 1, Data: row})
		row[m] = (kernelValue(rows[i], rows[pivot], tau) - before) / head
		diagonal[i] = max(0, diagonal[i]-row[m]*row[m])
		f.rest += diagonal[i]
	}
	diagonal[pivot] = 0
	f.pivots = append(f.pivots, pivot)
}

// lowerTriangle is L, the rows of G at the pivots: lower triangular, with
// G's row of any point being L⁻¹ times its kernel values with the pivots.
func (f *factor) lowerTriangle() *mat.TriDense {
	l := mat.NewTriDense(len(f.pivots), mat.Lower, nil)
	for i, pivot := range f.pivots {
		for j := range i + 1 {
			l.SetTri(i, j, f.g.At(pivot, j))
		}
	}
	return l
}

// centreColumns takes the means off the columns of G and returns them.
func (f *factor) centreColumns() []float64 {
	rows, columns := f.g.Dims()
	means := make([]float64, columns)
	for i := range rows {
		floats.AddScaled(means, 1/float64(rows), f.g.RawRowView(i))
	}
	for i := range rows {
		floats.Sub(f.g.RawRowView(i), means)
	}
	return means
}
