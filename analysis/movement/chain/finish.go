package chain

import (
	"cmp"
	"slices"

	"laggard/reduce"
)

// buildTrace names the chains that were found.
func (v *resolver) buildTrace() *Trace {
	counts := make([]uint64, len(v.paths.all))
	for _, track := range v.tracks {
		for _, c := range track {
			counts[c.Group]++
		}
	}
	groups, groupOf := v.groupPaths(counts)
	lost := v.lostOperations()
	out := &Trace{Lost: lost, Groups: groups, Links: v.countLinks(), Unreceived: v.findUnreceived()}
	for i, track := range v.tracks {
		slices.SortStableFunc(track, func(a, b Instance) int { return cmp.Compare(a.Order, b.Order) })
		for j := range track {
			track[j].Group = groupOf[track[j].Group]
			if s := track[j].Lost; s >= 0 {
				at, _ := slices.BinarySearchFunc(lost, v.symbols.all[s].operation(v.sites), Operation.Compare)
				track[j].Lost = int32(at)
			}
		}
		out.Tracks = append(out.Tracks, Track{v.ranks[i], track})
	}
	return out
}

// lostOperations lists the operations that chains lack at their beginning, in order.
func (v *resolver) lostOperations() []Operation {
	var out []Operation
	for _, s := range v.lost {
		if s >= 0 {
			out = append(out, v.symbols.all[s].operation(v.sites))
		}
	}
	slices.SortFunc(out, Operation.Compare)
	return slices.Compact(out)
}

// groupPaths joins the paths that differ in numbers of segments only, and returns
// for each path its group.
func (v *resolver) groupPaths(counts []uint64) ([]Group, []int32) {
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
			class = types.extend(class, classes.intern(v.symbols.all[s].class()), classes.all)
		}
		g, ok := index[class]
		if !ok {
			g = int32(len(all))
			index[class] = g
			all = append(all, NewGroup(v.toOperations(ops)))
		}
		all[g].Add(n, v.symbolWeights(ops))
		groupOf[path] = g
	}
	place := SortGroups(all)
	for path := range groupOf {
		if counts[path] > 0 {
			groupOf[path] = place[groupOf[path]]
		}
	}
	return all, groupOf
}

func (v *resolver) toOperations(symbols []int32) []Operation {
	out := make([]Operation, len(symbols))
	for i, s := range symbols {
		out[i] = v.symbols.all[s].operation(v.sites)
	}
	return out
}

func (v *resolver) symbolWeights(symbols []int32) []uint64 {
	out := make([]uint64, len(symbols))
	for i, s := range symbols {
		out[i] = uint64(v.symbols.all[s].uniqueness())
	}
	return out
}

func (v *resolver) countLinks() Links {
	n := v.links
	n.Sends, n.Recvs = uint64(len(v.sends)), uint64(len(v.recvs))
	for i, s := range v.sends {
		n.Bytes += s.hi - s.lo
		pairs := v.sendPairs.itemsOf(int32(i))
		for _, p := range pairs {
			n.LinkedBytes += v.pairs[p].hi - v.pairs[p].lo
		}
		if len(pairs) > 0 {
			n.LinkedSends++
		}
	}
	for i := range v.recvs {
		if len(v.recvPairs.itemsOf(int32(i))) > 0 {
			n.LinkedRecvs++
		}
	}
	return n
}

func (v *resolver) findUnreceived() []Unreceived {
	var out []Unreceived
	for i, s := range v.sends {
		c := v.channels[s.channel]
		if _, known := slices.BinarySearch(v.ranks, int(c.To)); !known || c.Stream || len(v.sendPairs.itemsOf(int32(i))) > 0 {
			continue
		}
		out = append(out, Unreceived{v.sites[s.site], c.ID, int(c.From), int(c.To), int(c.Tag), 1})
	}
	return reduce.SortJoined(out, Unreceived.compare, func(a, b Unreceived) Unreceived {
		a.Count += b.Count
		return a
	})
}
