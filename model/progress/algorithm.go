package progress

import (
	"errors"
	"fmt"

	"laggard/model"
)

// An Algorithm infers progress dependence from Markov models. Each lives in a
// file named for it and is listed in NewAlgorithm.
type Algorithm interface {
	// Name is the name a user chooses it by; it is also the method of what
	// it concludes.
	Name() string
	// Relate returns, for a rank with this model at this position, its relation
	// to each of the other positions, in their order (one row of the local
	// PDG, Figure 5).
	Relate(m *model.Model, at Position, others []Position) []Relation
	// LeastProgressed picks the least progressed nodes of the merged graph
	// (PDI §4.3). The result is empty if the graph leaves it open.
	LeastProgressed(g *PDG) []int
}

// Relation is the dependence of a pair of positions, the own one first.
type Relation struct {
	Code  Code
	Reach float64 // probability to reach the other from the own
	Back  float64 // probability to reach the own from the other
}

// DefaultAlgorithm is used when none is named.
const DefaultAlgorithm = PDI

// ErrUnknownAlgorithm wraps the name that no algorithm has.
var ErrUnknownAlgorithm = errors.New("no such algorithm")

// NewAlgorithm returns the algorithm of that name, the default one for "".
// Errors wrap ErrUnknownAlgorithm.
func NewAlgorithm(name string) (Algorithm, error) {
	switch name {
	case "", PDI:
		return pdi{}, nil
	}
	return nil, fmt.Errorf("%w: %.60q; there is %q", ErrUnknownAlgorithm, name, PDI)
}
