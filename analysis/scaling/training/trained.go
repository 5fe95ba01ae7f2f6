package training

import (
	"fmt"
	"slices"

	"laggard/analysis/scaling/file"
	"laggard/analysis/scaling/recorded"
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

// SameAs reports whether two programs are one: equal, or of one build.
func (p Program) SameAs(q Program) bool {
	return p == q || p.BuildID != "" && p.BuildID == q.BuildID
}

// Sourced is the model of one source.
type Sourced struct {
	Source recorded.Source `json:"source"`
	Model  *Model          `json:"model"`
}

const kindTrained = "laggard-scaling"

// EncodeTrained writes a model file.
func EncodeTrained(t *Trained) ([]byte, error) { return file.Encode(kindTrained, t) }

// DecodeTrained reads a model file and checks that it can be used. Errors wrap
// ErrKind, ErrVersion, ErrChecksum, ErrCorrupt or ErrSize.
func DecodeTrained(data []byte) (*Trained, error) {
	t := &Trained{}
	if err := file.Decode(kindTrained, data, t); err != nil {
		return nil, err
	}
	if len(t.Models) == 0 || len(t.Models) > len(recorded.Sources) {
		return nil, fmt.Errorf("scaling: %s: %d models: %w", kindTrained, len(t.Models), file.ErrCorrupt)
	}
	last := -1
	for _, m := range t.Models {
		at := slices.Index(recorded.Sources, m.Source)
		if at <= last || m.Model == nil {
			return nil, fmt.Errorf("scaling: %s: model of source %q: %w", kindTrained, m.Source, file.ErrCorrupt)
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
