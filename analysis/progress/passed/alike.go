package passed

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"laggard/model"
)

// JoinAlike takes calls at one place for one, since compilers make several calls of one. The view is changed, and the others that it was
// merged from with it.
func (v *View) JoinAlike(placeOf func(*model.State) string) {
	ids := slices.SortedFunc(maps.Keys(v.States), func(a, b model.StateID) int { return bytes.Compare(a[:], b[:]) })
	first := map[string]model.StateID{}
	v.alike = map[model.StateID]model.StateID{}
	for _, id := range ids {
		place := placeOf(v.States[id])
		if _, known := first[place]; !known {
			first[place] = id
		}
		v.alike[id] = first[place]
	}
	for i := range v.Ranks {
		r := &v.Ranks[i]
		r.At = v.joined(r.At)
		counts := map[passage]uint64{}
		for _, p := range r.Passages {
			counts[passage{From: v.joined(p.From), To: v.joined(p.To)}] += p.Count
		}
		r.Passages = r.Passages[:0]
		for p, n := range counts {
			r.Passages = append(r.Passages, passage{p.From, p.To, n})
		}
		slices.SortFunc(r.Passages, comparePassages)
	}
}

// joined is the call that stands for one.
func (v *View) joined(id model.StateID) model.StateID {
	if to, known := v.alike[id]; known {
		return to
	}
	return id
}

func comparePassages(a, b passage) int {
	return cmp.Or(bytes.Compare(a.From[:], b.From[:]), bytes.Compare(a.To[:], b.To[:]))
}
