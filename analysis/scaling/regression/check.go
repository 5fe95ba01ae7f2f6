package regression

import (
	"fmt"
	"slices"

	"laggard/analysis/scaling/file"
)

// Check reports whether a feature that was read hangs together, for rows of X with so
// many columns.
func (f *Feature) Check(columns int) error {
	if _, err := RoleByName(f.Role); err != nil {
		return err
	}
	if f.Site < 0 {
		return file.Corrupt("site %d", f.Site)
	}
	for _, c := range f.Classes {
		if err := c.check(columns); err != nil {
			return fmt.Errorf("class %q: %w", c.Class, err)
		}
	}
	return nil
}

func (c *Class) check(columns int) error {
	if len(c.Forms) == 0 || len(c.Low) != len(c.High) || len(c.Low) != len(c.Values) || len(c.Low) > columns ||
		c.Points < 1 || c.Rows < 1 || c.Floor <= 0 {
		return file.Corrupt("%d forms, bounds %d and %d, %d points of %d rows", len(c.Forms), len(c.Low), len(c.High),
			c.Points, c.Rows)
	}
	for _, form := range c.Forms {
		if len(form.Coefficients) != len(form.Terms)+1 || len(form.Terms) >= maxCoefficients {
			return file.Corrupt("%d terms, %d coefficients", len(form.Terms), len(form.Coefficients))
		}
		for _, factor := range slices.Concat(form.Terms...) {
			if factor.Control < 1 || factor.Control >= len(c.Low) {
				return file.Corrupt("control %d", factor.Control)
			}
		}
	}
	return nil
}
