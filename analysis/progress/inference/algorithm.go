package inference

import (
	"errors"
	"fmt"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// An Algorithm infers the order of ranks from Markov models. Each lives in a
// file named for it and is listed in NewAlgorithm.
type Algorithm interface {
	// Name is the name a user chooses it by; it is also the method of what
	// it concludes.
	Name() string
	// Local gathers what the models of a block contribute, given the merged
	// summary or its Question.
	Local(sum *facts.Summary) Gatherer
	// Order reads the merged contributions. Errors wrap ErrMismatch.
	Order(sum *facts.Summary, part *Partial) (Order, error)
}

// Gatherer takes the ranks of a block one by one.
type Gatherer interface {
	// Add takes a rank with the thread that speaks for it.
	Add(rank int, t *model.Thread)
	// Partial returns what all of them contribute.
	Partial() Partial
}

// Order is who is behind whom, as far as an algorithm can tell.
type Order interface {
	// Layers lists the ranks from the least to the most progressed: first those
	// that wait for no rank, which may be none; each later layer holds ranks
	// that are ahead of some in the layer before. In a layer, ranks at one
	// place are one set; between the sets there is no telling.
	Layers() [][]model.RankSet
	// Relate returns the dependence of two ranks in this order, and why. For ranks
	// at one place, and for unknown ones, it is Null.
	Relate(a, b int) (Code, Why)
}

// Further is an Order that can leave collectives out of account.
type Further interface {
	// Further reports whether rank a is further in the program than rank b.
	Further(a, b int) bool
}

// DefaultAlgorithm is used when none is named.
const DefaultAlgorithm = LoopAware

// ErrUnknownAlgorithm wraps the name that no algorithm has.
var ErrUnknownAlgorithm = errors.New("no such algorithm")

// NewAlgorithm returns the algorithm of that name, the default one for "".
// Errors wrap ErrUnknownAlgorithm.
func NewAlgorithm(name string) (Algorithm, error) {
	switch name {
	case "":
		return NewAlgorithm(DefaultAlgorithm)
	case LoopAware:
		return loopAware{}, nil
	case PDI:
		return pdi{}, nil
	}
	return nil, fmt.Errorf("%w: %.60q; there are %q and %q", ErrUnknownAlgorithm, name, LoopAware, PDI)
}

// ErrMismatch says that a partial does not belong to the summary.
var ErrMismatch = errors.New("partial of another summary")
