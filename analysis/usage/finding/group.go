package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"laggard/model"
)

// Group collects findings, those that are alike as one: of the same class, the same
// calls at the same places of the program, and the same words, whatever the numbers
// in them. It counts them, unites their ranks, and keeps the first as the example:
// that of the lowest rank, and there the earliest. Groups of different ranks merge
// in any order to the same.
type Group struct {
	found map[string]*Finding
	keys  []string // in the order in which they came
}

// NewGroup returns a Group of findings.
func NewGroup(findings ...Finding) *Group {
	g := &Group{found: map[string]*Finding{}}
	for _, f := range findings {
		g.Add(f)
	}
	return g
}

// Add takes one more finding, or several that are already one; not one whose wrong
// call is muted.
func (g *Group) Add(f Finding) {
	if len(f.Places) > 0 && f.Places[0].Muted {
		return
	}
	k := f.groupKey()
	old := g.found[k]
	if old == nil {
		f.Ranks = f.Ranks.Clone()
		g.found[k] = &f
		g.keys = append(g.keys, k)
		return
	}
	merged := *old
	if f.exampleRank() < old.exampleRank() {
		merged = f
	}
	merged.Ranks, merged.Count = old.Ranks.Union(f.Ranks), old.Count+f.Count
	*old = merged
}

// Merge takes the findings of another group.
func (g *Group) Merge(o *Group) {
	for _, k := range o.keys {
		g.Add(*o.found[k])
	}
}

// MergeGroups is Merge in the form that a reduction takes.
func MergeGroups(a, b *Group) (*Group, error) {
	a.Merge(b)
	return a, nil
}

// InOrder returns the findings as they came.
func (g *Group) InOrder() []Finding {
	out := make([]Finding, len(g.keys))
	for i, k := range g.keys {
		out[i] = *g.found[k]
	}
	return out
}

// WorstFirst returns the findings, worst first.
func (g *Group) WorstFirst() []Finding {
	keys := slices.Clone(g.keys)
	slices.SortFunc(keys, func(a, b string) int {
		x, y := g.found[a], g.found[b]
		return cmp.Or(cmp.Compare(rankOf(x.Class), rankOf(y.Class)), cmp.Compare(x.exampleRank(), y.exampleRank()), cmp.Compare(a, b))
	})
	out := make([]Finding, len(keys))
	for i, k := range keys {
		out[i] = *g.found[k]
	}
	return out
}

// exampleRank is that of the example.
func (f *Finding) exampleRank() int {
	if len(f.Places) == 0 {
		return f.Ranks.Min()
	}
	return f.Places[0].Rank
}

// groupKey says what findings are alike.
func (f *Finding) groupKey() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%v\n%s", f.Class, f.Severity, f.Returned, wordsOf(f.Message))
	for _, p := range f.Places {
		fmt.Fprintf(&b, "\n%s %s", p.Call, p.Role)
		for _, frame := range p.Site.Stack {
			fmt.Fprintf(&b, " %s+%x", moduleKey(frame.Module), frame.Offset)
		}
	}
	return b.String()
}

func moduleKey(m *model.Module) string {
	switch {
	case m == nil:
		return "?"
	case m.BuildID != "":
		return m.BuildID
	}
	return m.Path
}

// wordsOf returns a message with every number as #.
func wordsOf(message string) string {
	var b strings.Builder
	inNumber := false
	for _, c := range message {
		digit := c >= '0' && c <= '9'
		if digit && !inNumber {
			b.WriteByte('#')
		} else if !digit {
			b.WriteRune(c)
		}
		inNumber = digit
	}
	return b.String()
}
