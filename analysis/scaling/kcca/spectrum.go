package kcca

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// spectrum is a kernel matrix over rows as eigenvalues and eigenvectors, with
// what is needed to centre the kernel values of a new row.
type spectrum struct {
	rows    [][]float64
	tau     float64
	values  []float64  // none below 0
	vectors *mat.Dense // a column each
	// means are, exactly, those of the columns of K and mean that of all of it;
	// with a factor, those of the columns of G. nil: the kernel is not centred.
	means []float64
	mean  float64
	// With an incomplete Cholesky decomposition:
	factor   *factor
	triangle *mat.TriDense
	inner    *mat.Dense // eigenvectors of GᵀG
}

func (sp *spectrum) rowCount() int { return len(sp.rows) }

// exactSpectrum decomposes the whole kernel matrix: rows³ time, rows² memory.
func exactSpectrum(rows [][]float64, tau float64, s Settings) (*spectrum, error) {
	k := gramMatrix(rows, tau)
	sp := &spectrum{rows: rows, tau: tau}
	if s.Formulation != Kernlab {
		sp.means, sp.mean = columnMeans(k)
		centreMatrix(k, sp.means, sp.mean)
	}
	var err error
	sp.values, sp.vectors, err = eigenDecompose(k)
	return sp, err
}

// lowRankSpectrum decomposes GGᵀ of an incomplete Cholesky decomposition by way
// of the smaller GᵀG.
func lowRankSpectrum(rows [][]float64, tau, tolerance float64, limit int, s Settings) (*spectrum, error) {
	f := incompleteCholesky(rows, tau, tolerance, limit)
	sp := &spectrum{rows: rows, tau: tau, factor: f, triangle: f.lowerTriangle()}
	if s.Formulation != Kernlab {
		sp.means = f.centreColumns()
	}
	var inner mat.SymDense
	inner.SymOuterK(1, f.g.T())
	values, vectors, err := eigenDecompose(&inner)
	if err != nil {
		return nil, err
	}
	// Directions without variance have no eigenvector among the rows.
	first := 0
	for first < len(values)-1 && values[first] <= 1e-12*values[len(values)-1] {
		first++
	}
	n := len(values)
	sp.values = values[first:]
	sp.inner = vectors.Slice(0, n, first, n).(*mat.Dense)
	sp.vectors = new(mat.Dense)
	sp.vectors.Mul(f.g, sp.inner)
	sp.vectors.Apply(func(_, j int, value float64) float64 {
		if sp.values[j] == 0 {
			return 0
		}
		return value / math.Sqrt(sp.values[j])
	}, sp.vectors)
	return sp, nil
}

// eigenDecompose gives the eigenvalues in ascending order and their vectors. Small
// eigenvalues of a kernel matrix that rounding made negative become 0.
func eigenDecompose(k mat.Symmetric) ([]float64, *mat.Dense, error) {
	var e mat.EigenSym
	if !e.Factorize(k, true) {
		return nil, nil, fmt.Errorf("scaling: kernel matrix of %d rows: %w", k.SymmetricDim(), ErrNumeric)
	}
	values := e.Values(nil)
	for i, v := range values {
		values[i] = max(v, 0)
	}
	vectors := new(mat.Dense)
	e.VectorsTo(vectors)
	return values, vectors, nil
}

// columnMeans gives the mean of each column of a symmetric matrix, and of all.
func columnMeans(k *mat.SymDense) (means []float64, mean float64) {
	n := k.SymmetricDim()
	means = make([]float64, n)
	for i := range n {
		for j := range n {
			means[i] += k.At(i, j) / float64(n)
		}
		mean += means[i] / float64(n)
	}
	return means, mean
}

// centreMatrix makes k into HKH.
func centreMatrix(k *mat.SymDense, means []float64, mean float64) {
	for i := range means {
		for j := i; j < len(means); j++ {
			k.SetSym(i, j, k.At(i, j)-means[i]-means[j]+mean)
		}
	}
}
