package recorded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"laggard/model"
	"laggard/model/mpi"
)

// The kinds of events, as in recorder/format.h (enum lg_use).
const (
	useBlock = iota
	useBegin
	useEnd
	useEmpty
	useFailed
	useAgain
	useDefine
	usePart
)

// What is defined (enum lg_use_define).
const (
	defType = iota + 1
	defComm
	defName
	defNote
	defWithin
)

const (
	useVersion = 1
	inline     = 512     // values of an array within its event; of a longer one they go before it
	maxValues  = 65536   // recorded of one array
	maxObjects = 1 << 26 // numbers of types and communicators
	maxWithin  = 64      // calls in progress, one within the other
	noStatus   = -32006  // source of a status that is not known
)

var errEvent = errors.New("not an event")

// decoder reads the events of one thread.
type decoder struct {
	b        *builder
	thread   int
	model    *model.Model
	numbered bool
	clock    uint64
	calling  uint64 // state of the call in progress, plus one
	open     int    // its index into Trace.Calls, plus one
	within   bool   // the call that begins next is made by a callback, within that one
	outer    []progress
	empty    int // that of the empty poll that ended last, plus one
	parts    []int64
	states   []*lastSaid
	blocks   int
	arena    []int64
	in       []byte
	bad      bool
}

// lastSaid is what the last events of a state in this block contained.
type lastSaid struct {
	state   *model.State
	site    int
	before  plan
	after   plan
	block   int
	scalars [2][]int64
	values  [2][]Value
}

// lost forgets what refers to events that are missing.
func (d *decoder) lost() {
	d.open, d.empty, d.parts, d.outer, d.within = 0, 0, nil, nil, false
	d.blocks++
}

// block reads the events of a block, up to the first byte that begins no event.
func (d *decoder) block(data []byte) error {
	d.blocks++
	d.in, d.bad = data, false
	for len(d.in) > 0 {
		at := len(data) - len(d.in)
		if err := d.event(); err != nil {
			return fmt.Errorf("block %d: byte %d: %w", d.blocks-1, at, err)
		}
		if d.bad {
			return fmt.Errorf("block %d: byte %d: %w", d.blocks-1, at, errEvent)
		}
	}
	return nil
}

// progress is a call in progress, in which a callback of the program made another.
type progress struct {
	calling uint64
	open    int
}

func (d *decoder) event() error {
	head := d.u()
	switch kind, value := head&7, head>>3; kind {
	case useBlock:
		if value>>1 != useVersion {
			return fmt.Errorf("events of version %d; this program reads version %d", value>>1, useVersion)
		}
		d.numbered, d.clock = value&1 != 0, d.u()
		if calling := d.u(); calling != d.calling { // the end that comes is of another call than the one that is open
			d.open, d.calling, d.outer = 0, calling, nil
		}
	case useBegin:
		return d.begin(value)
	case useEnd:
		return d.end(0, true)
	case useEmpty:
		d.emptyPoll()
	case useFailed:
		return d.end(int(unzigzag(value)), d.u() == 1)
	case useAgain:
		return d.again()
	case useDefine:
		return d.define(value)
	case usePart:
		return d.part(value)
	}
	return nil
}

// ---- numbers ----

func (d *decoder) u() uint64 {
	v, n := binary.Uvarint(d.in)
	if n <= 0 {
		d.bad, d.in = true, nil
		return 0
	}
	d.in = d.in[n:]
	return v
}

func (d *decoder) s() int64 { return unzigzag(d.u()) }

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

func (d *decoder) tick() uint64 {
	if d.numbered {
		d.clock += d.u()
	} else {
		d.clock++
	}
	return d.clock
}

func (d *decoder) text() string {
	n := d.u()
	if n > uint64(len(d.in)) {
		d.bad, d.in = true, nil
		return ""
	}
	s := string(d.in[:n])
	d.in = d.in[n:]
	return s
}

// make64 returns room for n numbers out of a larger piece of memory.
func (d *decoder) make64(n int) []int64 {
	if n > cap(d.arena)-len(d.arena) {
		d.arena = make([]int64, 0, max(n, 4096))
	}
	d.arena = d.arena[:len(d.arena)+n]
	return d.arena[len(d.arena)-n : len(d.arena) : len(d.arena)]
}

func (d *decoder) numbers(out []int64, width int) {
	for i := range out {
		out[i] = d.s()
		if i >= width {
			out[i] += out[i-width]
		}
	}
}

// array returns nil for one that is not known.
func (d *decoder) array(width int) (v []int64, cut bool) {
	head := d.u()
	if head == 0 || d.bad {
		return nil, false
	}
	n := (head - 1) >> 1
	switch {
	case n > maxValues, n <= inline && n > uint64(len(d.in)):
		d.bad = true
		return nil, false
	case n <= inline:
		v = d.make64(int(n))
		d.numbers(v, width)
	case n > uint64(len(d.parts)):
		d.b.incomplete("parts of a long array are missing")
		d.parts = nil
	default:
		v = d.parts[:n:n]
		d.parts = d.parts[n:]
	}
	return v, (head-1)&1 != 0
}

