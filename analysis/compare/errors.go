package compare

import "slices"

// findErrors lists calls to which MPI returned errors that no good run had there.
func (c *comparison) findErrors(u *unit) (out []Finding) {
	for _, e := range u.bad.Failed {
		had := slices.ContainsFunc(c.goodRanks, func(g *behaviour) bool {
			return slices.ContainsFunc(g.Failed, func(d failed) bool { return d.State == e.State && d.Class == e.Class })
		})
		if had {
			continue
		}
		f := Finding{Kind: ReturnedError, Ranks: u.ranks.Clone(), position: u.bad.position[e.State], Bad: float64(e.Count), BadIs: e.Text}
		c.setPlaces(&f, []int{e.State})
		out = append(out, f)
	}
	return out
}

// followsError reports whether a change begins at a call to which MPI returned one of the errors, which then say what came next.
func (s structure) followsError(ch *change, errors []Finding) bool {
	for _, w := range ch.ways {
		for i := range errors {
			if errors[i].Kind == ReturnedError && errors[i].id == w.from {
				errors[i].Next = s.placeOf(w.to)
				return true
			}
		}
	}
	return false
}
