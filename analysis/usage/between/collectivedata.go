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
	switch c.shape(e.parts[0]).flow {
	case sameFlow:
		return c.sameBuffers(e)
	case gatherFlow, scatterFlow:
		return c.withRoot(e)
	case eachFlow:
		return c.pairs(e, nil, c.fit)
	case neighbourFlow:
		return c.pairs(e, c.neighbours, c.fitAny)
	}
	return true
}

// sameBuffers: all members give the same (§5.4, §5.9). For a broadcast that is the
// same signature, for a reduction the same count and type.
func (c *collectives) sameBuffers(e *event) bool {
	return !c.differ(e, "data", func(p ref) string {
		s := c.shape(p)
		if s.give == nil {
			return ""
		}
		if len(s.give) == 1 {
			return c.text(p, s.give[0])
		}
		texts := make([]string, len(s.give))
		for i, b := range s.give {
			texts[i] = c.text(p, b)
		}
		return fmt.Sprint(texts)
	})
}

// text writes a buffer so that equal signatures have equal texts.
func (c *collectives) text(p ref, b int32) string {
	if b < 0 {
		return "nothing"
	}
	l := c.layouts[p.rank][b]
	if !l.Known() {
		return ""
	}
	if one := l.Only(); one != "" || l.Elements == 0 {
		return l.Amount()
	}
	return fmt.Sprintf("%s with signature %x", l.Amount(), l.Signature().Hash)
}

// withRoot compares each member's buffer with the one that the root has for it
// (§5.5, §5.6).
func (c *collectives) withRoot(e *event) bool {
	root := none
	for _, p := range e.parts {
		d, entry := c.entry(p)
		s, comm := c.shape(p), d.comms[entry.comm]
		if isRoot(s, comm) {
			root = p
		}
	}
	if root == none {
		return true
	}
	for _, p := range e.parts {
		if e.comm.inter && c.shape(p).root < 0 {
			continue
		}
		var ok bool
		if c.shape(p).flow == gatherFlow {
			ok = c.fit(e, p, root)
		} else {
			ok = c.fit(e, root, p)
		}
		if !ok {
			return false
		}
	}
	return true
}

// fit compares what one member gives another with what that one expects of it.
func (c *collectives) fit(e *event, from, to ref) bool {
	fd, fe := c.entry(from)
	td, te := c.entry(to)
	give := choose(c.shape(from).give, td.comms[te.comm].Rank)
	take := choose(c.shape(to).take, fd.comms[fe.comm].Rank)
	if give < 0 || take < 0 {
		return true
	}
	sent, taken := c.layouts[from.rank][give], c.layouts[to.rank][take]
	if !sent.Known() || !taken.Known() || sent.Signature() == taken.Signature() ||
		sent.Elements == 0 && taken.Elements == 0 {
		return true
	}
	what := fmt.Sprintf("gives %s, of which rank %d expects %s", sent.Amount(), td.Rank, taken.Amount())
	if at, differ := sent.FirstDifference(taken); differ {
		what = fmt.Sprintf("gives rank %d %s as element %d, which expects %s", td.Rank, sent.DescribeElement(at), at,
			taken.DescribeElement(at))
	}
	c.addUnfit(e, from, to, what)
	return false
}

// fitAny compares neighbours. Where they have a buffer for each neighbour the record does not tell which is for
// whom, but one that the first gives must be one that the second expects.
func (c *collectives) fitAny(e *event, from, to ref) bool {
	give, take := c.shape(from).give, c.shape(to).take
	if len(give) == 1 && len(take) == 1 {
		return c.fit(e, from, to)
	}
	sent, ok := c.known(from, give)
	taken, also := c.known(to, take)
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
	td, _ := c.entry(to)
	c.addUnfit(e, from, to, fmt.Sprintf("gives its neighbours %s, and rank %d expects %s of its own", amounts(sent),
		td.Rank, amounts(taken)))
	return false
}

// known returns the layouts of buffers; ok is false if there are none, or one is not known.
func (c *collectives) known(p ref, buffers []int32) (out []*typemap.Layout, ok bool) {
	for _, b := range buffers {
		if b < 0 {
			return nil, false
		}
		l := c.layouts[p.rank][b]
		if !l.Known() {
			return nil, false
		}
		out = append(out, l)
	}
	return out, len(out) > 0
}

