package divergence

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing"
)

// TestTranscripts finds the divergences of the histories in testdata; -rewrite
// writes what came out. A line is a set of ranks and what they began on one
// communicator: "0-2: Bcast@a/0 (Allreduce@b:8 Barrier@c)*20" is a Bcast from place
// a with root 0, and twenty times an Allreduce of 8 bytes and a Barrier. "comm 5"
// begins another communicator. "apart number=7" asks from where the seventh was begun, and
// "strayed" for the calls before the first that differs, made from different places. "shifted waiting=2" asks what
// parted if rank 2 waits in the latest collective of its line. "Bcast@a'" is another copy of the code of "Bcast@a".
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			comms, err := parseHistories(d.Input)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			found := Find(comms, placeOf)
			switch d.Cmd {
			case "find":
				return formatDivergences(found)
			case "strayed":
				return formatDivergences(found) + formatSteps(found[0].SiteDifferences())
			case "shifted":
				var waiting int
				d.ScanArgs(t, "waiting", &waiting)
				return formatDivergences(FindShifted(comms, func(rank int, comm, number uint64) bool {
					return rank == waiting && lastOf(comms, rank, comm) == number
				}))
			}
			var number uint64
			d.ScanArgs(t, "number", &number)
			if a := CompareSites(comms, comms[0].ID, number); a != nil {
				return formatDivergences([]Divergence{*a})
			}
			return formatDivergences(nil)
		})
	})
}

func placeOf(s *model.State) string {
	place, _, _ := strings.Cut(strings.TrimRight(string(s.ID[:]), "\x00"), "'")
	return place
}

// lastOf is the number of the latest collective of a rank on a communicator.
func lastOf(comms []Comm, rank int, id uint64) (last uint64) {
	for _, c := range comms {
		for _, l := range c.Lines {
			if c.ID == id && l.Ranks.Contains(rank) {
				last = l.Last()
			}
		}
	}
	return last
}

func parseHistories(text string) ([]Comm, error) {
	comms := []Comm{{ID: 1, Kind: model.World}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if id, is := strings.CutPrefix(line, "comm "); is {
			n, err := strconv.ParseUint(id, 10, 64)
			if err != nil {
				return nil, err
			}
			comms = append(comms, Comm{ID: n})
			continue
		}
		who, what, _ := strings.Cut(line, ":")
		ranks, err := model.ParseRankSet(who)
		if err != nil {
			return nil, err
		}
		c := &comms[len(comms)-1]
		c.Lines = append(c.Lines, lineOf(ranks, readCalls(what)))
		c.Members = c.Members.Union(ranks)
	}
	return comms, nil
}

// readCalls reads the calls, with repetitions written out.
func readCalls(text string) []Call {
	var out []Call
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		if text[0] != '(' {
			word, rest, _ := strings.Cut(text, " ")
			out, text = append(out, callOf(word)), rest
			continue
		}
		end := closingParen(text)
		times, after, _ := strings.Cut(text[end+len(")*"):], " ")
		n, _ := strconv.Atoi(times)
		out, text = append(out, slices.Repeat(readCalls(text[1:end]), n)...), after
	}
	return out
}

// closingParen is where the parenthesis that a text begins with is closed.
func closingParen(text string) int {
	open := 0
	return strings.IndexFunc(text, func(r rune) bool {
		switch r {
		case '(':
			open++
		case ')':
			open--
		}
		return open == 0
	})
}

func callOf(word string) Call {
	c := Call{Begun: model.Begun{Root: model.None, Bytes: -1}}
	word, bytes, sized := strings.Cut(word, ":")
	if sized {
		c.Bytes, _ = strconv.ParseInt(bytes, 10, 64)
	}
	word, root, rooted := strings.Cut(word, "/")
	if rooted {
		c.Root, _ = strconv.Atoi(root)
	}
	function, place, _ := strings.Cut(word, "@")
	c.State = &model.State{Call: "MPI_" + function}
	copy(c.State.ID[:], function+"@"+place)
	return c
}

// lineOf keeps of the calls what the recorder would.
func lineOf(ranks model.RankSet, calls []Call) Line {
	l := Line{Ranks: ranks}
	var all, sites uint64
	for i := range calls {
		c := &calls[i]
		all = mixHash(all, c.Function(), c.Root, c.Op, c.Bytes)
		sites = mixHash(sites, c.State.ID)
		c.Mark = model.Mark{Number: uint64(i + 1), Calls: all, Sites: sites}
		c.Order = uint32(i + 1)
	}
	n := len(calls)
	for step := 16; step < n; step *= 4 {
		for k := n / step; k > 0 && n/step-k < 2; k-- {
			l.Marks = append(l.Marks, calls[k*step-1].Mark)
		}
	}
	slices.SortFunc(l.Marks, func(a, b model.Mark) int { return int(a.Number) - int(b.Number) })
	l.Latest = calls[max(0, n-32):]
	return l
}

