package progress

import (
	"encoding/json"
	"errors"
	"fmt"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/model"
)

// Partial is what the models of a block say about the positions of all ranks,
// and what the ranks of the block answer to those that wait. It is a monoid;
// the zero value is its neutral element.
type Partial struct {
	inference.Partial
	Answers []facts.Answer `json:"answers,omitempty"` // ascending
}

// MergePartials joins the partials of two blocks. The error is always nil.
func MergePartials(a, b Partial) (Partial, error) {
	return Partial{inference.MergePartials(a.Partial, b.Partial), facts.MergeAnswers(a.Answers, b.Answers)}, nil
}

// Localiser asks the algorithm about the models of a block (PDI §4.2, step 3) and
// adds the block's answers. It folds ranks one by one, so that they need not be in
// memory all at once.
type Localiser struct {
	gather  inference.Gatherer
	queries *facts.Queries
}

// NewLocaliser returns a Localiser of no ranks. The summary is the merged one, or
// its Question. Errors wrap ErrUnknownAlgorithm.
func NewLocaliser(summary *facts.Summary, opts Options) (*Localiser, error) {
	algorithm, err := inference.NewAlgorithm(opts.Algorithm)
	if err != nil {
		return nil, err
	}
	return &Localiser{gather: algorithm.Local(summary), queries: facts.NewQueries(summary)}, nil
}

// Add folds a rank.
func (l *Localiser) Add(r *model.Rank) {
	if !facts.InWorld(r) {
		return
	}
	l.gather.Add(r.Rank, facts.Representative(r))
	l.queries.Ask(r)
}

// Partial returns the partial of all ranks that were added, and ends the
// folding.
func (l *Localiser) Partial() Partial {
	return Partial{l.gather.Partial(), l.queries.Answers()}
}

// EncodePartial writes a partial as JSON; equal partials give equal bytes.
func EncodePartial(p Partial) ([]byte, error) { return json.Marshal(p) }

// DecodePartial reads what EncodePartial wrote. Errors wrap ErrEncoding.
func DecodePartial(b []byte) (Partial, error) {
	var p Partial
	if err := json.Unmarshal(b, &p); err != nil {
		return Partial{}, fmt.Errorf("%w: %w", facts.ErrEncoding, err)
	}
	if err := errors.Join(p.Check(), facts.CheckAnswers(p.Answers)); err != nil {
		return Partial{}, fmt.Errorf("%w: %w", facts.ErrEncoding, err)
	}
	return p, nil
}
