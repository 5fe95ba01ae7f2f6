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

// decoder reads the events of one thread, and gives its calls in the order of their begins.
type decoder struct {
	*source
	b        *builder
	next     func() (data []byte, err error, more bool) // the next block
	left     int                                        // blocks that are still to be read
	room     int                                        // calls that are still to be given
	model    *model.Model
	numbered bool
	clock    uint64
	calling  uint64 // state of the call in progress, plus one
	open     *Call  // that call, nil if its begin is not known
	within   bool   // the call that begins next is made by a callback, within that one
	outer    []progress
	empty    *Call   // the empty poll that ended last
	begun    []*Call // those that are not yet given
	slab     []Call  // room for those that begin next
	parts    []int64
	states   []*lastValues
	blocks   int
	arena    []int64
	block    []byte
	in       []byte // the rest of it
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
}

// forgetReferences forgets what refers to events that are missing.
func (d *decoder) forgetReferences() {
	d.open, d.empty, d.parts, d.outer, d.within = nil, nil, nil, nil, false
	d.blocks++
}

// nextCall returns the next call of the thread when all is read that is said of it, nil behind the last one.
func (d *decoder) nextCall() *Call {
	for len(d.begun) == 0 || d.isChanging(d.begun[0]) {
		if !d.readMore() {
			d.open, d.empty, d.outer = nil, nil, nil
			break
		}
	}
	if len(d.begun) == 0 {
		return nil
	}
	c := d.begun[0]
	d.begun = d.begun[1:]
	return c
}

// isChanging reports whether the events to come may say more of a call.
func (d *decoder) isChanging(c *Call) bool {
	return c == d.open || c == d.empty || slices.ContainsFunc(d.outer, func(p progress) bool { return p.open == c })
}

// readMore reads an event, or gets the block in which the next one is; false: there is none.
func (d *decoder) readMore() bool {
	if len(d.in) == 0 {
		return d.nextBlock()
	}
	at := len(d.block) - len(d.in)
	err := d.readEvent()
	if err == nil && d.bad {
		err = errEvent
	}
	if err != nil {
		d.in = nil
		d.b.markIncomplete(fmt.Sprintf("thread %d: block %d: byte %d: %v", d.thread, d.blocks-1, at, err))
		d.forgetReferences()
	}
	return true
}

func (d *decoder) nextBlock() bool {
	if d.left == 0 || d.b.isOver() {
		return false
	}
	data, err, more := d.next()
	if !more {
		return false
	}
	d.left--
	if err != nil {
		d.forgetReferences()
		d.b.markIncomplete(err.Error())
		return true
	}
	d.blocks++
	d.block, d.in, d.bad = data, data, false
	return true
}

// progress is a call in progress, in which a callback of the program made another.
type progress struct {
	calling uint64
	open    *Call
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
			d.open, d.calling, d.outer = nil, calling, nil
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
	d.within, d.empty, d.open, d.calling = false, nil, nil, index+1
	if d.room == 0 {
		d.b.markIncomplete(fmt.Sprintf("there are more than %d calls", d.b.maxCalls))
		return nil
	}
	d.room--
	if len(d.slab) == 0 {
		d.slab = make([]Call, slabCalls)
	}
	d.open, d.slab = &d.slab[0], d.slab[1:]
	*d.open = Call{Func: s.before.function, Site: s.site, Thread: d.thread, Begin: number, In: in}
	d.begun = append(d.begun, d.open)
	return nil
}

// slabCalls is for how many calls memory is made at a time.
const slabCalls = 32

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
	if d.open != nil && !d.bad {
		d.open.Return, d.open.Code, d.open.Out = number, code, out
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
	if d.empty != nil {
		d.empty.Again = n
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
	now := make([]Value, len(p.function.Params))
	for _, f := range p.fields {
		switch {
		case f.array:
			now[f.param], _ = d.readArray(f.width)
		case was != nil && mask>>f.scalar&(1<<f.width-1) == 0:
			now[f.param] = was[f.param]
			continue
		default:
			now[f.param] = d.scalarValue(f, scalars[f.scalar:f.scalar+f.width])
		}
		d.b.checkReferences(f.refers, now[f.param])
	}
	s.values[which] = now
	return now
}

func (d *decoder) scalarValue(f field, now []int64) Value {
	if f.width == 4 && now[0] == format.UseNoStatus {
		return nil
	}
	v := d.allocInts(len(now))
	copy(v, now)
	return v
}