func mixHash(h uint64, parts ...any) uint64 {
	f := fnv.New64a()
	fmt.Fprint(f, h, parts)
	return f.Sum64()
}

func formatDivergences(found []Divergence) string {
	var b strings.Builder
	for _, d := range found {
		fmt.Fprintf(&b, "communicator %d: %s agree, majority %v\n", d.Comm, d.Agree, d.Majority)
		for _, o := range d.Odd {
			fmt.Fprintf(&b, "  %s: %s at %d, alike up to %d:%s; the others%s; then %d alike\n",
				o.Ranks, o.Kind, o.Number, o.After, callNames(o.Calls), callNames(o.Theirs), o.AgreeAfterShift)
		}
	}
	if len(found) == 0 {
		return "none\n"
	}
	return b.String()
}

func formatSteps(strayed []SiteDifference) string {
	name := func(c *Call) string {
		if c == nil {
			return " -"
		}
		return callNames([]Call{*c})
	}
	var b strings.Builder
	for _, s := range strayed {
		fmt.Fprintf(&b, "    behind%s:%s, then%s; the others%s, then%s\n",
			name(s.Before), name(s.Own), name(s.NextOwn), name(s.Theirs), name(s.NextTheirs))
	}
	return b.String()
}

func callNames(calls []Call) string {
	out := ""
	for _, c := range calls {
		out += " " + strings.TrimRight(string(c.State.ID[:]), "\x00")
		if c.Root != model.None {
			out += fmt.Sprintf("/%d", c.Root)
		}
		if c.Bytes >= 0 {
			out += fmt.Sprintf(":%d", c.Bytes)
		}
	}
	return out
}

// TestLeft: of the ranks behind, those that went elsewhere are the odd ones; if they
// are the many, those that stayed, unless those that went did so by a fault.
func TestLeft(t *testing.T) {
	three := "0-2: Bcast@a/0 Allreduce@b\n3: Bcast@a/0 Allreduce@b Barrier@c\n4: Bcast@a/0"
	// Rank 0 came by another place.
	places := "0: Bcast@x/0\n1-3: Bcast@a/0\n4: Bcast@a/0 Barrier@c"
	gone := func(fault bool, ranks ...int) func(int, uint64, uint64) *Elsewhere {
		return func(rank int, _, _ uint64) *Elsewhere {
			if !slices.Contains(ranks, rank) {
				return nil
			}
			return &Elsewhere{Kind: ErrorPath, Call: callOf("Finalize@end"), Fault: fault}
		}
	}
	for _, c := range []struct {
		begun string
		gone  []int
		fault bool
		want  string
	}{
		{three, nil, false, "none\n"},
		{three, []int{4}, false, "communicator 1: 0-3 agree, majority true\n" +
			"  4: error_path at 2, alike up to 1: Allreduce@b; the others Allreduce@b; then 0 alike\n"},
		{three, []int{0, 1, 2}, true, "communicator 1: 3 agree, majority false\n" +
			"  0-2: error_path at 3, alike up to 2: Barrier@c; the others Barrier@c; then 0 alike\n"},
		{three, []int{0, 1, 2}, false, "communicator 1: 0-2 agree, majority true\n" +
			"  3: extra at 3, alike up to 2: Barrier@c; the others Finalize@end; then 0 alike\n"},
		{places, []int{0, 1, 2, 3}, false, "communicator 1: 0-3 agree, majority true\n" +
			"  4: extra at 2, alike up to 1: Barrier@c; the others Finalize@end; then 0 alike\n"},
	} {
		comms := musttest.Get(parseHistories(c.begun))(t)
		checktest.Equal(t, c.want, formatDivergences(FindEarlyLeavers(comms, gone(c.fault, c.gone...))), c.begun, "gone", c.gone)
	}
}

// TestDecideAgainst: a call that the others come to, too, was not made in addition to
// the message that they wait for.
func TestDecideAgainst(t *testing.T) {
	for _, c := range []struct {
		ways slicing.Ways
		want Kind
	}{
		{slicing.Ways{Before: true}, Extra},
		{slicing.Ways{}, Extra},
		{slicing.Ways{After: true}, Skipped},
		{slicing.Ways{After: true, Again: true}, LoopCount},
	} {
		own, wait := callOf("Reduce@end"), callOf("Waitall@loop")
		own.Number = 1
		d := Divergence{Odd: []Odd{{Deviation{Kind: Extra, Number: 1, Calls: []Call{own}, Theirs: []Call{wait}},
			Line{Latest: []Call{own}}}}}
		o := &d.Odd[0]
		if changed := d.Decide(c.ways, false); o.Kind != c.want || changed != (c.want != Extra) {
			t.Errorf("%+v: %s, changed %v; want %s", c.ways, o.Kind, changed, c.want)
		}
		out, in := o.Calls[0].Function(), o.Own().Function()
		if o.Kind != Extra && (!o.Fewer || out != "MPI_Waitall" || in != "MPI_Reduce") {
			t.Errorf("%+v: left out %s, own %s", c.ways, out, in)
		}
	}
}

