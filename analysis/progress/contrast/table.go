package contrast

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"laggard/model"
)

// Difference is something by which ranks differ.
type Difference struct {
	What    What
	State   *model.State // the call; nil where it is about none
	Classes []Class      // at least two, by rising value; together all ranks of which it is known
}

// Bounds of what is told.
const (
	maxDifferences = 12
	maxAlike       = 2 // that divide the ranks in the same way
	together       = 5 // seconds between signs of progress that tell nothing
)

// Differences returns by what the ranks of a tally differ: first what sets the fewest
// of them apart. place names where in the source a call is: compilers make several
// calls of one.
func Differences(t Tally, place func(*model.State) string) []Difference {
	var all []Difference
	for _, a := range t.byPlace(place) {
		if d := a.difference(t.Ranks); d != nil {
			d.State = t.States[a.State]
			all = append(all, *d)
		}
	}
	slices.SortStableFunc(all, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.minoritySize(), b.minoritySize()), cmp.Compare(len(a.Classes), len(b.Classes)),
			cmp.Compare(a.What.priority(), b.What.priority()))
	})
	var out []Difference
	alike := map[string]int{}
	for _, d := range all {
		if by := d.partitionKey(); alike[by] < maxAlike && len(out) < maxDifferences {
			alike[by]++
			out = append(out, d)
		}
	}
	return out
}

// byPlace adds up the calls of one place, and leaves the other aspects as they are.
func (t *Tally) byPlace(place func(*model.State) string) []Aspect {
	var out []Aspect
	first := map[string]int{} // by place, into out
	for _, a := range t.Aspects {
		state := t.States[a.State]
		if a.What != Calls || state == nil {
			out = append(out, a)
			continue
		}
		at := place(state)
		if i, known := first[at]; known {
			out[i] = out[i].addValues(a, t.Ranks)
			continue
		}
		first[at] = len(out)
		out = append(out, a)
	}
	return out
}

// addValues adds up the values of each rank; who is in no class of an aspect has none.
func (a Aspect) addValues(b Aspect, ranks model.RankSet) Aspect {
	sums := map[int64]model.RankSet{}
	for _, x := range a.allClasses(ranks) {
		for _, y := range b.allClasses(ranks) {
			if both := x.Ranks.Intersect(y.Ranks); both.Len() > 0 {
				sums[x.Value+y.Value] = sums[x.Value+y.Value].Union(both)
			}
		}
	}
	a.Many = a.Many || b.Many
	a.Classes = nil
	for _, value := range slices.Sorted(maps.Keys(sums)) {
		if value > 0 {
			a.Classes = append(a.Classes, Class{value, sums[value]})
		}
	}
	return a.dropIfMany()
}

// allClasses returns the classes, with one of all other ranks.
func (a Aspect) allClasses(ranks model.RankSet) []Class {
	for _, c := range a.Classes {
		ranks = ranks.Minus(c.Ranks)
	}
	return append(slices.Clone(a.Classes), Class{0, ranks})
}

// difference says how the ranks differ in an aspect, nil if they do not.
func (a Aspect) difference(ranks model.RankSet) *Difference {
	d := &Difference{What: a.What, Classes: slices.Clone(a.Classes)}
	switch a.What {
	case Calls:
		d.addNever(ranks)
	case Pause:
		d.Classes = clustered(a.Classes)
	}
	if a.Many || len(d.Classes) < 2 || len(d.Classes) > maxClasses {
		return nil
	}
	return d
}

// addNever adds the ranks that made a call not once.
func (d *Difference) addNever(ranks model.RankSet) {
	whole := Aspect{Classes: d.Classes}.allClasses(ranks)
	if none := whole[len(whole)-1]; none.Ranks.Len() > 0 {
		d.What = Path
		d.Classes = slices.Insert(d.Classes, 0, none)
	}
}

// clustered joins classes of nearly the same time.
func clustered(classes []Class) []Class {
	var out []Class
	last := int64(0)
	for _, c := range classes {
		if n := len(out); n > 0 && c.Value-last <= together {
			out[n-1].Ranks = out[n-1].Ranks.Union(c.Ranks)
		} else {
			out = append(out, c)
		}
		last = c.Value
	}
	return out
}

// minoritySize is how many ranks are not in the largest class.
func (d *Difference) minoritySize() int {
	all, most := 0, 0
	for _, c := range d.Classes {
		all += c.Ranks.Len()
		most = max(most, c.Ranks.Len())
	}
	return all - most
}

// partitionKey names how the ranks are divided, whatever the values are.
func (d *Difference) partitionKey() string {
	var sets []string
	for _, c := range d.Classes {
		sets = append(sets, c.Ranks.String())
	}
	slices.Sort(sets)
	return strings.Join(sets, "|")
}

func (w What) priority() int { return slices.Index([]What{Path, Calls, Peers, Comms, Pause}, w) }
