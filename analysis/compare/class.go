package compare

import (
	"cmp"
	"slices"

	"laggard/model"
)

// Class is ranks of the bad run that differ from the good runs in the same ways.
type Class struct {
	Ranks    model.RankSet
	Findings []int // in Result.Findings, ascending
	First    int   // the one of them that comes first in the course of the program
}

// newClasses divides the ranks that differ by their differences: fewest ranks first.
func newClasses(found []Finding) (classes []Class) {
	for i, f := range found {
		rest := f.Ranks
		for j := range classes {
			c := &classes[j]
			both := c.Ranks.Intersect(rest)
			if both.Len() == 0 {
				continue
			}
			if others := c.Ranks.Minus(both); others.Len() > 0 {
				classes = append(classes, Class{Ranks: others, Findings: slices.Clone(c.Findings)})
				c = &classes[j] // the list has moved
			}
			c.Ranks, c.Findings = both, append(c.Findings, i)
			rest = rest.Minus(both)
		}
		if rest.Len() > 0 {
			classes = append(classes, Class{Ranks: rest.Clone(), Findings: []int{i}})
		}
	}
	for i, c := range classes {
		classes[i].First = slices.MinFunc(c.Findings, func(a, b int) int { return found[a].position - found[b].position })
	}
	slices.SortFunc(classes, func(a, b Class) int { return cmp.Or(a.Ranks.Len()-b.Ranks.Len(), a.Ranks.Min()-b.Ranks.Min()) })
	return classes
}
