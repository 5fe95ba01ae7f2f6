package python

import (
	"io"

	"laggard/intake/stopped"
	"laggard/intake/unwind"
	"laggard/model"
	"laggard/symbol"
)

// Interpreter is CPython in a process.
type Interpreter struct {
	layout
	memory  memory
	runtime uint64            // address of its state
	module  *stopped.Module   // that has its code
	met     map[string]uint64 // types by name
}

// since has, of the versions that do not state theirs in data, a function that the one before has not.
var since = []struct {
	name    string
	version uint32
}{{"PyIter_Send", 0x030a0000}, {"PyFrame_GetCode", 0x03090000}, {"PyCode_NewWithPosOnlyArgs", 0x03080000}}

// Find looks for an interpreter in the modules of a process, nil if there is none of a version that is
// known: CPython 3.8 to 3.14.
func Find(modules []*stopped.Module, mem io.ReaderAt, resolver *symbol.Resolver) *Interpreter {
	for _, m := range modules {
		code, err := resolver.Code(&model.Module{BuildID: m.BuildID, Path: m.Path, Base: m.Bias})
		if err != nil {
			continue
		}
		runtime, ok := code.Variable("_PyRuntime")
		if !ok {
			continue
		}
		in := memory{mem}
		runtime += m.Bias
		if l, ok := layoutOf(in, versionOf(code, m.Bias, in), runtime); ok {
			return &Interpreter{layout: l, memory: in, runtime: runtime, module: m, met: map[string]uint64{}}
		}
	}
	return nil
}

func versionOf(code *symbol.Code, bias uint64, mem memory) uint32 {
	if at, ok := code.Variable("Py_Version"); ok {
		v, _ := mem.word(at + bias)
		return uint32(v)
	}
	for _, s := range since {
		if _, ok := code.Define(s.name); ok {
			return s.version
		}
	}
	return 0
}

// Frame is one level of a stack, as Python has it.
type Frame struct {
	File, Function string
	Line           int // 0: none
	at, entry      uint64
}

// Level is one level of a stack: a frame of C code, or one of Python.
type Level struct {
	C      *unwind.Frame
	Python *Frame // nil: C
}

// Levels puts the Python frames of a thread between its C frames, each in the place of the one that executes it. C code
// of the interpreter is left out where Python frames stand for it: what it does to get from one to the next differs
// from call to call. inner: what it does in the innermost one is kept. cut: Python frames are missing at the outer
// end. Without an interpreter, and for a thread that runs no Python, the levels are the C frames.
func (p *Interpreter) Levels(tid int, stack []unwind.Frame, inner bool) (out []Level, cut bool) {
	var list []frame
	if p != nil {
		if thread := p.thread(tid); thread != 0 {
			list, cut = p.frames(thread)
		}
	}
	j := joiner{p: p, stack: stack, list: list}
	for i := range stack {
		j.at(i, inner)
	}
	for ; j.next < len(list); j.next++ { // of which nothing tells where they belong
		j.add(list[j.next])
	}
	return j.out, cut
}

// joiner is at work on one stack.
type joiner struct {
	p      *Interpreter
	stack  []unwind.Frame
	list   []frame
	next   int // of list
	from   int // the C frame that executes the frame before
	placed bool
	out    []Level
}

// at takes a C frame, or what it stands for.
func (j *joiner) at(i int, inner bool) {
	standsFor := false
	for j.next < len(j.list) && j.place(j.list[j.next]) == i {
		f := j.list[j.next]
		j.next++
		standsFor = true
		j.add(f)
		if f.entry == 0 {
			break // each is executed by a C frame of its own
		}
	}
	if standsFor {
		j.placed, j.from = true, i
		return
	}
	if len(j.list) > 0 && j.stack[i].Module == j.p.module && (j.placed || !inner) {
		return
	}
	j.out = append(j.out, Level{C: &j.stack[i]})
}

func (j *joiner) add(f frame) {
	if named, ok := j.p.named(f); ok {
		j.out = append(j.out, Level{Python: &named})
	}
}

// place finds the C frame that executes a Python frame; -1: none is found.
func (j *joiner) place(f frame) int {
	for i := j.from; i+1 < len(j.stack); i++ {
		lo, known := j.stack[i].SP()
		hi, above := j.stack[i+1].SP()
		switch {
		case !known || !above:
		case f.entry != 0 && f.entry >= lo && f.entry < hi, f.entry == 0 && j.mentions(i, lo, hi, f.at):
			return i
		}
	}
	return -1
}

// region is how much of a C frame is searched, in bytes.
const region = 8192

// mentions tells whether a C frame of the interpreter has the address of a Python frame in it: up to 3.9 nothing
// else tells where a frame is executed.
func (j *joiner) mentions(i int, lo, hi, at uint64) bool {
	if j.stack[i].Module != j.p.module || hi <= lo {
		return false
	}
	b := j.p.memory.bytes(lo, int(min(hi-lo, region))&^7)
	for k := 0; k+8 <= len(b); k += 8 {
		if word(b, k) == at {
			return true
		}
	}
	return false
}
