package replay

import "laggard/analysis/usage/finding"

// Place returns call i as one that takes part in a finding.
func (r *Replayed) Place(i int, role string) finding.Place { return placeOf(r.Trace, r.Calls, i, role) }
