package compare

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"laggard/model"
	"laggard/symbol"
)

const worldKind = model.World

// comparison is the profiles of all runs by places, and what is to be known of them.
type comparison struct {
	places    *places
	goodRanks []*behaviour // ranks of all good runs
	badRanks  []*behaviour
	units     []*unit
	timing    *timing
	sameSize  bool
}

func newComparison(p *places, runs []*runRead) *comparison {
	c := &comparison{places: p, sameSize: true}
	for i, r := range runs {
		for _, g := range r.Groups {
			b := newBehaviour(g, p.number[i])
			if i == p.last {
				c.badRanks = append(c.badRanks, b)
			} else {
				c.goodRanks = append(c.goodRanks, b)
			}
		}
	}
	size := largestSize(c.badRanks)
	for _, g := range c.goodRanks {
		c.sameSize = c.sameSize && g.Size == size
	}
	c.units = newUnits(c.badRanks, c.goodRanks, c.sameSize)
	c.timing = newTiming(p, append(c.goodRanks[:len(c.goodRanks):len(c.goodRanks)], c.badRanks...))
	return c
}

func largestSize(ranks []*behaviour) (size int) {
	for _, b := range ranks {
		size = max(size, b.Size)
	}
	return size
}

// answer fills in what differs, and how much was compared.
func (c *comparison) answer(out *Result) {
	if len(c.goodRanks) == 0 || len(c.badRanks) == 0 {
		out.Notes = append(out.Notes, "a run has no record of any rank: nothing was compared")
		return
	}
	var found []Finding
	for _, u := range c.units {
		found = append(found, c.findDifferences(u)...)
	}
	out.Findings = sortFindings(joinFindings(found))
	out.Classes = newClasses(out.Findings)
	cut := func(b *behaviour) bool { return b.Cut }
	out.BadCutOff, out.GoodCutOff = slices.ContainsFunc(c.badRanks, cut), slices.ContainsFunc(c.goodRanks, cut)
	out.Notes = append(out.Notes, c.notes()...)
	out.Compared = c.countCompared()
}

// findDifferences lists what a unit did otherwise. What changes explain is not listed by itself.
func (c *comparison) findDifferences(u *unit) []Finding {
	s := structure{c, u}
	found := c.findErrors(u)
	explained, touched := map[int]bool{}, map[int]bool{}
	for _, ch := range s.findChanges() {
		if !s.followsError(ch, found) {
			found = append(found, s.describe(ch))
		}
		for _, place := range ch.explained() {
			explained[place] = true
		}
		for _, place := range ch.touched() {
			touched[place] = true
		}
	}
	k, p := counts{c, u, touched}, partners{c, u, explained}
	return slices.Concat(found, k.findCounts(), p.findMessages(), p.findCollectives(), p.findSizes())
}

// notes say what was not compared, and where the bad run stood.
func (c *comparison) notes() (out []string) {
	if !c.sameSize {
		out = append(out, "the runs have different numbers of ranks: messages, sizes, branches and the order of known calls "+
			"were not compared")
	}
	stands := map[int]model.RankSet{}
	for _, b := range c.badRanks {
		if b.Cut && b.Stands >= 0 {
			stands[b.Stands] = stands[b.Stands].Union(b.ranks)
		}
	}
	var where []string
	byRank := func(a, b int) int { return stands[a].Min() - stands[b].Min() }
	for _, place := range slices.SortedFunc(maps.Keys(stands), byRank) {
		where = append(where, fmt.Sprintf("%s in %s", stands[place].Phrase(), c.placeText(place)))
	}
	if n := len(where); n > maxStands {
		where = append(where[:maxStands], fmt.Sprintf("others in %d more places", n-maxStands))
	}
	if where != nil {
		out = append(out, "the bad run was cut off: "+strings.Join(where, ", "))
	}
	return out
}

// maxStands is how many places a note says.
const maxStands = 4

// placeText names a place in a sentence.
func (c *comparison) placeText(number int) string {
	p := c.places.place(number)
	stack := p.Bad
	if stack == nil {
		stack = p.Good
	}
	_, call, _ := symbol.AppCall(stack)
	switch {
	case call.Function == "":
		return p.Call
	case call.File == "":
		return fmt.Sprintf("%s in %s", p.Call, call.Function)
	}
	return fmt.Sprintf("%s in %s (%s:%d)", p.Call, call.Function, path.Base(call.File), call.Line)
}

// commText names a communicator, window or file so that equal names are of the same one in all runs.
func (c *comparison) commText(ref commRef) string {
	switch {
	case ref.Kind == model.World:
		return "MPI_COMM_WORLD"
	case ref.Kind == model.Self:
		return "MPI_COMM_SELF"
	case ref.Made < 0:
		return "an unknown communicator"
	}
	return "that of " + c.placeText(ref.Made)
}

func (c *comparison) countCompared() Compared {
	out := Compared{Places: len(c.places.list), Messages: c.sameSize}
	for place := range c.places.list {
		if visitedByAny(c.badRanks, place) {
			out.BadPlaces++
			if visitedByAny(c.goodRanks, place) {
				out.BadKnown++
			}
		}
	}
	all := map[[2]int]bool{}
	for _, list := range [][]*behaviour{c.goodRanks, c.badRanks} {
		for _, b := range list {
			for _, p := range b.Passages {
				all[[2]int{p.From, p.To}] = true
			}
		}
	}
	out.Passages = len(all)
	for _, b := range c.goodRanks {
		out.GoodRanks += b.ranks.Len()
	}
	for _, b := range c.badRanks {
		out.BadRanks += b.ranks.Len()
	}
	return out
}
