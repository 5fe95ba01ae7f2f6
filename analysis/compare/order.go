package compare

import (
	"cmp"
	"slices"
)

// joinFindings makes one of findings that say the same of different ranks.
func joinFindings(found []Finding) (out []Finding) {
	for _, f := range found {
		i := slices.IndexFunc(out, func(g Finding) bool { return g.saysSame(f) })
		if i < 0 {
			out = append(out, f)
			continue
		}
		out[i].Ranks = out[i].Ranks.Union(f.Ranks)
		out[i].position = min(out[i].position, f.position)
	}
	return out
}

func (f Finding) saysSame(g Finding) bool {
	return f.Kind == g.Kind && f.id == g.id && len(f.More) == len(g.More) && f.BadIs == g.BadIs && f.GoodIs == g.GoodIs &&
		f.StillIn == g.StillIn && (f.id >= 0 || f.Ranks.Equal(g.Ranks))
}

// sortFindings puts the likeliest cause first: what ranks did otherwise before how often they did it, as counts follow from
// what is done; then what is earlier in the course of the program; then what fewer ranks did.
func sortFindings(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(a.Kind.tier()-b.Kind.tier(), a.position-b.position, a.Ranks.Len()-b.Ranks.Len(), a.Ranks.Min()-b.Ranks.Min())
	})
	return found
}

func (k Kind) tier() int {
	if k.IsCount() {
		return 1
	}
	return 0
}

// IsCount reports whether how often something was done differs, and not what.
func (k Kind) IsCount() bool { return k == Iterations || k == BranchCount }

// IsExchange reports whether a message, or what a collective was called with, differs.
func (k Kind) IsExchange() bool {
	switch k {
	case NewMessage, MissingSend, OtherComm, OtherRoot, OtherOp, OtherSize:
		return true
	}
	return false
}
