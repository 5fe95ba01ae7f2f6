package chain

import (
	"cmp"
	"slices"
	"strings"
)

// canonical returns the same table with everything that is used numbered in
// order of its content, so that equal tables have equal numbers, however they
// were merged.
func (t Table) canonical() Table {
	out := emptyTable()
	if len(t.parts) == 0 {
		return out
	}
	used := emptyTable()
	probe := newRenumbering(&t, &used)
	out.parts = make([]part, len(t.parts))
	for i, p := range t.parts {
		out.parts[i] = p.clone()
		probe.renumberPart(&out.parts[i])
	}
	for _, s := range sortedBy(used.sites.all, strings.Compare) {
		out.sites.intern(s)
	}
	for _, c := range sortedBy(used.channels.all, Channel.compare) {
		out.channels.intern(c)
	}
	r := newRenumbering(&used, &out)
	r.sortSymbols()
	r.sortPaths()
	for i := range out.parts {
		r.renumberPart(&out.parts[i])
	}
	return out
}

func emptyTable() Table {
	return Table{sites: newInterner(""), channels: newInterner[Channel](), symbols: newInterner[symbol](),
		paths: newPathTree()}
}

func (p part) clone() part {
	p.sends, p.recvs, p.legs = slices.Clone(p.sends), slices.Clone(p.recvs), slices.Clone(p.legs)
	return p
}

func sortedBy[T any](list []T, compare func(a, b T) int) []T {
	out := slices.Clone(list)
	slices.SortFunc(out, compare)
	return out
}

func (c Channel) compare(d Channel) int {
	return cmp.Or(-compareBool(c.Stream, d.Stream), cmp.Compare(c.ID, d.ID), cmp.Compare(c.From, d.From),
		cmp.Compare(c.To, d.To), cmp.Compare(c.Tag, d.Tag))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (s symbol) compare(t symbol) int {
	return cmp.Or(cmp.Compare(s.kind, t.kind), cmp.Compare(s.site, t.site), cmp.Compare(s.partner, t.partner),
		cmp.Compare(s.source, t.source), cmp.Compare(s.dest, t.dest), cmp.Compare(s.segments, t.segments),
		compareBool(s.reread, t.reread))
}

// sortSymbols numbers all symbols in order of their sites, which are numbered.
func (r *renumbering) sortSymbols() {
	list := make([]symbol, len(r.from.symbols.all))
	for i, s := range r.from.symbols.all {
		s.site, s.partner, s.source, s.dest = r.mapSite(s.site), r.mapSite(s.partner), r.mapSite(s.source), r.mapSite(s.dest)
		list[i] = s
	}
	slices.SortFunc(list, symbol.compare)
	for _, s := range list {
		r.to.symbols.intern(s)
	}
}

// sortPaths numbers all paths, short ones first, then by the path they extend
// and by symbol.
func (r *renumbering) sortPaths() {
	tree := r.from.paths
	levels := make([][]int32, maxLength+1)
	for i := 1; i < len(tree.all); i++ {
		levels[tree.depth[i]] = append(levels[tree.depth[i]], int32(i))
	}
	for _, level := range levels {
		slices.SortFunc(level, func(a, b int32) int {
			x, y := tree.all[a], tree.all[b]
			return cmp.Or(cmp.Compare(r.mapPath(x.parent), r.mapPath(y.parent)),
				cmp.Compare(r.mapSymbol(x.symbol), r.mapSymbol(y.symbol)))
		})
		for _, i := range level {
			r.mapPath(i)
		}
	}
}
