package between

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"laggard/analysis/usage/finding"
	"laggard/model"
)

// collectives compares what the members of each communicator bring to each of its
// collectives. What has been seen to fit is not compared again.
type collectives struct {
	*job
	shapes  [][]int32 // by digest and shape: a number that is the same for the same shape at every rank
	numbers map[string]int32
	fitting map[string]bool
	broken  map[*communicator]bool // its calls are out of step, so that what follows says nothing
}

// checkCollectives finds collectives in which the members differ (§5.1, §5.13).
func (j *job) checkCollectives() {
	c := &collectives{job: j, numbers: map[string]int32{}, fitting: map[string]bool{}, broken: map[*communicator]bool{}}
	for rank, d := range j.digests {
		numbers := make([]int32, len(d.shapes))
		for i := range d.shapes {
			numbers[i] = c.internShape(rank, &d.shapes[i])
		}
		c.shapes = append(c.shapes, numbers)
	}
	for _, e := range j.events {
		if !c.broken[e.comm] && e.round == 0 && e.number > 0 && c.noneIncomplete(e.comm) {
			c.checkEvent(e)
		}
	}
}

// internShape gives shapes that are the same, signatures included, the same number.
func (c *collectives) internShape(rank int, s *shape) int32 {
	key := string(s.key(func(b int32) []byte {
		if b < 0 {
			return []byte{0}
		}
		sig := c.layouts[rank][b].Signature()
		out := binary.AppendVarint([]byte{1}, sig.Elements)
		out = binary.LittleEndian.AppendUint64(out, sig.Hash)
		return binary.AppendVarint(out, c.digests[rank].buffers[b].count)
	}))
	return numberOf(c.numbers, key, func() {})
}

// noneIncomplete reports whether no member lacks a part of its recording, so that the
// numbers of their collectives mean the same. One may lack all of it.
func (c *collectives) noneIncomplete(comm *communicator) bool {
	return !slices.ContainsFunc(comm.allMembers(), func(r int) bool {
		at, ok := c.byRank[r]
		return ok && !c.digests[at].complete
	})
}

func (c *collectives) shapeOf(part ref) *shape {
	d, e := c.entryAt(part)
	return &d.shapes[e.shape]
}

func (c *collectives) checkEvent(e *event) {
	if refused := c.refusedParts(e); refused > 0 {
		c.broken[e.comm] = refused < len(e.parts) // whose next call is whose is not known
		return
	}
	key := binary.AppendUvarint(nil, e.comm.id)
	for _, p := range e.parts {
		_, entry := c.entryAt(p)
		key = binary.AppendVarint(binary.AppendVarint(key, int64(p.rank)), int64(c.shapes[p.rank][entry.shape]))
	}
	if c.fitting[string(key)] {
		return
	}
	if c.reportMismatch(e, "", func(p ref) string { return c.shapeOf(p).name }) {
		c.broken[e.comm] = true
		return
	}
	c.checkMissing(e)
	if c.sameRoot(e) && c.sameOp(e) && c.sameSettings(e) && c.sameEdges(e) && c.sameData(e) {
		c.fitting[string(key)] = true
	}
}

// reportMismatch reports the members for which text is not the same. What it is of is said
// by the noun, "" for the call itself.
func (c *collectives) reportMismatch(e *event, noun string, text func(ref) string) bool {
	groups := map[string][]ref{}
	var order []string
	for _, p := range e.parts {
		t := text(p)
		if t == "" {
			continue
		}
		if groups[t] == nil {
			order = append(order, t)
		}
		groups[t] = append(groups[t], p)
	}
	if len(order) < 2 {
		return false
	}
	// The smaller group is more likely wrong; of equal groups the later one.
	slices.SortStableFunc(order, func(a, b string) int { return len(groups[a]) - len(groups[b]) })
	if len(groups[order[0]]) == len(groups[order[len(order)-1]]) {
		slices.Reverse(order)
	}
	var says []string
	var places []finding.Place
	for _, t := range order {
		says = append(says, c.describeGroup(groups[t], noun, t))
		_, entry := c.entryAt(groups[t][0])
		places = append(places, c.placeOf(groups[t][0].rank, entry.made, "collective"))
	}
	name := c.shapeOf(e.parts[0]).name
	message := fmt.Sprintf("collective %d on %s: %s", e.number, e.comm.name(), strings.Join(says, ", "))
	if noun != "" {
		message = fmt.Sprintf("%s on %s: %s", name, e.comm.name(), strings.Join(says, ", "))
	}
	f := finding.New("collective_mismatch", message, places...)
	for _, p := range e.parts {
		f.Ranks.Add(c.digests[p.rank].Rank)
	}
	f.Standard, f.Change = mismatchAdvice(name, noun)
	c.found.Add(f)
	return true
}

