package profile

import (
	"cmp"
	"slices"

	"laggard/analysis/movement/chain"
)

// Profile is what is kept of known good runs. The zero value is of no run. It is
// a monoid: see [Merge].
type Profile struct {
	Groups []chain.Group // distinct, in order of operations
	Rows   []Row         // distinct, in order
	// ByRank lists by rank the rows, indices into Rows, that the rank had in the runs;
	// more than one shows what varies from run to run.
	ByRank [][]int32
}

// Row is the distribution of one rank: the groups that it has chains of, in
// rising order, and how many.
type Row []Cell

// Cell is how many chains of one group a rank has, at least 1.
type Cell struct {
	Group int32 // index into the groups of the profile or trace
	Count uint64
}

func (a Cell) compare(b Cell) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Count, b.Count))
}

func (a Row) compare(b Row) int { return slices.CompareFunc(a, b, Cell.compare) }

// New returns the profile of a run.
func New(tr *chain.Trace) Profile {
	p := Profile{Groups: slices.Clone(tr.Groups)}
	for _, t := range tr.Tracks {
		r := Count(t.Chains)
		if len(r) == 0 {
			continue
		}
		for len(p.ByRank) <= t.Rank {
			p.ByRank = append(p.ByRank, nil)
		}
		p.ByRank[t.Rank] = append(p.ByRank[t.Rank], int32(len(p.Rows)))
		p.Rows = append(p.Rows, r)
	}
	return p.normalised()
}

// Count returns the distribution of the chains of one rank.
func Count(chains []chain.Instance) Row {
	counts := map[int32]uint64{}
	for _, c := range chains {
		counts[c.Group]++
	}
	out := make(Row, 0, len(counts))
	for g, n := range counts {
		out = append(out, Cell{g, n})
	}
	slices.SortFunc(out, Cell.compare)
	return out
}

// Merge returns the profile of the runs of both, which stay as they are.
func Merge(a, b Profile) Profile {
	out := Profile{Groups: append(slices.Clone(a.Groups), b.Groups...), Rows: slices.Clone(a.Rows)}
	for _, r := range b.Rows {
		out.Rows = append(out.Rows, r.Renumbered(func(g int32) int32 { return g + int32(len(a.Groups)) }))
	}
	for rank := range max(len(a.ByRank), len(b.ByRank)) {
		var rows []int32
		if rank < len(a.ByRank) {
			rows = slices.Clone(a.ByRank[rank])
		}
		if rank < len(b.ByRank) {
			for _, i := range b.ByRank[rank] {
				rows = append(rows, i+int32(len(a.Rows)))
			}
		}
		out.ByRank = append(out.ByRank, rows)
	}
	return out.normalised()
}

// Renumbered returns the row with other numbers for the groups.
func (a Row) Renumbered(to func(int32) int32) Row {
	out := make(Row, len(a))
	for i, c := range a {
		out[i] = Cell{to(c.Group), c.Count}
	}
	slices.SortFunc(out, Cell.compare)
	return out
}

// normalised sorts groups and rows, adds up equal groups and drops equal rows.
func (p Profile) normalised() Profile {
	order := make([]int32, len(p.Groups))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return p.Groups[a].Compare(p.Groups[b]) })
	place := make([]int32, len(p.Groups))
	var groups []chain.Group
	for _, i := range order {
		g := p.Groups[i]
		if n := len(groups); n > 0 && groups[n-1].Compare(g) == 0 {
			groups[n-1] = groups[n-1].Plus(g)
		} else {
			groups = append(groups, g)
		}
		place[i] = int32(len(groups) - 1)
	}
	all := make([]Row, len(p.Rows))
	for i, r := range p.Rows {
		all[i] = r.Renumbered(func(g int32) int32 { return place[g] })
	}
	rows := slices.Clone(all)
	slices.SortFunc(rows, Row.compare)
	rows = slices.CompactFunc(rows, func(a, b Row) bool { return a.compare(b) == 0 })
	byRank := make([][]int32, len(p.ByRank))
	for rank, list := range p.ByRank {
		for _, i := range list {
			at, _ := slices.BinarySearchFunc(rows, all[i], Row.compare)
			byRank[rank] = append(byRank[rank], int32(at))
		}
		slices.Sort(byRank[rank])
		byRank[rank] = slices.Compact(byRank[rank])
	}
	return Profile{groups, rows, byRank}
}

// Counts returns how often each type of chain occurs, by [chain.Group.Key]. p may
// be nil.
func (p *Profile) Counts() map[string]uint64 {
	out := map[string]uint64{}
	if p != nil {
		for _, g := range p.Groups {
			out[g.Key()] = g.Count
		}
	}
	return out
}

// FrequentFirst returns the groups in the order that a trace has them in.
func (p *Profile) FrequentFirst() []chain.Group {
	out := slices.Clone(p.Groups)
	chain.SortGroups(out)
	return out
}
