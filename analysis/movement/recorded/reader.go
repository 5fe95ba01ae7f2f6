package recorded

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"laggard/model"
	"laggard/model/nodefile"
)

// Reader reads the moves of one rank.
type Reader struct {
	rank    *model.Rank
	streams []*nodefile.Stream
}

// NewReader returns a Reader of the movement streams of a rank.
func NewReader(rank *model.Rank, streams []*nodefile.Stream) *Reader {
	return &Reader{rank, streams}
}

// Moves gives f the moves of all threads in the order in which they happened,
// and returns what is wrong with the streams: a block that is damaged or lost is
// left out.
func (r *Reader) Moves(f func(*Move)) []error {
	var lanes []*lane
	var errs []error
	for _, s := range r.streams {
		l := &lane{number: s.Number, onError: func(err error) {
			errs = append(errs, fmt.Errorf("rank %d: stream %d: %w", r.rank.Rank, s.Number, err))
		}}
		var stop func()
		l.pull, stop = iter.Pull2(s.Blocks())
		defer stop()
		if l.advance() {
			lanes = append(lanes, l)
		}
	}
	for len(lanes) > 0 {
		first, until := earliestLane(lanes)
		more := true
		for more && lanes[first].head.Order <= until {
			f(&lanes[first].head)
			more = lanes[first].advance()
		}
		if !more {
			lanes = slices.Delete(lanes, first, first+1)
		}
	}
	return errs
}

// earliestLane returns the lane whose next move is first, and up to which order it
// stays so.
func earliestLane(lanes []*lane) (first int, until uint64) {
	for i, l := range lanes {
		if l.compare(lanes[first]) < 0 {
			first = i
		}
	}
	until = ^uint64(0)
	for i, l := range lanes {
		if i != first {
			until = min(until, l.head.Order)
		}
	}
	return first, until
}

// lane is a stream that is being read.
type lane struct {
	number  int
	pull    func() ([]byte, error, bool)
	onError func(error)
	block   block
	head    Move // not yet given away
}

func (l *lane) compare(m *lane) int {
	return cmp.Or(cmp.Compare(l.head.Order, m.head.Order), cmp.Compare(l.number, m.number))
}

// advance reads the next move; false: there is none.
func (l *lane) advance() bool {
	for {
		if m, ok := l.block.next(); ok {
			m.Stream = l.number
			l.head = m
			return true
		}
		if l.block.err != nil {
			l.onError(l.block.err)
		}
		data, err, more := l.pull()
		if !more {
			return false
		}
		if err != nil {
			l.onError(err)
		}
		l.block = newBlock(data)
	}
}
