package between

import (
	"fmt"
	"slices"
	"strings"

	"laggard/analysis/usage/replay"
	"laggard/model"
)

// maxShown bounds the calls that the message of a deadlock describes; the places
// are bounded likewise.
const maxShown = 16

// checkDeadlock reports the cores of what is stuck: ranks that wait only for each
// other, or for ranks that have ended. Others that wait for them are counted.
func (w *waits) checkDeadlock() {
	for _, core := range w.cores() {
		w.addDeadlock(core)
	}
}

// edges are the stuck ranks that a stuck rank waits for, as positions in digests.
func (w *waits) edges(at int32) []int32 {
	if out, ok := w.reached[at]; ok {
		return out
	}
	var out []int32
	for _, n := range w.lacking(at) {
		for _, r := range n.ranks {
			if to, ok := w.byRank[r]; ok && w.stuck(to) {
				out = append(out, to)
			}
		}
	}
	slices.Sort(out)
	w.reached[at] = slices.Compact(out)
	return w.reached[at]
}

// cores are the strongly connected components of the stuck ranks that no edge
// leaves, each in order of rank (Tarjan 1972).
func (w *waits) cores() [][]int32 {
	t := &components{edges: w.edges, seen: map[int32]int{}, low: map[int32]int{}, of: map[int32]int{}}
	for at := range w.standings {
		if _, done := t.seen[int32(at)]; !done && w.stuck(int32(at)) {
			t.visit(int32(at))
		}
	}
	var out [][]int32
	for i, c := range t.found {
		leaves := slices.ContainsFunc(c, func(at int32) bool {
			return slices.ContainsFunc(w.edges(at), func(to int32) bool { return t.of[to] != i })
		})
		if !leaves {
			slices.Sort(c)
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b []int32) int { return int(a[0] - b[0]) })
	return out
}

// components finds strongly connected components.
type components struct {
	edges     func(int32) []int32
	seen, low map[int32]int
	of        map[int32]int // the component of a node that has one
	stack     []int32
	found     [][]int32
}

// visit is the recursion of Tarjan's algorithm on a stack of its own, since chains
// may be as long as there are ranks.
func (t *components) visit(root int32) {
	type frame struct {
		at   int32
		next []int32
	}
	open := func(at int32) frame {
		t.seen[at] = len(t.seen)
		t.low[at] = t.seen[at]
		t.stack = append(t.stack, at)
		return frame{at, t.edges(at)}
	}
	frames := []frame{open(root)}
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		if len(f.next) > 0 {
			to := f.next[0]
			f.next = f.next[1:]
			if _, seen := t.seen[to]; !seen {
				frames = append(frames, open(to))
			} else if _, closed := t.of[to]; !closed {
				t.low[f.at] = min(t.low[f.at], t.seen[to])
			}
			continue
		}
		t.close(f.at)
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			up := frames[len(frames)-1].at
			t.low[up] = min(t.low[up], t.low[f.at])
		}
	}
}

// close takes the component of a node off the stack if the node is its first.
func (t *components) close(at int32) {
	if t.low[at] != t.seen[at] {
		return
	}
	i := slices.Index(t.stack, at)
	c := slices.Clone(t.stack[i:])
	t.stack = t.stack[:i]
	for _, x := range c {
		t.of[x] = len(t.found)
	}
	t.found = append(t.found, c)
}

// cycle returns a shortest cycle through the first rank of a core; the whole core
// if a rank in it waits for several and there is no such way.
func (w *waits) cycle(core []int32) []int32 {
	from := map[int32]int32{}
	queue := []int32{core[0]}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, to := range w.edges(at) {
			if to == core[0] {
				path := []int32{at}
				for at != core[0] {
					at = from[at]
					path = append(path, at)
				}
				slices.Reverse(path)
				return path
			}
			if _, seen := from[to]; !seen {
				from[to] = at
				queue = append(queue, to)
			}
		}
	}
	return core[:1]
}

func (w *waits) addDeadlock(core []int32) {
	cycle := w.cycle(core)
	w.checkOrder(cycle)
	if w.needsAny(core) {
		cycle = core // a knot: no single cycle shows why
	}
	cycle = w.culpritFirst(cycle)
	var says []string
	var places []usage.Place
	for i, at := range cycle {
		if i == maxShown {
			says = append(says, fmt.Sprintf("and %d more ranks", len(cycle)-i))
			break
		}
		says = append(says, w.says(at))
		places = append(places, w.standsAt(at)...)
	}
	f := usage.NewFinding("deadlock", strings.Join(says, "; ")+w.consequence(core), places...)
	var behind model.RankSet
	for at := range w.standings {
		if w.stuck(int32(at)) {
			behind.Add(w.digests[at].Rank)
		}
	}
	for _, at := range core {
		f.Ranks.Add(w.digests[at].Rank)
	}
	if behind = behind.Minus(f.Ranks); behind.Len() > 0 && len(w.cores()) == 1 {
		f.Message += fmt.Sprintf("; %s waits behind", rankList(behind.Slice()))
		if behind.Len() > 1 {
			f.Message = strings.TrimSuffix(f.Message, "waits behind") + "wait behind"
		}
	}
	if change := w.change(core); change != "" {
		f.Change = change
	}
	w.found.Add(f)
}

