package movement

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Profile is what is kept of a known good run, or of several: the groups of
// chains, and the distributions of the ranks. The zero value is of no run.
type Profile struct {
	groups []Group // in order of operations
	rows   []row   // distinct, in order
}

// row is the distribution of one rank: the groups that it has chains of, in
// rising order, and how many.
type row []cell

type cell struct {
	group int32
	count uint64
}

func (a cell) compare(b cell) int {
	return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.count, b.count))
}

func (a row) compare(b row) int { return slices.CompareFunc(a, b, cell.compare) }

func (g Group) compare(h Group) int { return slices.CompareFunc(g.Ops, h.Ops, Operation.compare) }

// NewProfile returns the profile of a run.
func NewProfile(tr *Trace) Profile {
	p := Profile{groups: slices.Clone(tr.Groups)}
	for _, t := range tr.Tracks {
		if r := countChains(t.Chains); len(r) > 0 {
			p.rows = append(p.rows, r)
		}
	}
	return p.normal()
}

// countChains returns the distribution of chains.
func countChains(chains []Instance) row {
	counts := map[int32]uint64{}
	for _, c := range chains {
		counts[c.Group]++
	}
	out := make(row, 0, len(counts))
	for g, n := range counts {
		out = append(out, cell{g, n})
	}
	slices.SortFunc(out, cell.compare)
	return out
}

// MergeProfiles returns the profile of the runs of both, which stay as they
// are.
func MergeProfiles(a, b Profile) Profile {
	out := Profile{groups: append(slices.Clone(a.groups), b.groups...), rows: slices.Clone(a.rows)}
	for _, r := range b.rows {
		out.rows = append(out.rows, r.renumbered(func(g int32) int32 { return g + int32(len(a.groups)) }))
	}
	return out.normal()
}

// renumbered returns the row with other numbers for the groups.
func (a row) renumbered(to func(int32) int32) row {
	out := make(row, len(a))
	for i, c := range a {
		out[i] = cell{to(c.group), c.count}
	}
	slices.SortFunc(out, cell.compare)
	return out
}

// normal sorts groups and rows, adds up equal groups and drops equal rows.
func (p Profile) normal() Profile {
	order := make([]int32, len(p.groups))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return p.groups[a].compare(p.groups[b]) })
	place := make([]int32, len(p.groups))
	var groups []Group
	for _, i := range order {
		g := p.groups[i]
		if n := len(groups); n > 0 && groups[n-1].compare(g) == 0 {
			groups[n-1] = groups[n-1].plus(g)
		} else {
			groups = append(groups, g)
		}
		place[i] = int32(len(groups) - 1)
	}
	rows := make([]row, len(p.rows))
	for i, r := range p.rows {
		rows[i] = r.renumbered(func(g int32) int32 { return place[g] })
	}
	slices.SortFunc(rows, row.compare)
	rows = slices.CompactFunc(rows, func(a, b row) bool { return a.compare(b) == 0 })
	return Profile{groups, rows}
}

// plus counts the chains of two groups of one type.
func (g Group) plus(h Group) Group {
	out := Group{Ops: g.Ops, Count: g.Count + h.Count, covered: g.covered + h.covered, sums: slices.Clone(g.sums)}
	for i, s := range h.sums {
		out.sums[i] += s
	}
	return out
}

// counts returns how often each type of chain occurs, by key. p may be nil.
func (p *Profile) counts() map[string]uint64 {
	out := map[string]uint64{}
	if p != nil {
		for _, g := range p.groups {
			out[key(g.Ops)] = g.Count
		}
	}
	return out
}

// frequentFirst returns the groups in the order that a Trace has them in.
func (p *Profile) frequentFirst() []Group {
	out := slices.Clone(p.groups)
	sortGroups(out)
	return out
}

// key names a type of chain.
func key(ops []Operation) string {
	var b []byte
	for _, op := range ops {
		b = append(b, byte(op.Kind))
		for _, s := range []string{op.Site, op.Partner, op.Source, op.Dest} {
			b = binary.AppendUvarint(b, uint64(len(s)))
			b = append(b, s...)
		}
	}
	return string(b)
}
