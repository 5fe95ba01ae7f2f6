package movement

import (
	"cmp"
	"slices"
)

// Trace holds the chains of a job, whole ones across ranks.
type Trace struct {
	Groups []Group // by falling count, then by operations
	Tracks []Track // by rank
	Links  Links
}

// Group is a type of chain: those with the same operations in the same order
// (§4.3).
type Group struct {
	Ops   []Operation
	Count uint64
	// sums has by operation the sum of the uniqueness over covered chains: the
	// packs of one group's chains may differ in their numbers of segments.
	sums    []uint64
	covered uint64
}

// Weight is the uniqueness of operation i (Equation 2), in the mean over the
// group's chains.
func (g Group) Weight(i int) float64 {
	if g.covered == 0 {
		return 0
	}
	return float64(g.sums[i]) / float64(g.covered)
}

// Uniqueness is that of the chain (Equation 1).
func (g Group) Uniqueness() float64 {
	var u float64
	for i := range g.Ops {
		u += g.Weight(i)
	}
	return u
}

// add counts n more chains, whose operations have the given uniqueness.
func (g *Group) add(n uint64, weights []uint64) {
	for i, w := range weights {
		g.sums[i] += w * n
	}
	g.Count += n
	g.covered += n
}

// Track is the chains that start at one rank, in order. A rank without chains
// has a track as well.
type Track struct {
	Rank   int
	Chains []Instance
}

// Instance is one chain.
type Instance struct {
	Group int32 // index into Trace.Groups
	// Order is the place of the chain's last operation in the rank where it
	// starts, among the events of that rank, from 1; Time is when that was.
	Order, Time int64
}

// Links says how much of the data could be followed from one rank to another.
type Links struct {
	Sends, LinkedSends uint64 // transfers; linked: some of their bytes met the other half
	Recvs, LinkedRecvs uint64
	Bytes, LinkedBytes uint64 // sent
	// Shortened counts the chains that were not followed to their end because
	// there were too many of them.
	Shortened uint64
}

// trace names the chains that were found.
func (v *resolver) trace() *Trace {
	counts := make([]uint64, len(v.paths.all))
	for _, track := range v.tracks {
		for _, c := range track {
			counts[c.Group]++
		}
	}
	groups, groupOf := v.groups(counts)
	out := &Trace{Groups: groups, Links: v.linked()}
	for i, track := range v.tracks {
		slices.SortStableFunc(track, func(a, b Instance) int { return cmp.Compare(a.Order, b.Order) })
		for j := range track {
			track[j].Group = groupOf[track[j].Group]
		}
		out.Tracks = append(out.Tracks, Track{v.ranks[i], track})
	}
	return out
}

// groups joins the paths that differ in numbers of segments only, and returns
// for each path its group.
func (v *resolver) groups(counts []uint64) ([]Group, []int32) {
	classes, types := newInterner[symbol](), newPathTree()
	groupOf := make([]int32, len(counts))
	var all []Group
	index := map[int32]int32{}
	for path, n := range counts {
		if n == 0 {
			continue
		}
		ops := v.operationsOf(int32(path))
		class := int32(0)
		for _, s := range ops {
			class = types.extend(class, classes.number(v.symbols.all[s].class()), classes.all)
		}
		g, ok := index[class]
		if !ok {
			g = int32(len(all))
			index[class] = g
			all = append(all, Group{Ops: v.operations(ops), sums: make([]uint64, len(ops))})
		}
		all[g].add(n, v.weights(ops))
		groupOf[path] = g
	}
	place := sortGroups(all)
	for path := range groupOf {
		if counts[path] > 0 {
			groupOf[path] = place[groupOf[path]]
		}
	}
	return all, groupOf
}

func (v *resolver) operations(symbols []int32) []Operation {
	out := make([]Operation, len(symbols))
	for i, s := range symbols {
		out[i] = v.symbols.all[s].operation(v.sites)
	}
	return out
}

func (v *resolver) weights(symbols []int32) []uint64 {
	out := make([]uint64, len(symbols))
	for i, s := range symbols {
		out[i] = uint64(v.symbols.all[s].uniqueness())
	}
	return out
}

// sortGroups sorts by falling count, then by operations, and returns the new
// place of each.
func sortGroups(groups []Group) []int32 {
	perm := make([]int32, len(groups))
	for i := range perm {
		perm[i] = int32(i)
	}
	slices.SortFunc(perm, func(a, b int32) int {
		x, y := groups[a], groups[b]
		return cmp.Or(cmp.Compare(y.Count, x.Count), slices.CompareFunc(x.Ops, y.Ops, Operation.compare))
	})
	sorted := make([]Group, len(groups))
	place := make([]int32, len(groups))
	for to, from := range perm {
		sorted[to] = groups[from]
		place[from] = int32(to)
	}
	copy(groups, sorted)
	return place
}

func (v *resolver) linked() Links {
	n := v.links
	n.Sends, n.Recvs = uint64(len(v.sends)), uint64(len(v.recvs))
	for i, s := range v.sends {
		n.Bytes += s.hi - s.lo
		pairs := v.toward.of(int32(i))
		for _, p := range pairs {
			n.LinkedBytes += v.pairs[p].hi - v.pairs[p].lo
		}
		if len(pairs) > 0 {
			n.LinkedSends++
		}
	}
	for i := range v.recvs {
		if len(v.away.of(int32(i))) > 0 {
			n.LinkedRecvs++
		}
	}
	return n
}
