package divergence

import (
	"cmp"
	"slices"

	"laggard/model"
	"laggard/reduce"
)

// Census is how far the members of each communicator are, and by what hashes they
// agree. It is a monoid: see [Censuses]. A communicator of which all members are
// in it and agree is left out.
type Census struct {
	Comms []Tally `json:"comms,omitempty"` // by rising ID
}

// Tally is the members of a communicator, by how far they are.
type Tally struct {
	ID   uint64         `json:"id"`
	Kind model.CommKind `json:"kind"`
	Size int            `json:"size"`
	// Open: a member has not freed it. One that has may have left out what the others wait in.
	Open  bool    `json:"open,omitempty"`
	Lines []Count `json:"lines"`
}

// Count is how many members have histories with the same hashes.
type Count struct {
	model.Mark
	Ranks model.RankSet `json:"ranks"`
}

// Censuses merges those of all analysis ranks.
var Censuses = reduce.JSONMonoid(MergeCensuses)

// MergeCensuses joins the censuses of two shares. It changes neither.
func MergeCensuses(a, b Census) Census {
	merged := reduce.MergeSorted(a.Comms, b.Comms, compareTallies, joinTallies)
	return Census{slices.DeleteFunc(merged, func(t Tally) bool { return t.allAgree() })}
}

func compareTallies(a, b Tally) int { return cmp.Compare(a.ID, b.ID) }

func joinTallies(a, b Tally) Tally {
	a.Size = max(a.Size, b.Size)
	a.Kind = max(a.Kind, b.Kind)
	a.Open = a.Open || b.Open
	a.Lines = reduce.MergeSorted(a.Lines, b.Lines, compareCounts, joinCounts)
	return a
}

func compareCounts(a, b Count) int {
	return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Calls, b.Calls), cmp.Compare(a.Sites, b.Sites))
}

func joinCounts(a, b Count) Count {
	a.Ranks = a.Ranks.Union(b.Ranks)
	return a
}

// allAgree: all members were seen, and agree.
func (t *Tally) allAgree() bool { return len(t.Lines) == 1 && t.Lines[0].Ranks.Len() >= t.Size }

// Counter makes the census of a share of the ranks, one by one.
type Counter struct {
	comms map[uint64]*tally
}

// tally is a Tally that is being made.
type tally struct {
	Tally
	lines reduce.Interner[model.Mark]
}

// NewCounter returns a Counter of no ranks.
func NewCounter() *Counter { return &Counter{map[uint64]*tally{}} }

// Add counts a rank.
func (c *Counter) Add(r *model.Rank) {
	for _, comm := range r.Comms {
		at, known := latestMark(comm)
		if !known {
			continue
		}
		t := c.comms[comm.ID]
		if t == nil {
			t = &tally{Tally: Tally{ID: comm.ID, Kind: comm.Kind, Size: comm.Size + comm.RemoteSize}}
			c.comms[comm.ID] = t
		}
		t.Open = t.Open || !comm.Freed
		t.add(r.Rank, at)
	}
}

// latestMark returns the hashes of all that a member began, false where they are not known.
func latestMark(c *model.Comm) (at model.Mark, known bool) {
	switch {
	case c.ID == 0 || c.Size+c.RemoteSize < 2:
		return at, false
	case c.History == nil || len(c.History.Latest) == 0:
		return at, c.Coll == 0
	}
	at = c.History.Latest[len(c.History.Latest)-1].Mark
	return at, at.Number+1 >= c.Coll // else the newest calls are missing
}

func (t *tally) add(rank int, at model.Mark) {
	line, fresh := t.lines.Intern(at)
	if fresh {
		t.Lines = append(t.Lines, Count{Mark: at})
	}
	t.Lines[line].Ranks.Add(rank)
}

// Census returns what was counted.
func (c *Counter) Census() Census {
	var out Census
	for _, t := range c.comms {
		if !t.allAgree() {
			one := t.Tally // t is still counted in
			one.Lines = slices.SortedFunc(slices.Values(t.Lines), compareCounts)
			out.Comms = append(out.Comms, one)
		}
	}
	slices.SortFunc(out.Comms, compareTallies)
	return out
}

// Bounds of what is compared call by call.
const (
	maxComms = 256
	maxLines = 32 // of one communicator
)

// suspectComms returns the communicators that are worth a comparison: first those whose
// members made as many calls and not the same, then those of which some are behind.
func (c *Census) suspectComms() []Tally {
	var differ, behind []Tally
	for _, t := range c.Comms {
		switch {
		case !t.Open, len(t.Lines) < 2:
		case t.hasConflict():
			differ = append(differ, t)
		default:
			behind = append(behind, t)
		}
	}
	all := append(differ, behind...)
	all = all[:min(len(all), maxComms)]
	for i := range all {
		all[i].Lines = mostCommonLines(all[i].Lines)
	}
	return all
}

// hasConflict: two members made as many calls, and not the same.
func (t *Tally) hasConflict() bool {
	for i := 1; i < len(t.Lines); i++ {
		if t.Lines[i-1].Number == t.Lines[i].Number {
			return true
		}
	}
	return false
}

// mostCommonLines returns the lines of most ranks, where there are too many.
func mostCommonLines(lines []Count) []Count {
	if len(lines) <= maxLines {
		return lines
	}
	lines = slices.Clone(lines)
	slices.SortStableFunc(lines, func(a, b Count) int { return cmp.Compare(b.Ranks.Len(), a.Ranks.Len()) })
	lines = lines[:maxLines]
	slices.SortFunc(lines, compareCounts)
	return lines
}
