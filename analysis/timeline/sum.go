package timeline

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"laggard/model"
	"laggard/reduce"
)

// Sum is what ranks did, added up by rows and loops.
type Sum struct {
	Rows   []Row          // by rising First
	Loops  []Loop         // by State
	States []*model.State // that Rows and Loops name, by ID
}

// Row is what one rank did, or several that are alike.
type Row struct {
	First   int // the lowest of Ranks, also where these are not all here yet
	Ranks   model.RankSet
	Hosts   []string // they run on, in order
	Columns []Column
}

// Column is what the ranks of a row did in the time of a column, in samples of all of them.
type Column struct {
	Computing, Waiting, IO uint64
	// Absent are samples that are missing: the process was stopped, or had no processor at all.
	Absent uint64
	// Expected is how many samples there would be, 0 if no process ran.
	Expected uint64
	// Starved is the part in which the thread would have run but had no processor. It is a part of the others.
	Starved uint64
	// Places is how much of the samples is of what states, that is the call, or the computation behind it, that a rank was found
	// in most; by State.
	Places []Place
	// Peer is the world rank that the ranks wait for; [NoPeer], or [Several].
	Peer int
}

// What a Column.Peer can be that is no rank.
const (
	NoPeer  = -1 // they wait for none, or it is not known
	Several = -2
)

// Place is a state and how many samples are of it.
type Place struct {
	State   model.StateID
	Samples uint64
}

// Loop is how often ranks went through a loop, by column.
type Loop struct {
	State model.StateID // its visits are the turns
	Turns []Turns
}

// Turns are the turns of a loop that ranks made, and the seconds that they were counted in, of all ranks.
type Turns struct{ Count, Seconds uint64 }

// Rate is in turns per second, 0 unknown.
func (t Turns) Rate() float64 { return float64(t.Count) / float64(max(1, t.Seconds)) }

// newSum is that of the tracks, whose scale is that of all; rows is which row a rank is in, by its lowest rank.
func newSum(tracks []*track, rows map[int]int) Sum {
	var s Sum
	byRow, byLoop, states := map[int]*Row{}, map[model.StateID]*Loop{}, map[model.StateID]*model.State{}
	for _, t := range tracks {
		first := rows[t.rank]
		row := byRow[first]
		if row == nil {
			row = &Row{First: first, Columns: make([]Column, t.scale.Columns)}
			for i := range row.Columns {
				row.Columns[i].Peer = NoPeer
			}
			byRow[first] = row
		}
		row.Ranks.Add(t.rank)
		row.Hosts = reduce.MergeSorted(row.Hosts, []string{t.host}, cmp.Compare[string], keepFirst)
		for i := range t.cells {
			row.Columns[i].addCell(t, &t.cells[i], states)
			t.addTurns(i, byLoop, states)
		}
	}
	for _, row := range byRow {
		s.Rows = append(s.Rows, *row)
	}
	for _, loop := range byLoop {
		s.Loops = append(s.Loops, *loop)
	}
	slices.SortFunc(s.Rows, compareRows)
	slices.SortFunc(s.Loops, compareLoops)
	s.States = slices.SortedFunc(maps.Values(states), compareStates)
	return s
}

// addCell adds a column of a rank.
func (c *Column) addCell(t *track, cell *cell, states map[model.StateID]*model.State) {
	one := Column{
		Computing: uint64(cell.computing), Waiting: uint64(cell.waiting), IO: uint64(cell.io), Absent: uint64(cell.absent()),
		Expected: uint64(max(cell.expected, cell.taken)), Starved: uint64(cell.starved) * uint64(t.hz) / 1000, Peer: int(cell.peer.of) - 1,
	}
	if cell.place.of > 0 {
		s := t.states[cell.place.of-1]
		states[s.ID] = s
		one.Places = []Place{{s.ID, uint64(cell.taken)}}
	}
	*c = mergeColumns(*c, one)
}

// addTurns adds the turns of a column to those of its loop.
func (t *track) addTurns(column int, loops map[model.StateID]*Loop, states map[model.StateID]*model.State) {
	cell := &t.cells[column]
	if cell.loop == 0 {
		return
	}
	s := t.states[cell.loop-1]
	loop := loops[s.ID]
	if loop == nil {
		states[s.ID] = s
		loop = &Loop{State: s.ID, Turns: make([]Turns, t.scale.Columns)}
		loops[s.ID] = loop
	}
	loop.Turns[column].Count += uint64(cell.turns)
	loop.Turns[column].Seconds += uint64(cell.turning)
}

func compareRows(a, b Row) int            { return cmp.Compare(a.First, b.First) }
func comparePlaces(a, b Place) int        { return bytes.Compare(a.State[:], b.State[:]) }
func compareLoops(a, b Loop) int          { return bytes.Compare(a.State[:], b.State[:]) }
func compareStates(a, b *model.State) int { return bytes.Compare(a.ID[:], b.ID[:]) }
func keepFirst[T any](a, _ T) T           { return a }
func addPlaces(a, b Place) Place          { return Place{a.State, a.Samples + b.Samples} }
func mergePlaces(a, b []Place) []Place    { return reduce.MergeSorted(a, b, comparePlaces, addPlaces) }

// mergeSums joins the sums of two shares of the ranks.
func mergeSums(a, b Sum) Sum {
	return Sum{
		Rows:   reduce.MergeSorted(a.Rows, b.Rows, compareRows, mergeRows),
		Loops:  reduce.MergeSorted(a.Loops, b.Loops, compareLoops, mergeLoops),
		States: reduce.MergeSorted(a.States, b.States, compareStates, keepFirst),
	}
}

func mergeRows(a, b Row) Row {
	out := Row{First: a.First, Ranks: a.Ranks.Union(b.Ranks), Columns: make([]Column, len(a.Columns))}
	out.Hosts = reduce.MergeSorted(a.Hosts, b.Hosts, cmp.Compare[string], keepFirst)
	for i := range out.Columns {
		out.Columns[i] = mergeColumns(a.Columns[i], b.Columns[i])
	}
	return out
}

func mergeColumns(a, b Column) Column {
	out := Column{
		Computing: a.Computing + b.Computing, Waiting: a.Waiting + b.Waiting, IO: a.IO + b.IO, Absent: a.Absent + b.Absent,
		Expected: a.Expected + b.Expected, Starved: a.Starved + b.Starved, Places: mergePlaces(a.Places, b.Places), Peer: a.Peer,
	}
	switch {
	case a.Peer == NoPeer:
		out.Peer = b.Peer
	case b.Peer != NoPeer && b.Peer != a.Peer:
		out.Peer = Several
	}
	return out
}

func mergeLoops(a, b Loop) Loop {
	out := Loop{a.State, make([]Turns, len(a.Turns))}
	for i := range out.Turns {
		out.Turns[i] = Turns{a.Turns[i].Count + b.Turns[i].Count, a.Turns[i].Seconds + b.Turns[i].Seconds}
	}
	return out
}

// Place is the state that most samples are of, with the samples; zero if there are none.
func (c *Column) Place() Place {
	var most Place
	for _, p := range c.Places {
		if p.Samples > most.Samples {
			most = p
		}
	}
	return most
}
