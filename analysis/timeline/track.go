package timeline

import (
	"time"

	"laggard/model"
)

// track is what one rank did, by columns of its own scale.
type track struct {
	rank   int
	host   string
	hz     int64
	scale  Scale
	step   int64 // the longest one, in seconds
	open   bool  // the process did not end, as far as is known
	since  int64 // begin of its first samples, seconds since 1970
	until  int64 // end of its last
	states []*model.State
	cells  []cell
}

// cell is one column of a track. Of places, peers and loops there is the one that most of it was spent with.
type cell struct {
	computing, waiting, io uint32 // samples
	expected               uint32 // samples that there would be of a process that is never stopped
	taken                  uint32 // samples that there are
	starved                uint32 // ms
	place                  vote   // of the track's states
	peer                   vote   // world rank
	loop                   int32  // index into states, from 1: what the turns are visits of; 0 none
	turns, turning         uint32 // iterations, and the seconds that they were counted in
}

// vote finds what most samples are of, if more than half are: those of others count against it.
type vote struct {
	of     int32 // from 1; 0 nothing yet
	weight uint32
}

func (v *vote) add(of int32, weight uint32) {
	switch {
	case weight == 0 || of == 0:
	case v.of == of:
		v.weight += weight
	case v.weight >= weight:
		v.weight -= weight
	default:
		v.of, v.weight = of, weight-v.weight
	}
}

// newTrack is the track of a rank between two times, zero: all; nil if it has no samples then.
func newTrack(r *model.Rank, from, to time.Time, columns int) *track {
	series := between(r.Series, from, to)
	if len(series) == 0 || r.SampleHz <= 0 {
		return nil
	}
	t := &track{rank: r.Rank, host: r.Host, hz: int64(r.SampleHz)}
	t.since, t.until = series[0].Begin.Unix(), series[len(series)-1].End().Unix()
	t.open = r.End == model.NoEnd && r.Phase != model.Finalized
	for i := range series {
		t.step = max(t.step, int64(series[i].Step/time.Second))
	}
	t.scale = newScale(t.since, t.until, columns)
	t.cells = make([]cell, t.scale.Columns)
	numbers := map[*model.State]int32{}
	at := t.since
	for i := range series {
		t.expect(at, series[i].Begin.Unix()) // there were no samples at all
		t.add(r, &series[i], numbers, i == 0)
		at = series[i].End().Unix()
	}
	return t
}

// between are the intervals that begin between two times.
func between(series []model.Interval, from, to time.Time) []model.Interval {
	for len(series) > 0 && series[0].Begin.Before(from) {
		series = series[1:]
	}
	for !to.IsZero() && len(series) > 0 && !series[len(series)-1].Begin.Before(to) {
		series = series[:len(series)-1]
	}
	return series
}

// add adds an interval, evenly to the columns that it lies in. The first one began before there were samples.
func (t *track) add(r *model.Rank, i *model.Interval, numbers map[*model.State]int32, first bool) {
	begin, step := i.Begin.Unix(), int64(i.Step/time.Second)
	column := t.scale.columnOf(begin)
	n := max(1, int(step/t.scale.Width))
	if column < 0 || column+n > len(t.cells) {
		return
	}
	if !first {
		t.expect(begin, begin+step)
	}
	place, peer := t.number(r, i.Thread, i.State, numbers), int32(0)
	if i.Comm >= 0 && 2*i.ForPeer >= i.Waiting {
		peer = int32(r.Comms[i.Comm].WorldRank(i.Peer) + 1)
	}
	loop := t.number(r, i.Thread, i.Anchor, numbers)
	starved := int(min(i.Starved, i.Step) / time.Millisecond)
	for k := range n {
		part := func(of int) uint32 { return uint32(of*(k+1)/n - of*k/n) }
		c := cell{
			computing: part(i.Computing), waiting: part(i.Waiting), io: part(i.IO), taken: part(i.Samples), starved: part(starved),
			place: vote{place, part(i.AtState)}, peer: vote{peer, part(i.ForPeer)},
		}
		if first {
			c.expected = c.taken
		}
		if loop > 0 {
			c.loop, c.turns, c.turning = loop, part(i.Turns), part(int(step))
		}
		t.cells[column+k].merge(&c)
	}
}

// expect adds the samples that a process takes from one time to another.
func (t *track) expect(from, to int64) {
	for from < to {
		column := t.scale.columnOf(from)
		if column < 0 || column >= len(t.cells) {
			return
		}
		end := min(to, t.scale.Begin+int64(column+1)*t.scale.Width)
		t.cells[column].expected += uint32((end - from) * t.hz)
		from = end
	}
}

// number is that of a state of a thread in the list of the track, from 1; 0 none.
func (t *track) number(r *model.Rank, thread, state int, numbers map[*model.State]int32) int32 {
	if state < 0 || thread >= len(r.Threads) || state >= len(r.Threads[thread].Model.States) {
		return 0
	}
	s := r.Threads[thread].Model.States[state]
	n := numbers[s]
	if n == 0 {
		t.states = append(t.states, s)
		n = int32(len(t.states))
		numbers[s] = n
	}
	return n
}

// trailing is how long samples may be missing at the end of a run before a process counts as stopped, in seconds: entries are
// written when their step is over.
const trailing = 3

// rescale adds up the columns to those of a scale that is as fine or coarser. A process that did not end, and has no samples
// at the end of the run, is stopped, or gone.
func (t *track) rescale(s Scale, end int64) {
	fine := *t
	t.scale, t.cells = s, make([]cell, s.Columns)
	for i := range fine.cells {
		column := s.columnOf(fine.scale.Begin + int64(i)*fine.scale.Width)
		if column >= 0 && column < len(t.cells) {
			t.cells[column].merge(&fine.cells[i])
		}
	}
	if t.open && end-t.until > max(trailing, t.step) {
		t.expect(t.until, end)
	}
}

func (c *cell) merge(o *cell) {
	c.computing += o.computing
	c.waiting += o.waiting
	c.io += o.io
	c.expected += o.expected
	c.taken += o.taken
	c.starved += o.starved
	c.place.add(o.place.of, o.place.weight)
	c.peer.add(o.peer.of, o.peer.weight)
	if o.loop > 0 && (c.loop == 0 || c.loop == o.loop) {
		c.loop, c.turns, c.turning = o.loop, c.turns+o.turns, c.turning+o.turning
	}
}

// absent is how many samples are missing, 0 if that may be by chance: they are taken at irregular moments.
func (c *cell) absent() uint32 {
	if missing := int64(c.expected) - int64(c.taken); missing > int64(c.expected/8)+1 {
		return uint32(missing)
	}
	return 0
}
