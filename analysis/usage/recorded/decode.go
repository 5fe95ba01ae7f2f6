package recorded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"laggard/model"
	"laggard/model/format"
	"laggard/model/mpi"
)

const (
	useVersion = 1
	inline     = 512     // values of an array within its event; of a longer one they go before it
	maxValues  = 65536   // recorded of one array
	maxObjects = 1 << 26 // numbers of types and communicators
	maxWithin  = 64      // calls in progress, one within the other
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
	states   []*lastValues
	blocks   int
	arena    []int64
	now      []Value // of the event that is read
	key      []byte  // of them, see shareValues
	in       []byte
	bad      bool
}

// lastValues is what the last events of a state in this block contained.
type lastValues struct {
	state   *model.State
	site    int
	before  plan
	after   plan
	block   int
	scalars [2][]int64
	values  [2][]Value
	shared  [2]map[string][]Value // see shareValues
}

// forgetReferences forgets what refers to events that are missing.
func (d *decoder) forgetReferences() {
	d.open, d.empty, d.parts, d.outer, d.within = 0, 0, nil, nil, false
	d.blocks++
}

// readBlock reads the events of a block, up to the first byte that begins no event.
func (d *decoder) readBlock(data []byte) error {
	d.blocks++
	d.in, d.bad = data, false
	for len(d.in) > 0 {
		at := len(data) - len(d.in)
		if err := d.readEvent(); err != nil {
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

func (d *decoder) readEvent() error {
	head := d.readUint()
	switch kind, value := head&7, head>>3; kind {
	case format.UseBlock:
		if value>>1 != useVersion {
			return fmt.Errorf("events of version %d; this program reads version %d", value>>1, useVersion)
		}
		d.numbered, d.clock = value&1 != 0, d.readUint()
		if calling := d.readUint(); calling != d.calling { // the end that comes is of another call than the one that is open
			d.open, d.calling, d.outer = 0, calling, nil
		}
	case format.UseBegin:
		return d.readBegin(value)
	case format.UseEnd:
		return d.readEnd(0, true)
	case format.UseEmpty:
		d.endEmptyPoll()
	case format.UseFailed:
		return d.readEnd(int(unzigzag(value)), d.readUint() == 1)
	case format.UseAgain:
		return d.readRepeats()
	case format.UseDefine:
		return d.readDefinition(value)
	case format.UsePart:
		return d.readPart(value)
	}
	return nil
}

// ---- numbers ----

func (d *decoder) readUint() uint64 {
	v, n := binary.Uvarint(d.in)
	if n <= 0 {
		d.bad, d.in = true, nil
		return 0
	}
	d.in = d.in[n:]
	return v
}

func (d *decoder) readInt() int64 { return unzigzag(d.readUint()) }

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

func (d *decoder) nextNumber() uint64 {
	if d.numbered {
		d.clock += d.readUint()
	} else {
		d.clock++
	}
	return d.clock
}

func (d *decoder) readText() string {
	n := d.readUint()
	if n > uint64(len(d.in)) {
		d.bad, d.in = true, nil
		return ""
	}
	s := string(d.in[:n])
	d.in = d.in[n:]
	return s
}

// allocInts returns room for n numbers out of a larger piece of memory.
func (d *decoder) allocInts(n int) []int64 {
	if n > cap(d.arena)-len(d.arena) {
		d.arena = make([]int64, 0, max(n, 4096))
	}
	d.arena = d.arena[:len(d.arena)+n]
	return d.arena[len(d.arena)-n : len(d.arena) : len(d.arena)]
}

func (d *decoder) readDeltas(out []int64, width int) {
	for i := range out {
		out[i] = d.readInt()
		if i >= width {
			out[i] += out[i-width]
		}
	}
}

// readArray returns nil for one that is not known.
func (d *decoder) readArray(width int) (v []int64, cut bool) {
	head := d.readUint()
	if head == 0 || d.bad {
		return nil, false
	}
	n := (head - 1) >> 1
	switch {
	case n > maxValues, n <= inline && n > uint64(len(d.in)):
		d.bad = true
		return nil, false
	case n <= inline:
		v = d.allocInts(int(n))
		d.readDeltas(v, width)
	case n > uint64(len(d.parts)):
		d.b.markIncomplete("parts of a long array are missing")
		d.parts = nil
	default:
		v = d.parts[:n:n]
		d.parts = d.parts[n:]
	}
	return v, (head-1)&1 != 0
}

func (d *decoder) readPart(value uint64) error {
	n, width := int(value>>3), int(value&7)
	if n > inline || n > len(d.in) || width == 0 || len(d.parts) > 16*maxValues {
		return errEvent
	}
	v := make([]int64, n)
	d.readDeltas(v, width)
	d.parts = append(d.parts, v...)
	return nil
}

// ---- calls ----

func (d *decoder) stateAt(index uint64) *lastValues {
	if index >= uint64(len(d.model.States)) {
		return nil
	}
	if d.states == nil {
		d.states = make([]*lastValues, len(d.model.States))
	}
	s := d.states[index]
	if s == nil {
		state := d.model.States[index]
		f := mpi.FindFunction(state.Call)
		if f == nil {
			return nil
		}
		s = &lastValues{state: state, site: d.b.siteIndex(state), before: planOf(f, false), after: planOf(f, true)}
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

func (d *decoder) readBegin(index uint64) error {
	s := d.stateAt(index)
	if s == nil {
		return fmt.Errorf("state %d of %d is missing", index, len(d.model.States))
	}
	in := d.readValues(s, &s.before, 0)
	number := d.nextNumber()
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
	if len(*calls) >= d.b.maxCalls {
		d.b.markIncomplete(fmt.Sprintf("there are more than %d calls", d.b.maxCalls))
		return nil
	}
	*calls = append(*calls, Call{Func: s.before.function, Site: s.site, Thread: d.thread, Begin: number, In: in})
	d.open = len(*calls)
	return nil
}

// readEnd takes the return of the call in progress. Its begin may be in a block that
// is lost.
func (d *decoder) readEnd(code int, outputs bool) error {
	var out []Value
	if outputs {
		s := d.stateAt(d.calling - 1)
		if s == nil {
			return fmt.Errorf("the end of a call that did not begin")
		}
		out = d.readValues(s, &s.after, 1)
	}
	d.endCall(code, out)
	return nil
}

func (d *decoder) endCall(code int, out []Value) {
	number := d.nextNumber()
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

// endEmptyPoll takes the return of a poll that found nothing.
func (d *decoder) endEmptyPoll() {
	open := d.open
	var out []Value
	if s := d.stateAt(d.calling - 1); s != nil {
		out = s.after.nothing
	}
	d.endCall(0, out)
	d.empty = open
}

func (d *decoder) readRepeats() error {
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

// readValues reads the values of a call before (which 0) or after it (1). What did not
// change shares its memory with the call before.
func (d *decoder) readValues(s *lastValues, p *plan, which int) []Value {
	mask := d.readUint()
	scalars, was := s.scalars[which], s.values[which]
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if i >= len(scalars) {
			d.bad = true
			return nil
		}
		scalars[i] += d.readInt()
	}
	if mask == 0 && p.narrays == 0 && was != nil {
		return was
	}
	arena := d.arena
	d.now = slices.Grow(d.now[:0], len(p.function.Params))[:len(p.function.Params)]
	clear(d.now)
	for _, f := range p.fields {
		switch {
		case f.array:
			d.now[f.param], _ = d.readArray(f.width)
		case was != nil && mask>>f.scalar&(1<<f.width-1) == 0:
			d.now[f.param] = was[f.param]
		default:
			d.now[f.param] = d.scalarValue(f, scalars[f.scalar:f.scalar+f.width])
		}
	}
	out, known := s.shareValues(which, d)
	if known && cap(arena) == cap(d.arena) {
		d.arena = arena
	}
	s.values[which] = out
	return out
}

const (
	maxShared    = 1 << 12 // values of one state that are kept to be shared
	maxSharedKey = 256     // bytes
)

// shareValues returns the values of the event that is read; those that another call from the same place had, are the same
// memory: a program mostly repeats few.
func (s *lastValues) shareValues(which int, d *decoder) (values []Value, known bool) {
	d.key = d.key[:0]
	for _, v := range d.now {
		if d.key = binary.AppendVarint(d.key, lengthOf(v)); len(d.key)+len(v) > maxSharedKey {
			return slices.Clone(d.now), false
		}
		for _, n := range v {
			d.key = binary.AppendVarint(d.key, n)
		}
	}
	if values, known = s.shared[which][string(d.key)]; known {
		return values, true
	}
	if s.shared[which] == nil || len(s.shared[which]) == maxShared {
		s.shared[which] = map[string][]Value{}
	}
	values = slices.Clone(d.now)
	s.shared[which][string(d.key)] = values
	return values, false
}

// lengthOf is that of a value, -1 if it is not known.
func lengthOf(v Value) int64 {
	if v == nil {
		return -1
	}
	return int64(len(v))
}

func (d *decoder) scalarValue(f field, now []int64) Value {
	if f.width == 4 && now[0] == format.UseNoStatus {
		return nil
	}
	v := d.allocInts(len(now))
	copy(v, now)
	return v
}