// TestDecideRepeated: a rank that makes its last call again, where the other call comes next in each round, has left that out, or goes
// round a loop of its own once more. It does the latter where the code comes to the call again, and not without the other one in a round.
func TestDecideRepeated(t *testing.T) {
	for _, c := range []struct {
		ways slicing.Ways
		want Kind
	}{
		{slicing.Ways{Before: true, Passed: true, Again: true}, Skipped},
		{slicing.Ways{Before: true, Again: true}, LoopCount},
	} {
		comms := musttest.Get(parseHistories("0-2: Sum@a Barrier@b Sum@a Barrier@b Sum@a\n3: Sum@a Barrier@b Sum@a Barrier@b Barrier@b"))(t)
		d := Find(comms, placeOf)[0]
		o := &d.Odd[0]
		d.Decide(c.ways, false)
		checktest.Equal(t, c.want, o.Kind, fmt.Sprintf("%+v", c.ways))
		checktest.Equal(t, c.want == Skipped, o.Fewer, fmt.Sprintf("%+v: fewer", c.ways))
	}
}

// TestDecideAcross: of calls on two communicators the code tells which was left out.
func TestDecideAcross(t *testing.T) {
	for _, c := range []struct {
		ways   slicing.Ways
		loop   bool
		kind   Kind
		comm   uint64
		number uint64
	}{
		{slicing.Ways{}, false, Order, 1, 10},
		{slicing.Ways{Before: true}, false, Skipped, 2, 4},
		{slicing.Ways{Before: true}, true, LoopCount, 2, 4},
		{slicing.Ways{After: true}, false, Extra, 1, 10},
		{slicing.Ways{After: true}, true, LoopCount, 1, 10},
	} {
		own, theirs := callOf("Barrier@end"), callOf("Bcast@loop/0")
		own.Number, theirs.Number = 10, 4
		d := Divergence{Comm: 1, On: model.CommRef{ID: 1}, OtherOn: model.CommRef{ID: 2}, Odd: []Odd{{
			Deviation{Kind: Order, Number: 10, After: 9, Calls: []Call{own}, Theirs: []Call{theirs}, Other: 2}, Line{},
		}}}
		changed := d.Decide(c.ways, c.loop)
		o := &d.Odd[0]
		if o.Kind != c.kind || changed != (c.kind != Order) || d.Comm != c.comm || d.On.ID != c.comm || o.Number != c.number {
			t.Errorf("%+v: %s %d on %d, changed %v", c.ways, o.Kind, o.Number, d.On.ID, changed)
		}
		if o.Own().Function() != "MPI_Barrier" {
			t.Errorf("%+v: its own call is %s", c.ways, o.Own().Function())
		}
		if c.kind != Skipped && c.kind != Extra {
			continue
		}
		d.TurnMissing()
		turned := map[Kind]Kind{Skipped: Extra, Extra: Skipped}[c.kind]
		other := map[uint64]uint64{1: 4, 2: 10}[c.comm]
		if o.Kind != turned || d.On.ID == c.comm || d.Comm != d.On.ID || o.Number != other || o.Own().Function() != "MPI_Barrier" {
			t.Errorf("%+v, turned: %s %d on %d, its own call is %s", c.ways, o.Kind, o.Number, d.On.ID, o.Own().Function())
		}
	}
}

// TestNone: a member that has begun nothing counts, one that nothing is known of does not.
func TestNone(t *testing.T) {
	counter := NewCounter()
	one := &model.History{Latest: []model.Begun{{Mark: model.Mark{Number: 1, Calls: 5}}}}
	for rank, comm := range []*model.Comm{
		{ID: 7, Size: 3, Coll: 1, History: one},
		{ID: 7, Size: 3},
		{ID: 7, Size: 3, Coll: 4},
	} {
		counter.Add(&model.Rank{Rank: rank, Comms: []*model.Comm{comm}})
	}
	got := counter.Census().Comms[0].Lines
	if len(got) != 2 || got[0].Number != 0 || got[0].Ranks.String() != "1" || got[1].Ranks.String() != "0" {
		t.Errorf("lines %+v", got)
	}
}
