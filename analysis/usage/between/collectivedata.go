package between

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/typemap"
)

// sameData compares the buffers of the members, as the kind of collective asks.
func (c *collectives) sameData(e *event) bool {
	switch c.shapeOf(e.parts[0]).flow {
	case sameFlow:
		return c.sameBuffers(e)
	case gatherFlow, scatterFlow:
		return c.matchRoot(e)
	case eachFlow:
		return c.matchPairs(e, nil, c.matchBuffers)
	case neighbourFlow:
		return c.matchPairs(e, c.areNeighbours, c.matchAnyBuffer)
	}
	return true
}

// sameBuffers: all members give the same (§5.4, §5.9). For a broadcast that is the
// same signature, for a reduction the same count and type.
func (c *collectives) sameBuffers(e *event) bool {
	return !c.reportMismatch(e, "data", func(p ref) string {
		s := c.shapeOf(p)
		if s.give == nil {
			return ""
		}
		if len(s.give) == 1 {
			return c.bufferText(p, s.give[0])
		}
		texts := make([]string, len(s.give))
		for i, b := range s.give {
			texts[i] = c.bufferText(p, b)
		}
		return fmt.Sprint(texts)
	})
}

// bufferText writes a buffer so that equal signatures have equal texts.
func (c *collectives) bufferText(p ref, b int32) string {
	if b < 0 {
		return "nothing"
	}
	l := c.layouts[p.rank][b]
	if !l.IsKnown() {
		return ""
	}
	if one := l.OnlyType(); one != "" || l.Elements == 0 {
		return l.Amount()
	}
	return fmt.Sprintf("%s with signature %x", l.Amount(), l.Signature().Hash)
}

// matchRoot compares each member's buffer with the one that the root has for it
// (§5.5, §5.6).
func (c *collectives) matchRoot(e *event) bool {
	root := none
	for _, p := range e.parts {
		d, entry := c.entryAt(p)
		s, comm := c.shapeOf(p), d.comms[entry.comm]
		if isRoot(s, comm) {
			root = p
		}
	}
	if root == none {
		return true
	}
	for _, p := range e.parts {
		if e.comm.inter && c.shapeOf(p).root < 0 {
			continue
		}
		var ok bool
		if c.shapeOf(p).flow == gatherFlow {
			ok = c.matchBuffers(e, p, root)
		} else {
			ok = c.matchBuffers(e, root, p)
		}
		if !ok {
			return false
		}
	}
	return true
}

// matchBuffers compares what one member gives another with what that one expects of it.
func (c *collectives) matchBuffers(e *event, from, to ref) bool {
	fd, fe := c.entryAt(from)
	td, te := c.entryAt(to)
	give := bufferFor(c.shapeOf(from).give, td.comms[te.comm].Rank)
	take := bufferFor(c.shapeOf(to).take, fd.comms[fe.comm].Rank)
	if give < 0 || take < 0 {
		return true
	}
	sent, taken := c.layouts[from.rank][give], c.layouts[to.rank][take]
	if !sent.IsKnown() || !taken.IsKnown() || sent.Signature() == taken.Signature() ||
		sent.Elements == 0 && taken.Elements == 0 {
		return true
	}
	what := fmt.Sprintf("gives %s, of which rank %d expects %s", sent.Amount(), td.Rank, taken.Amount())
	if at, differ := sent.FirstDifference(taken); differ {
		what = fmt.Sprintf("gives rank %d %s as element %d, which expects %s", td.Rank, sent.DescribeElement(at), at,
			taken.DescribeElement(at))
	}
	c.addBufferMismatch(e, from, to, what)
	return false
}

// matchAnyBuffer compares neighbours. Where they have a buffer for each neighbour the record does not tell which is for
// whom, but one that the first gives must be one that the second expects.
func (c *collectives) matchAnyBuffer(e *event, from, to ref) bool {
	give, take := c.shapeOf(from).give, c.shapeOf(to).take
	if len(give) == 1 && len(take) == 1 {
		return c.matchBuffers(e, from, to)
	}
	sent, ok := c.knownLayouts(from, give)
	taken, also := c.knownLayouts(to, take)
	if !ok || !also {
		return true
	}
	for _, s := range sent {
		for _, t := range taken {
			if s.Signature() == t.Signature() || s.Elements == 0 && t.Elements == 0 {
				return true
			}
		}
	}
	td, _ := c.entryAt(to)
	c.addBufferMismatch(e, from, to, fmt.Sprintf("gives its neighbours %s, and rank %d expects %s of its own", listAmounts(sent),
		td.Rank, listAmounts(taken)))
	return false
}

// knownLayouts returns the layouts of buffers; ok is false if there are none, or one is not known.
func (c *collectives) knownLayouts(p ref, buffers []int32) (out []*typemap.Layout, ok bool) {
	for _, b := range buffers {
		if b < 0 {
			return nil, false
		}
		l := c.layouts[p.rank][b]
		if !l.IsKnown() {
			return nil, false
		}
		out = append(out, l)
	}
	return out, len(out) > 0
}

