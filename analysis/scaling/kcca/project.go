package kcca

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// projection maps a row to its components: Σ k(row, landmark)·coefficient +
// offset. The landmarks are all training rows, or the pivots of the incomplete
// Cholesky decomposition.
type projection struct {
	Tau       float64     `json:"tau"`
	Landmarks [][]float64 `json:"landmarks"`
	Weights   [][]float64 `json:"weights"` // by landmark, then by component
	Offset    []float64   `json:"offset"`  // by component
}

func newProjection(landmarks [][]float64, tau float64, weights mat.Matrix) projection {
	rows, components := weights.Dims()
	p := projection{Tau: tau, Landmarks: landmarks, Weights: make([][]float64, rows),
		Offset: make([]float64, components)}
	for i := range p.Weights {
		p.Weights[i] = mat.Row(nil, i, weights)
	}
	return p
}

// foldCentring builds the centring of a new row's kernel values,
// k̃ = k − mean(k) − means + mean, into weights and offset.
func (p *projection) foldCentring(means []float64, mean float64) {
	for c := range p.Offset {
		sum := 0.0
		for i, w := range p.Weights {
			sum += w[c]
			p.Offset[c] -= (means[i] - mean) * w[c]
		}
		for _, w := range p.Weights {
			w[c] -= sum / float64(len(p.Weights))
		}
	}
}

// apply gives the components of a row. beyond is the square of its distance in
// columns where all landmarks are 0.
func (p *projection) apply(row []float64, beyond float64) []float64 {
	out := append([]float64(nil), p.Offset...)
	far := math.Exp(-beyond / p.Tau)
	for i, landmark := range p.Landmarks {
		floats.AddScaled(out, far*kernelValue(row, landmark, p.Tau), p.Weights[i])
	}
	return out
}

// cosine is the correlation of a process (paper, §5.3): that of its two
// projections. It does not depend on the signs of the components, and it is
// defined for one. Where one of them is 0 it is 0.
func cosine(f, g []float64) float64 {
	lengths := floats.Norm(f, 2) * floats.Norm(g, 2)
	if lengths == 0 || math.IsNaN(lengths) {
		return 0
	}
	return max(-1, min(1, floats.Dot(f, g)/lengths))
}