// amounts lists what several buffers hold, each once.
func amounts(layouts []*typemap.Layout) string {
	var out []string
	for _, l := range layouts {
		if text := l.Amount(); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return strings.Join(out, " or ")
}

// choose returns the buffer for a member: that of all, or its own; -1 none.
func choose(buffers []int32, member int) int32 {
	switch {
	case len(buffers) == 1:
		return buffers[0]
	case member >= 0 && member < len(buffers):
		return buffers[member]
	}
	return -1
}

// addUnfit reports what a member does that another does not expect.
func (c *collectives) addUnfit(e *event, from, to ref, what string) {
	fd, fe := c.entry(from)
	_, te := c.entry(to)
	f := finding.New("collective_mismatch",
		fmt.Sprintf("%s on %s: rank %d %s", c.shape(from).name, e.comm.name(), fd.Rank, what),
		c.place(from.rank, fe.made, "gives"), c.place(to.rank, te.made, "takes"))
	f.Standard = "MPI-3.1 §5.1"
	f.Change = "let the count and type signature that each member gives be those that the other expects of it"
	c.found.Add(f)
}

// pairs compares what each member gives each other with what that one expects
// (§5.7, §5.8, §7.6), among those that edge connects; nil: all. Members whose parts look
// alike are compared once.
func (c *collectives) pairs(e *event, edge func(from, to ref) bool, fit func(e *event, from, to ref) bool) bool {
	alike := map[[2]int32]bool{}
	for _, from := range e.parts {
		for _, to := range e.parts {
			if e.comm.inter && c.side(from) == c.side(to) || edge != nil && !edge(from, to) {
				continue
			}
			key := [2]int32{c.shapeNumber(from), c.shapeNumber(to)}
			single := len(c.shape(from).give) == 1 && len(c.shape(to).take) == 1
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
	_, e := c.entry(p)
	return c.shapes[p.rank][e.shape]
}

// side tells the groups of an intercommunicator apart.
func (c *collectives) side(p ref) bool {
	return slices.Contains(c.communicatorOf(p).local, c.digests[p.rank].Rank)
}

func (c *collectives) communicatorOf(p ref) *communicator {
	d, e := c.entry(p)
	return c.comms[d.comms[e.comm].ID]
}

// neighbours tells whether the topology has an edge from one member to another.
func (c *collectives) neighbours(from, to ref) bool {
	fd, fe := c.entry(from)
	td, te := c.entry(to)
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
		s, d := c.shape(p), c.digests[p.rank]
		from, to := slices.Index(s.names, sources), slices.Index(s.names, destinations)
		_, entry := c.entry(p)
		me := int64(d.comms[entry.comm].Rank)
		if from < 0 || to < 0 || me < 0 {
			return true
		}
		ends[me] = p
		for _, rank := range s.values(from) {
			in[edge{rank, me}]++
		}
		for _, rank := range s.values(to) {
			out[edge{me, rank}]++
		}
	}
	if len(ends) < len(e.comm.members()) {
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
		c.oneEnd(e, k, out[k], in[k], ends)
	}
	return len(odd) == 0
}

// oneEnd reports an edge that its ends do not list alike; the end that lists it more often
// comes first.
func (c *collectives) oneEnd(e *event, k edge, out, in int, ends map[int64]ref) {
	name := c.shape(e.parts[0]).name
	from, known := ends[k.from]
	to, also := ends[k.to]
	if !known || !also {
		return // a rank that is none is an invalid argument
	}
	ranks := [2]int{c.digests[from.rank].Rank, c.digests[to.rank].Rank}
	says := [2]string{
		fmt.Sprintf("rank %d lists rank %d %s as a destination", ranks[0], ranks[1], times(out)),
		fmt.Sprintf("rank %d lists rank %d %s as a source", ranks[1], ranks[0], times(in)),
	}
	_, a := c.entry(from)
	_, b := c.entry(to)
	places := []finding.Place{c.place(from.rank, a.made, "collective"), c.place(to.rank, b.made, "collective")}
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

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
