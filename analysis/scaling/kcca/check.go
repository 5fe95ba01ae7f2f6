package kcca

import (
	"fmt"
	"slices"

	"laggard/analysis/scaling/file"
)

// Check reports whether a model that was read is consistent, for rows of X and Y
// with so many columns.
func (m *Model) Check(columns, sites int) error {
	if err := m.Settings.validate(); err != nil {
		return file.Corrupt("%v", err)
	}
	if err := m.ScaleX.check(columns); err != nil {
		return err
	}
	if err := m.ScaleY.check(sites); err != nil {
		return err
	}
	if err := m.Control.check(columns, len(m.Rho)); err != nil {
		return fmt.Errorf("projection of controls: %w", err)
	}
	if err := m.Behave.check(sites, len(m.Rho)); err != nil {
		return fmt.Errorf("projection of behaviour: %w", err)
	}
	return nil
}

func (s scaler) check(columns int) error {
	n := len(s.Mean)
	if n != len(s.Scale) || n != 0 && n != columns ||
		slices.ContainsFunc(s.Scale, func(v float64) bool { return v <= 0 }) {
		return file.Corrupt("%d means and %d scales of %d columns", n, len(s.Scale), columns)
	}
	return nil
}

func (p *projection) check(width, components int) error {
	if p.Tau <= 0 || len(p.Weights) != len(p.Landmarks) || len(p.Offset) != components {
		return file.Corrupt("width %v, %d weights of %d landmarks, %d of %d components",
			p.Tau, len(p.Weights), len(p.Landmarks), len(p.Offset), components)
	}
	for i := range p.Landmarks {
		if len(p.Landmarks[i]) != width || len(p.Weights[i]) != components {
			return file.Corrupt("landmark %d has %d columns and %d weights", i, len(p.Landmarks[i]), len(p.Weights[i]))
		}
	}
	return nil
}
