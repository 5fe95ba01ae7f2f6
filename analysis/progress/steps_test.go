package progress

import (
	"laggard/analysis/progress/facts"
	"laggard/model"
)

// The three steps of a look, at ranks that are all in memory.

func summarise(ranks []*model.Rank) (facts.Summary, error) {
	s := facts.NewSummariser(0)
	for _, r := range ranks {
		s.Add(r)
	}
	return s.Summary()
}

func localPartial(ranks []*model.Rank, summary *facts.Summary, opts Options) (Partial, error) {
	l, err := NewLocaliser(summary, opts)
	if err != nil {
		return Partial{}, err
	}
	for _, r := range ranks {
		l.Add(r)
	}
	return l.Partial(), nil
}

func concludeDiagnosis(sum facts.Summary, part Partial, opts Options) (Diagnosis, error) {
	f, err := FindLP(sum, part, opts)
	if err != nil {
		return Diagnosis{}, err
	}
	return f.Diagnosis(), nil
}