func (d *decoder) part(value uint64) error {
	n, width := int(value>>3), int(value&7)
	if n > inline || n > len(d.in) || width == 0 || len(d.parts) > 16*maxValues {
		return errEvent
	}
	v := make([]int64, n)
	d.numbers(v, width)
	d.parts = append(d.parts, v...)
	return nil
}

// ---- calls ----

func (d *decoder) state(index uint64) *lastSaid {
	if index >= uint64(len(d.model.States)) {
		return nil
	}
	if d.states == nil {
		d.states = make([]*lastSaid, len(d.model.States))
	}
	s := d.states[index]
	if s == nil {
		state := d.model.States[index]
		f := mpi.Find(state.Call)
		if f == nil {
			return nil
		}
		s = &lastSaid{state: state, site: d.b.site(state), before: planOf(f, false), after: planOf(f, true)}
		s.scalars = [2][]int64{make([]int64, s.before.nscalars), make([]int64, s.after.nscalars)}
		d.states[index] = s
	}
	if s.block != d.blocks {
		s.block = d.blocks
		clear(s.scalars[0])
		clear(s.scalars[1])
		s.values = [2][]Value{}
	}
	return s
}

func (d *decoder) begin(index uint64) error {
	s := d.state(index)
	if s == nil {
		return fmt.Errorf("state %d of %d is not there", index, len(d.model.States))
	}
	in := d.body(s, &s.before, 0)
	number := d.tick()
	if d.bad {
		return errEvent
	}
	if !d.within {
		d.outer = d.outer[:0] // what was left by a jump out of a callback
	} else if len(d.outer) < maxWithin {
		d.outer = append(d.outer, progress{d.calling, d.open})
	}
	d.within, d.empty, d.open, d.calling = false, 0, 0, index+1
	calls := &d.b.trace.Calls
	if len(*calls) >= d.b.most {
		d.b.incomplete(fmt.Sprintf("there are more than %d calls", d.b.most))
		return nil
	}
	*calls = append(*calls, Call{Func: s.before.function, Site: s.site, Thread: d.thread, Begin: number, In: in})
	d.open = len(*calls)
	return nil
}

// end takes the return of the call in progress. Its begin may be in a block that
// is lost.
func (d *decoder) end(code int, outputs bool) error {
	var out []Value
	if outputs {
		s := d.state(d.calling - 1)
		if s == nil {
			return fmt.Errorf("the end of a call that did not begin")
		}
		out = d.body(s, &s.after, 1)
	}
	d.returned(code, out)
	return nil
}

func (d *decoder) returned(code int, out []Value) {
	number := d.tick()
	if d.open > 0 && !d.bad {
		c := &d.b.trace.Calls[d.open-1]
		c.Return, c.Code, c.Out = number, code, out
	}
	var back progress
	if n := len(d.outer); n > 0 {
		back, d.outer = d.outer[n-1], d.outer[:n-1]
	}
	d.within, d.open, d.calling = false, back.open, back.calling
}

// emptyPoll takes the return of a poll that found nothing.
func (d *decoder) emptyPoll() {
	open := d.open
	var out []Value
	if s := d.state(d.calling - 1); s != nil {
		out = s.after.nothing
	}
	d.returned(0, out)
	d.empty = open
}

func (d *decoder) again() error {
	if len(d.in) < 8 {
		return errEvent
	}
	n := binary.LittleEndian.Uint64(d.in)
	d.in = d.in[8:]
	if d.empty > 0 {
		d.b.trace.Calls[d.empty-1].Again = n
	}
	return nil
}

// body reads the values of a call before (which 0) or after it (1). What did not
// change shares its memory with the call before.
func (d *decoder) body(s *lastSaid, p *plan, which int) []Value {
	mask := d.u()
	scalars, was := s.scalars[which], s.values[which]
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if i >= len(scalars) {
			d.bad = true
			return nil
		}
		scalars[i] += d.s()
	}
	if mask == 0 && p.narrays == 0 && was != nil {
		return was
	}
	out := make([]Value, len(p.function.Params))
	for _, f := range p.fields {
		switch {
		case f.array:
			out[f.param], _ = d.array(f.width)
		case was != nil && mask>>f.scalar&(1<<f.width-1) == 0:
			out[f.param] = was[f.param]
		default:
			out[f.param] = d.scalar(f, scalars[f.scalar:f.scalar+f.width])
		}
	}
	s.values[which] = out
	return out
}

func (d *decoder) scalar(f field, now []int64) Value {
	if f.width == 4 && now[0] == noStatus {
		return nil
	}
	v := d.make64(len(now))
	copy(v, now)
	return v
}
