package kcca

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// kernlabRidge is the constant that kernlab adds to the diagonal of R.
const kernlabRidge = 1e-6

// fitted is the solution of one KCCA: canonical correlations, largest first,
// and the two projections.
type fitted struct {
	rho  []float64
	f, g projection
}

// solveKCCA solves the generalised eigenproblem of KCCA:
//
//	[0 KxKy; KyKx 0][α;β] = ρ [Rx 0; 0 Ry][α;β]
//
// Both R are functions of their K, so two symmetric eigendecompositions turn it
// into the singular value decomposition of Rx^-½ Kx Ky Ry^-½.
func solveKCCA(x, y *spectrum, s Settings) (*fitted, error) {
	var m mat.Dense
	m.Mul(x.vectors.T(), y.vectors)
	m.Apply(func(i, j int, value float64) float64 {
		a, b := x.values[i], y.values[j]
		return value * a / s.rootEigenvalue(a, x.rowCount()) * b / s.rootEigenvalue(b, y.rowCount())
	}, &m)
	var svd mat.SVD
	if !svd.Factorize(&m, mat.SVDThin) {
		return nil, fmt.Errorf("scaling: singular values: %w", ErrNumeric)
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	rho := svd.Values(nil)
	rho = rho[:min(s.Components, len(rho))]
	return &fitted{rho: rho, f: x.projectRows(&u, len(rho), s), g: y.projectRows(&v, len(rho), s)}, nil
}

// rootEigenvalue is the eigenvalue of R^½ where that of K is d.
func (s Settings) rootEigenvalue(d float64, rows int) float64 {
	if s.Formulation == Centred {
		return d + float64(rows)*s.Gamma/2
	}
	return math.Sqrt(d*d + s.Gamma*d + kernlabRidge)
}

// projectRows makes the projection of new rows by α = R^-½ w, so that αᵀRα = 1;
// w are the first components columns of vectors in the basis of the spectrum.
func (sp *spectrum) projectRows(vectors *mat.Dense, components int, s Settings) projection {
	w := mat.NewDense(len(sp.values), components, nil)
	w.Apply(func(i, c int, _ float64) float64 {
		return vectors.At(i, c) / s.rootEigenvalue(sp.values[i], sp.rowCount())
	}, w)
	if sp.factor != nil {
		return sp.projectPivots(w)
	}
	var alpha mat.Dense
	alpha.Mul(sp.vectors, w)
	p := newProjection(sp.rows, sp.tau, &alpha)
	if sp.means != nil {
		p.foldCentring(sp.means, sp.mean)
	}
	return p
}

// projectPivots does the same with the pivots for landmarks. The centred row of
// G of a point times V√D is what its kernel values times the eigenvectors are.
func (sp *spectrum) projectPivots(w *mat.Dense) projection {
	var inner, weights mat.Dense
	w.Apply(func(i, c int, value float64) float64 { return value * math.Sqrt(sp.values[i]) }, w)
	inner.Mul(sp.inner, w)
	// L has a positive diagonal, so the only error is bad conditioning, which
	// the tolerance of the decomposition bounds.
	_ = weights.Solve(sp.triangle.T(), &inner)
	landmarks := make([][]float64, len(sp.factor.pivots))
	for i, pivot := range sp.factor.pivots {
		landmarks[i] = sp.rows[pivot]
	}
	p := newProjection(landmarks, sp.tau, &weights)
	if sp.means != nil {
		for c := range p.Offset {
			p.Offset[c] = -mat.Dot(mat.NewVecDense(len(sp.means), sp.means), inner.ColView(c))
		}
	}
	return p
}
