package between

import (
	"fmt"
	"slices"
	"strings"

	"laggard/analysis/usage/finding"
	"laggard/model"
)

// breakCycles finds cycles among the threads that stand, reports each, and lets its
// threads go on as they did in truth. It returns false if there is none.
func (r *rendezvous) breakCycles() bool {
	s := &cycleSearch{rendezvous: r, color: map[int32]uint8{}}
	for _, t := range r.threads {
		if at, ok := t.now(); ok && s.color[at] == 0 {
			s.visit(at)
		}
	}
	return s.broke
}

// cycleSearch is a depth-first search along open links, backwards.
type cycleSearch struct {
	*rendezvous
	color map[int32]uint8 // 0 not seen, 1 on the path, 2 done
	path  []hop
	broke bool
}

// hop is a node on the path, and the link by which it waits for the next.
type hop struct{ node, link int32 }

func (s *cycleSearch) visit(root int32) {
	s.color[root] = 1
	s.path = append(s.path, hop{root, s.in[root]})
	for len(s.path) > 0 {
		h := &s.path[len(s.path)-1]
		to := s.nextNode(h)
		switch {
		case to < 0:
			s.color[h.node] = 2
			s.path = s.path[:len(s.path)-1]
			s.advanceTop()
		case s.color[to] == 0:
			s.color[to] = 1
			s.path = append(s.path, hop{to, s.in[to]})
		case s.color[to] == 1:
			i := slices.IndexFunc(s.path, func(x hop) bool { return x.node == to })
			s.breakCycle(s.path[i:])
			for _, x := range s.path[i:] {
				s.color[x.node] = 2
			}
			s.path = s.path[:i]
			s.advanceTop()
		default:
			h.link = s.links[h.link].nextIn
		}
	}
}

// advanceTop lets the end of the path try its next link.
func (s *cycleSearch) advanceTop() {
	if len(s.path) > 0 {
		h := &s.path[len(s.path)-1]
		h.link = s.links[h.link].nextIn
	}
}

// nextNode moves to the next open link of a hop and returns what is behind it, -1 none.
func (s *cycleSearch) nextNode(h *hop) int32 {
	for ; h.link >= 0; h.link = s.links[h.link].nextIn {
		l := &s.links[h.link]
		if l.kind == dropped || s.begun[l.from] {
			continue
		}
		if to := s.blockingNode(l.from); to >= 0 {
			return to
		}
	}
	return -1
}

// breakCycle reports a cycle and opens it where MPI did: at the sends that it
// buffered, or else at the collectives that it did not wait for.
func (s *cycleSearch) breakCycle(cycle []hop) {
	open := s.linksOfKind(cycle, buffered)
	if len(open) == 0 {
		open = s.linksOfKind(cycle, together)
	}
	if len(open) == 0 {
		return // it did not happen so: the recording has gaps
	}
	s.reportCycle(rotateToLowest(cycle))
	s.broke = true
	for _, l := range open {
		s.links[l].kind = dropped
		s.satisfyNeed(s.links[l].to)
	}
}

// linksOfKind returns the links of a cycle of one kind into steps.
func (s *cycleSearch) linksOfKind(cycle []hop, w linkKind) []int32 {
	var out []int32
	for _, h := range cycle {
		if s.links[h.link].kind == w && int(h.node) < s.steps {
			out = append(out, h.link)
		}
	}
	return out
}

// rotateToLowest puts the lowest node first.
func rotateToLowest(cycle []hop) []hop {
	low := 0
	for i := range cycle {
		if cycle[i].node < cycle[low].node {
			low = i
		}
	}
	return append(slices.Clone(cycle[low:]), cycle[:low]...)
}

// reportCycle makes the warning of a cycle.
func (s *cycleSearch) reportCycle(cycle []hop) {
	var says []string
	var places []finding.Place
	var ranks model.RankSet
	sends := false
	for i, h := range cycle {
		if int(h.node) >= s.steps {
			continue
		}
		rank := s.rankOf(h.node)
		ranks.Add(s.digests[rank].Rank)
		sends = sends || s.links[h.link].kind == buffered
		if len(says) < maxShown {
			says = append(says, s.describeHop(h, cycle[(i+1)%len(cycle)]))
			places = append(places, s.placeOf(rank, h.node-s.base[rank], "waits"))
		}
	}
	more := ""
	if n := ranks.Len(); n > len(says) {
		more = fmt.Sprintf("; and so on through %d ranks", n)
	}
	why := "this works only while MPI buffers the messages"
	if !sends {
		why = "this works only while the collective does not synchronise"
	}
	f := finding.New("potential_deadlock", strings.Join(says, "; ")+more+": "+why, places...)
	f.Ranks = ranks
	if !sends {
		f.Standard = "MPI-3.1 §5.14"
		f.Change = "let all members make the collective call at the same place among their sends and receives"
	}
	s.found.Add(f)
}

// describeHop describes for what a step waits in a cycle.
func (s *cycleSearch) describeHop(h, next hop) string {
	l := &s.links[h.link]
	d, st := s.stepOf(h.node)
	head := fmt.Sprintf("rank %d in %s needs ", d.Rank, st.fn().Name)
	if int(l.from) >= s.steps {
		e := s.events[int(l.from)-s.steps]
		return head + fmt.Sprintf("all of %s", e.comm.name())
	}
	od, ost := s.stepOf(l.from)
	return head + fmt.Sprintf("%s of rank %d", ost.fn().Name, od.Rank)
}

func (s *cycleSearch) stepOf(node int32) (*Digest, *step) {
	rank := s.rankOf(node)
	return s.digests[rank], s.digests[rank].step(node - s.base[rank])
}
