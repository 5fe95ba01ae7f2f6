package scaling

import (
	"fmt"
	"slices"

	"laggard/model"
)

// Trained is what a model file holds: a model for each source, and of which
// program.
type Trained struct {
	Program Program   `json:"program"`
	Models  []Sourced `json:"models"` // in the order of Sources
}

// Program is the executable of the runs.
type Program struct {
	Path    string `json:"path"`
	BuildID string `json:"build_id,omitempty"` // lower-case hex; "" unknown
}

// Sourced is the model of one source.
type Sourced struct {
	Source Source `json:"source"`
	Model  *Model `json:"model"`
}

const kindTrained = "laggard-scaling"

// EncodeTrained writes a model file.
func EncodeTrained(t *Trained) ([]byte, error) { return encode(kindTrained, t) }

// DecodeTrained reads one. Errors as for DecodeModel.
func DecodeTrained(data []byte) (*Trained, error) {
	t := &Trained{}
	if err := decode(kindTrained, data, t); err != nil {
		return nil, err
	}
	if len(t.Models) == 0 || len(t.Models) > len(Sources) {
		return nil, fmt.Errorf("scaling: %s: %d models: %w", kindTrained, len(t.Models), ErrCorrupt)
	}
	last := -1
	for _, m := range t.Models {
		at := slices.Index(Sources, m.Source)
		if at <= last || m.Model == nil {
			return nil, fmt.Errorf("scaling: %s: model of source %q: %w", kindTrained, m.Source, ErrCorrupt)
		}
		last = at
		if err := m.Model.check(); err != nil {
			return nil, fmt.Errorf("scaling: %s: %s: %w", kindTrained, m.Source, err)
		}
	}
	return t, nil
}

// Controls are the control features that the models want beside rank and ranks.
func (t *Trained) Controls() []string { return t.Models[0].Model.Controls }

// SourceVerdict is the verdict of one source.
type SourceVerdict struct {
	Source  Source   `json:"source"`
	Verdict *Verdict `json:"verdict"`
}

// SourcePlace is a place to look at, and the source that showed it.
type SourcePlace struct {
	Place
	Source Source `json:"source"`
}

// Answer unites the verdicts of the sources: a rank is flagged if one of them
// flags it, and places that the program itself shows come before those below.
type Answer struct {
	Flagged model.RankSet
	// Speaks is the source of Model, correlations and threshold: the first that
	// flags a rank, else the first that is in its range, else the first.
	Speaks  *SourceVerdict
	InRange bool // some source is in its range
	Places  []SourcePlace
	Sources []SourceVerdict
}

// Unite makes one answer of at least one verdict.
func Unite(verdicts []SourceVerdict) *Answer {
	a := &Answer{Sources: verdicts, Places: []SourcePlace{}}
	seen := map[string]bool{}
	for i := range verdicts {
		v := verdicts[i].Verdict
		a.Flagged = a.Flagged.Union(v.Flagged)
		a.InRange = a.InRange || v.InRange
		for _, p := range v.Localisation {
			key := p.places()
			if seen[key] {
				continue // after a crash both sources may name the same
			}
			seen[key] = true
			p.Order = len(a.Places) + 1
			a.Places = append(a.Places, SourcePlace{Place: p, Source: verdicts[i].Source})
		}
	}
	a.Speaks = &verdicts[0]
	for _, speaks := range []func(*Verdict) bool{
		func(v *Verdict) bool { return v.Flagged.Len() > 0 },
		func(v *Verdict) bool { return v.InRange },
	} {
		if i := slices.IndexFunc(verdicts, func(v SourceVerdict) bool { return speaks(v.Verdict) }); i >= 0 {
			a.Speaks = &verdicts[i]
			break
		}
	}
	return a
}

func (p Place) places() string {
	key := ""
	for _, s := range []*Site{p.Training, p.Production} {
		if s != nil {
			key += s.Key()
		}
		key += "|"
	}
	return key
}