// culpritFirst turns a cycle so that a call for a message comes first, or at least
// one other than MPI_Finalize: where a collective waits, others are late.
func (w *waits) culpritFirst(cycle []int32) []int32 {
	for _, fits := range []func(at int32) bool{
		func(at int32) bool {
			return slices.ContainsFunc(w.lacking(at), func(n need) bool { return n.message != none })
		},
		func(at int32) bool { return w.callAt(at) != "MPI_Finalize" },
	} {
		if i := slices.IndexFunc(cycle, fits); i >= 0 {
			return append(slices.Clone(cycle[i:]), cycle[:i]...)
		}
	}
	return cycle
}

// checkOrder reports a cycle of collectives only: the members call those of several
// communicators in different order (§5.13).
func (w *waits) checkOrder(cycle []int32) {
	comms := map[*communicator]bool{}
	var says []string
	var places []usage.Place
	for _, at := range cycle {
		for _, n := range w.lacking(at) {
			if n.event == nil || w.mixed(n.event) {
				return
			}
			comms[n.event.comm] = true
			if len(says) < maxShown {
				says = append(says, fmt.Sprintf("rank %d calls %s on %s", w.digests[at].Rank, w.callAt(at), n.event.comm.name()))
				places = append(places, w.standsAt(at)...)
			}
		}
	}
	if len(comms) > 1 {
		f := usage.NewFinding("collective_mismatch", "the order of collectives on several communicators differs: "+strings.Join(says, ", "), places...)
		f.Standard, f.Change = "MPI-3.1 §5.13", "let all members call the collectives of all communicators in the same order"
		w.found.Add(f)
	}
}

func (w *waits) callAt(at int32) string {
	return w.digests[at].steps[w.standings[at].calls[0].step].fn().Name
}

func (w *waits) needsAny(core []int32) bool {
	return slices.ContainsFunc(core, func(at int32) bool {
		return slices.ContainsFunc(w.standings[at].calls, func(b *blocked) bool {
			return b.any && len(b.needs) > 1 || slices.ContainsFunc(b.needs, func(n need) bool { return n.any && len(n.ranks) > 1 })
		})
	})
}

// says describes what a stuck rank waits for.
func (w *waits) says(at int32) string {
	d := w.digests[at]
	var parts []string
	for _, c := range w.standings[at].calls {
		var whats []string
		for _, n := range c.needs {
			if !w.canCome(n) {
				whats = append(whats, n.what+w.ended(n))
			}
		}
		if len(whats) > 3 {
			whats = append(whats[:3], fmt.Sprintf("%d more", len(whats)-3))
		}
		link := " and "
		if c.any {
			link = " or "
		}
		verb := "waits in"
		if c.loop {
			verb = "polls in vain with"
		}
		parts = append(parts, fmt.Sprintf("rank %d %s %s for %s", d.Rank, verb, d.steps[c.step].fn().Name, strings.Join(whats, link)))
	}
	return strings.Join(parts, "; ")
}

// ended says which of the ranks that a need waits for have ended.
func (w *waits) ended(n need) string {
	var gone []int
	for _, r := range n.ranks {
		if at, ok := w.byRank[r]; ok && w.standings[at].ended {
			gone = append(gone, r)
		}
	}
	if len(gone) == 0 {
		return ""
	}
	if len(n.ranks) == 1 {
		return ", which has ended"
	}
	return fmt.Sprintf(" (%s ended)", rankList(gone))
}

func (w *waits) standsAt(at int32) []usage.Place {
	var out []usage.Place
	for _, c := range w.standings[at].calls {
		out = append(out, w.place(at, c.step, "waits"))
	}
	return out
}

// consequence says which other finding the deadlock follows from.
func (w *waits) consequence(core []int32) string {
	for _, at := range core {
		for _, n := range w.lacking(at) {
			if n.event != nil && w.mixed(n.event) {
				return "; this follows from the collectives that do not match"
			}
			if n.message != none && w.nearMiss[n.message] {
				return "; this follows from the message that does not match"
			}
		}
	}
	return ""
}

// mixed tells whether members made different calls.
func (j *job) mixed(e *event) bool {
	d, first := j.entry(e.parts[0])
	name := d.shapes[first.shape].name
	return slices.ContainsFunc(e.parts, func(p ref) bool {
		o, entry := j.entry(p)
		return o.shapes[entry.shape].name != name
	})
}

// change says what to do where the general advice of the class does not help.
func (w *waits) change(core []int32) string {
	collective, message := false, false
	for _, at := range core {
		for _, n := range w.lacking(at) {
			collective = collective || n.event != nil
			message = message || n.message != none
		}
	}
	switch {
	case collective && !message:
		return "let all members call the collectives of all communicators in the same order"
	case collective:
		return "let all members make the collective call at the same place among their sends and receives"
	}
	return ""
}