// listAmounts lists what several buffers hold, each once.
func listAmounts(layouts []*typemap.Layout) string {
	var out []string
	for _, l := range layouts {
		if text := l.Amount(); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return strings.Join(out, " or ")
}

// bufferFor returns the buffer for a member: that of all, or its own; -1 none.
func bufferFor(buffers []int32, member int) int32 {
	switch {
	case len(buffers) == 1:
		return buffers[0]
	case member >= 0 && member < len(buffers):
		return buffers[member]
	}
	return -1
}

// addBufferMismatch reports what a member does that another does not expect.
func (c *collectives) addBufferMismatch(e *event, from, to ref, what string) {
	fd, fe := c.entryAt(from)
	_, te := c.entryAt(to)
	f := finding.New("collective_mismatch",
		fmt.Sprintf("%s on %s: rank %d %s", c.shapeOf(from).name, e.comm.name(), fd.Rank, what),
		c.placeOf(from.rank, fe.made, "gives"), c.placeOf(to.rank, te.made, "takes"))
	f.Standard = "MPI-3.1 §5.1"
	f.Change = "let the count and type signature that each member gives be those that the other expects of it"
	c.found.Add(f)
}

// matchPairs compares what each member gives each other with what that one expects
// (§5.7, §5.8, §7.6), among those that edge connects; nil: all. Members whose parts look
// alike are compared once.
func (c *collectives) matchPairs(e *event, edge func(from, to ref) bool, fit func(e *event, from, to ref) bool) bool {
	alike := map[[2]int32]bool{}
	for _, from := range e.parts {
		for _, to := range e.parts {
			if e.comm.inter && c.inLocalGroup(from) == c.inLocalGroup(to) || edge != nil && !edge(from, to) {
				continue
			}
			key := [2]int32{c.shapeNumber(from), c.shapeNumber(to)}
			single := len(c.shapeOf(from).give) == 1 && len(c.shapeOf(to).take) == 1
			if single && alike[key] {
				continue
			}
			if !fit(e, from, to) {
				return false
			}
			alike[key] = true
		}
	}
	return true
}

func (c *collectives) shapeNumber(p ref) int32 {
	_, e := c.entryAt(p)
	return c.shapes[p.rank][e.shape]
}

// inLocalGroup tells the groups of an intercommunicator apart.
func (c *collectives) inLocalGroup(p ref) bool {
	return slices.Contains(c.communicatorOf(p).local, c.digests[p.rank].Rank)
}

func (c *collectives) communicatorOf(p ref) *communicator {
	d, e := c.entryAt(p)
	return c.comms[d.comms[e.comm].ID]
}

// areNeighbours reports whether the topology has an edge from one member to another.
func (c *collectives) areNeighbours(from, to ref) bool {
	fd, fe := c.entryAt(from)
	td, te := c.entryAt(to)
	a, b := fd.comms[fe.comm], td.comms[te.comm]
	return a.Neighbours != nil && b.Neighbours != nil &&
		slices.Contains(a.Neighbours.Dests, b.Rank) && slices.Contains(b.Neighbours.Sources, a.Rank)
}

// The lists of edges that members give to MPI_Dist_graph_create_adjacent.
const (
	sources      = "sources"
	destinations = "destinations"
)

// edge is one of a graph, by ranks in the communicator.
type edge struct{ from, to int64 }

// sameEdges: an edge is listed as often at one end as at the other (§7.5.4).
func (c *collectives) sameEdges(e *event) bool {
	out, in, ends := map[edge]int{}, map[edge]int{}, map[int64]ref{}
	for _, p := range e.parts {
		s, d := c.shapeOf(p), c.digests[p.rank]
		from, to := slices.Index(s.names, sources), slices.Index(s.names, destinations)
		_, entry := c.entryAt(p)
		me := int64(d.comms[entry.comm].Rank)
		if from < 0 || to < 0 || me < 0 {
			return true
		}
		ends[me] = p
		for _, rank := range s.settingValues(from) {
			in[edge{rank, me}]++
		}
		for _, rank := range s.settingValues(to) {
			out[edge{me, rank}]++
		}
	}
	if len(ends) < len(e.comm.allMembers()) {
		return true
	}
	var odd []edge
	for _, list := range []map[edge]int{out, in} {
		for k := range list {
			if out[k] != in[k] && !slices.Contains(odd, k) {
				odd = append(odd, k)
			}
		}
	}
	slices.SortFunc(odd, func(a, b edge) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for _, k := range odd {
		c.addEdgeMismatch(e, k, out[k], in[k], ends)
	}
	return len(odd) == 0
}

// addEdgeMismatch reports an edge that its ends do not list alike; the end that lists it more often
// comes first.
func (c *collectives) addEdgeMismatch(e *event, k edge, out, in int, ends map[int64]ref) {
	name := c.shapeOf(e.parts[0]).name
	from, known := ends[k.from]
	to, also := ends[k.to]
	if !known || !also {
		return // a rank that is none is an invalid argument
	}
	ranks := [2]int{c.digests[from.rank].Rank, c.digests[to.rank].Rank}
	says := [2]string{
		fmt.Sprintf("rank %d lists rank %d %s as a destination", ranks[0], ranks[1], timesText(out)),
		fmt.Sprintf("rank %d lists rank %d %s as a source", ranks[1], ranks[0], timesText(in)),
	}
	_, a := c.entryAt(from)
	_, b := c.entryAt(to)
	places := []finding.Place{c.placeOf(from.rank, a.made, "collective"), c.placeOf(to.rank, b.made, "collective")}
	if in > out {
		says[0], says[1] = says[1], says[0]
		slices.Reverse(places)
	}
	f := finding.New("collective_mismatch", fmt.Sprintf("%s on %s: %s, but %s", name, e.comm.name(), says[0], says[1]),
		places...)
	f.Standard = "MPI-3.1 §7.5.4"
	f.Change = "list each edge at both of its ends: as a destination where it begins, as a source where it ends"
	c.found.Add(f)
}

func timesText(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