// describeGroup names the ranks of a group and what they call or give.
func (c *collectives) describeGroup(group []ref, noun, text string) string {
	var ranks model.RankSet
	for _, p := range group {
		ranks.Add(c.digests[p.rank].Rank)
	}
	who, verb := "rank", "calls"
	if len(group) > 1 {
		who, verb = "ranks", "call"
	}
	if noun == "" {
		return fmt.Sprintf("%s %s %s %s", who, ranks, verb, text)
	}
	verb = map[string]string{"calls": "has", "call": "have"}[verb]
	return fmt.Sprintf("%s %s %s %s %s", who, ranks, verb, noun, text)
}

// mismatchAdvice returns the section that asks for equality, and what to change.
func mismatchAdvice(function, noun string) (standard, change string) {
	switch noun {
	case "":
		return "MPI-3.1 §5.1, §5.12, §5.13", "let all members make the same collective calls in the same order; " +
			"a nonblocking one does not match a blocking one"
	case "root":
		return "MPI-3.1 §5.1", "pass the same root on all members"
	case "operation":
		return "MPI-3.1 §5.9", "pass the same operation on all members"
	case "data":
		return "MPI-3.1 §5.1, §5.9", "pass the same count and type signature on all members"
	}
	return "MPI-3.1 " + sectionOf(function), "pass the same " + noun + " at all members"
}

func sectionOf(function string) string {
	switch {
	case strings.HasPrefix(function, "MPI_File"):
		return "§13.2, §13.4"
	case strings.HasPrefix(function, "MPI_Intercomm"):
		return "§6.6"
	case strings.HasPrefix(function, "MPI_Win"):
		return "§11.5.5"
	}
	return "§7.5"
}

func (c *collectives) sameOp(e *event) bool {
	return !c.reportMismatch(e, "operation", func(p ref) string { return c.shapeOf(p).op })
}

func (c *collectives) sameSettings(e *event) bool {
	for i, name := range c.shapeOf(e.parts[0]).names {
		if name != sources && name != destinations && c.reportMismatch(e, name, func(p ref) string {
			if s := c.shapeOf(p); i < len(s.names) {
				return s.settingText(i)
			}
			return ""
		}) {
			return false
		}
	}
	return true
}

// settingValues are those of argument i of the settings.
func (s *shape) settingValues(i int) []int64 {
	v := s.settings
	for ; i > 0; i-- {
		v = v[1+v[0]:]
	}
	return v[1 : 1+v[0]]
}

// settingText writes argument i of those that must agree.
func (s *shape) settingText(i int) string {
	v := s.settingValues(i)
	text := strings.Trim(fmt.Sprint(v), "[]")
	if len(v) != 1 {
		text = "(" + strings.ReplaceAll(text, " ", ", ") + ")"
	}
	return text
}

// checkMissing reports members that ended without coming to a collective.
func (c *collectives) checkMissing(e *event) {
	name := c.shapeOf(e.parts[0]).name
	if len(e.parts) == len(e.comm.allMembers()) || name == "MPI_Finalize" { // its absence is of another class
		return
	}
	var absent model.RankSet
	for _, m := range c.missingMembers(e) {
		if at, ok := c.byRank[m]; ok && c.digests[at].finished {
			absent.Add(m)
		}
	}
	if absent.Len() == 0 {
		return
	}
	who, verb := "rank", "never calls"
	if absent.Len() > 1 {
		who, verb = "ranks", "never call"
	}
	_, entry := c.entryAt(e.parts[0])
	f := finding.New("collective_mismatch",
		fmt.Sprintf("%s %s %s %s on %s, %s", who, absent, verb, name, e.comm.name(), c.describeGroup(e.parts, "", "it")),
		c.placeOf(e.parts[0].rank, entry.made, "collective"))
	f.Ranks = f.Ranks.Union(absent)
	f.Standard, f.Change = mismatchAdvice(name, "")
	c.found.Add(f)
	c.broken[e.comm] = true
}
