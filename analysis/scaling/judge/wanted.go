package judge

import (
	"cmp"
	"slices"

	"laggard/analysis/scaling/regression"
)

// Causes of the judge's own, beside those of the regression.
const (
	// Switching: the library chose another path at other scales of training.
	Switching regression.Cause = "switching"
	// Unrepeated: a training run was told the same, but below an MPI call timing decides
	// which call carries the bytes of another, and one run does not show how much.
	Unrepeated regression.Cause = "unrepeated"
)

// Wanted is what stands between a run and the range of the scaling models: bytes that
// are not predicted for one reason.
type Wanted struct {
	// irregular, far, untried, switching or unrepeated, see docs/manual/scaling.md
	Cause   regression.Cause `json:"cause"`
	Control string           `json:"control,omitempty"` // "ranks", or the name of the argument that the cause is about
	Value   float64          `json:"value,omitempty"`   // value of it that training must reach
	Share   float64          `json:"share"`             // share of the volume, 0 to 1
}

// collectWanted adds up a row's bytes that are not predicted.
func (c *comparison) collectWanted(controls []string) []Wanted {
	var out []Wanted
	for _, s := range c.sites {
		if s.forecast || s.observed == 0 || s.site.Feature != "" {
			continue
		}
		w := Wanted{Cause: s.gap.Cause, Value: s.gap.Needed, Share: s.observed / c.total}
		switch at := s.gap.Control; {
		case at == 1:
			w.Control = "ranks"
		case at > 1:
			w.Control = controls[at-2]
		}
		out = addWanted(out, w, 1)
	}
	return out
}

// addWanted takes up a share of what is wanted for the same reason; of values the one
// that is enough for both counts.
func addWanted(list []Wanted, w Wanted, weight float64) []Wanted {
	at := slices.IndexFunc(list, func(o Wanted) bool { return o.Cause == w.Cause && o.Control == w.Control })
	if at < 0 {
		at = len(list)
		list = append(list, Wanted{Cause: w.Cause, Control: w.Control})
	}
	list[at].Share += weight * w.Share
	list[at].Value = max(list[at].Value, w.Value)
	return list
}

func sortWanted(list []Wanted) {
	slices.SortStableFunc(list, func(a, b Wanted) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.Control, b.Control))
	})
}
