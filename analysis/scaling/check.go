package scaling

import (
	"fmt"
	"slices"
)

// check tells whether a model that was read hangs together, so that no test
// with it can fail for another reason than its own data.
func (m *Model) check() error {
	columns := len(m.Controls) + 2
	switch {
	case len(m.Sites) == 0 || len(m.Shares) != len(m.Sites):
		return corrupt("%d shares of %d sites", len(m.Shares), len(m.Sites))
	case len(m.Ranges) != columns-1:
		return corrupt("%d ranges of %d controls", len(m.Ranges), columns-1)
	case !slices.IsSorted(m.Controls):
		return corrupt("controls out of order")
	case m.KCCA == nil || len(m.Features) != len(m.Sites):
		return corrupt("%d models of %d sites", len(m.Features), len(m.Sites))
	case !increasing(m.Sites):
		return corrupt("sites out of order")
	}
	for i := range m.Features {
		if m.Features[i].Site != i {
			return corrupt("feature %d is of site %d", i, m.Features[i].Site)
		}
		if err := m.Features[i].check(columns); err != nil {
			return fmt.Errorf("feature %d: %w", i, err)
		}
	}
	for _, p := range m.Past {
		if len(p.Volume) != len(m.Sites) {
			return corrupt("%d volumes of %d sites in run %q", len(p.Volume), len(m.Sites), p.Run)
		}
	}
	return m.KCCA.check(columns, len(m.Sites))
}

func corrupt(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrCorrupt)...)
}

func increasing(sites []Site) bool {
	for i := 1; i < len(sites); i++ {
		if sites[i-1].Key() >= sites[i].Key() {
			return false
		}
	}
	return true
}

func (f *Feature) check(columns int) error {
	if _, err := roleByName(f.Role); err != nil {
		return err
	}
	if f.Site < 0 {
		return corrupt("site %d", f.Site)
	}
	for _, c := range f.Classes {
		if err := c.check(columns); err != nil {
			return fmt.Errorf("class %q: %w", c.Class, err)
		}
	}
	return nil
}

func (c *Class) check(columns int) error {
	if len(c.Forms) == 0 || len(c.Low) != len(c.High) || len(c.Low) > columns || c.Points < 1 || c.Rows < 1 || c.Floor <= 0 {
		return corrupt("%d forms, bounds %d and %d, %d points of %d rows", len(c.Forms), len(c.Low), len(c.High), c.Points, c.Rows)
	}
	for _, form := range c.Forms {
		if len(form.Coefficients) != len(form.Terms)+1 || len(form.Terms) >= maxCoefficients {
			return corrupt("%d terms, %d coefficients", len(form.Terms), len(form.Coefficients))
		}
		for _, factor := range slices.Concat(form.Terms...) {
			if factor.Control < 1 || factor.Control >= len(c.Low) {
				return corrupt("control %d", factor.Control)
			}
		}
	}
	return nil
}

func (m *KCCA) check(columns, sites int) error {
	if err := m.Settings.validate(); err != nil {
		return corrupt("%v", err)
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
	if n != len(s.Scale) || n != 0 && n != columns || slices.ContainsFunc(s.Scale, func(v float64) bool { return v <= 0 }) {
		return corrupt("%d means and %d scales of %d columns", n, len(s.Scale), columns)
	}
	return nil
}

func (p *projection) check(width, components int) error {
	if p.Tau <= 0 || len(p.Weights) != len(p.Landmarks) || len(p.Offset) != components {
		return corrupt("width %v, %d weights of %d landmarks, %d of %d components",
			p.Tau, len(p.Weights), len(p.Landmarks), len(p.Offset), components)
	}
	for i := range p.Landmarks {
		if len(p.Landmarks[i]) != width || len(p.Weights[i]) != components {
			return corrupt("landmark %d has %d columns and %d weights", i, len(p.Landmarks[i]), len(p.Weights[i]))
		}
	}
	return nil
}
