package training

import (
	"cmp"
	"fmt"
	"slices"

	"laggard/analysis/scaling/kcca"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/regression"
)

// Part is a share of the fitting: the models of some features, and what cross
// validation found about some settings. The zero Part is empty and the neutral
// element of MergeParts.
type Part struct {
	Features []regression.Feature `json:"features,omitempty"` // in order of site
	Trials   []kcca.Trial         `json:"trials,omitempty"`   // in order of settings
}

// Fit does part number part, from 0, of parts: the parts of one table and the
// same options make up a model. Errors wrap those of Table.Validate, or ErrFew,
// ErrSettings, ErrNumeric.
func Fit(t *recorded.Table, o kcca.Options, part, parts int) (*Part, error) {
	if part < 0 || parts < 1 || part >= parts {
		return nil, fmt.Errorf("scaling: part %d of %d: %w", part, parts, kcca.ErrSettings)
	}
	if err := checkTrainable(t, o); err != nil {
		return nil, err
	}
	t = t.Canonical()
	d := regression.NewDesign(t)
	p := &Part{Features: d.FitFeatures(part, parts)}
	v := kcca.NewValidator(d.X, d.Y)
	for i, s := range o.Choices() {
		if i%parts != part {
			continue
		}
		trial, err := v.Try(s)
		if err != nil {
			return nil, err
		}
		trial.Settings = i
		p.Trials = append(p.Trials, trial)
	}
	return p, nil
}

// MergeParts unites what two ranks did. It does not matter if both did the same.
func MergeParts(a, b *Part) *Part {
	p := &Part{Features: slices.Concat(a.Features, b.Features), Trials: slices.Concat(a.Trials, b.Trials)}
	slices.SortStableFunc(p.Features, func(a, b regression.Feature) int { return cmp.Compare(a.Site, b.Site) })
	p.Features = slices.CompactFunc(p.Features, func(a, b regression.Feature) bool { return a.Site == b.Site })
	slices.SortStableFunc(p.Trials, func(a, b kcca.Trial) int { return cmp.Compare(a.Settings, b.Settings) })
	p.Trials = slices.CompactFunc(p.Trials, func(a, b kcca.Trial) bool { return a.Settings == b.Settings })
	return p
}

func checkTrainable(t *recorded.Table, o kcca.Options) error {
	if err := o.Validate(); err != nil {
		return err
	}
	if err := t.Validate(); err != nil {
		return err
	}
	if len(t.Rows) < kcca.MinRows {
		return fmt.Errorf("scaling: %w: a model needs at least %d ranks, of all training runs together, and there are %d; "+
			"train on more runs, of different scales", ErrFew, kcca.MinRows, len(t.Rows))
	}
	if len(t.Sites) == 0 {
		return fmt.Errorf("scaling: no call site: %w", recorded.ErrEmpty)
	}
	return nil
}
