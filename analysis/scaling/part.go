package scaling

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Part is a share of the fitting: the models of some features, and what cross
// validation found about some settings. The zero Part is empty and the neutral
// element of MergeParts.
type Part struct {
	Features []Feature `json:"features,omitempty"` // in order of site
	Trials   []Trial   `json:"trials,omitempty"`   // in order of settings
}

// Fit does part number part, from 0, of parts: the parts of one table and the
// same options make up a model. Errors wrap those of Table.Validate, or ErrFew,
// ErrSettings, ErrNumeric.
func Fit(t *Table, o Options, part, parts int) (*Part, error) {
	if part < 0 || parts < 1 || part >= parts {
		return nil, fmt.Errorf("scaling: part %d of %d: %w", part, parts, ErrSettings)
	}
	if err := trainable(t, o); err != nil {
		return nil, err
	}
	t = t.canonical()
	d := newDesign(t)
	p := &Part{Features: d.fitFeatures(part, parts)}
	v := newValidator(d.x, d.y)
	for i, s := range o.settings() {
		if i%parts != part {
			continue
		}
		trial, err := v.try(s)
		if err != nil {
			return nil, err
		}
		trial.Settings = i
		p.Trials = append(p.Trials, trial)
	}
	return p, nil
}

// fitFeatures models every site that is part modulo parts, on all cores.
func (d *design) fitFeatures(part, parts int) []Feature {
	n := (len(d.y[0]) - part + parts - 1) / parts
	features := make([]Feature, max(n, 0))
	var next atomic.Int64
	var cores sync.WaitGroup
	for range min(len(features), runtime.GOMAXPROCS(0)) {
		cores.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(features); i = int(next.Add(1)) - 1 {
				features[i] = d.fitFeature(part + i*parts)
			}
		})
	}
	cores.Wait()
	return features
}

// MergeParts unites what two ranks did. It does not matter if both did the same.
func MergeParts(a, b *Part) *Part {
	p := &Part{Features: slices.Concat(a.Features, b.Features), Trials: slices.Concat(a.Trials, b.Trials)}
	slices.SortStableFunc(p.Features, func(a, b Feature) int { return cmp.Compare(a.Site, b.Site) })
	p.Features = slices.CompactFunc(p.Features, func(a, b Feature) bool { return a.Site == b.Site })
	slices.SortStableFunc(p.Trials, func(a, b Trial) int { return cmp.Compare(a.Settings, b.Settings) })
	p.Trials = slices.CompactFunc(p.Trials, func(a, b Trial) bool { return a.Settings == b.Settings })
	return p
}

// minRows is the fewest rows that a model is trained on.
const minRows = 4

func trainable(t *Table, o Options) error {
	if err := o.validate(); err != nil {
		return err
	}
	if err := t.Validate(); err != nil {
		return err
	}
	if len(t.Rows) < minRows {
		return fmt.Errorf("scaling: %d rows: %w", len(t.Rows), ErrFew)
	}
	if len(t.Sites) == 0 {
		return fmt.Errorf("scaling: no call site: %w", ErrEmpty)
	}
	return nil
}
