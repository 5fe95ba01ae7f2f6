package python

import (
	"io"

	"laggard/binary/cpython"
	"laggard/intake/stopped"
	"laggard/intake/unwind"
	"laggard/model"
	"laggard/symbol"
)

// Interpreter is CPython in a process.
type Interpreter struct {
	*cpython.Layout
	memory    memory
	runtime   uint64            // address of its state
	module    *stopped.Module   // that has its code
	typeCache map[string]uint64 // types by name
}

// since has, of the versions that do not state theirs in data, a function that the one before has not.
var since = []struct {
	name    string
	version uint32
}{{"PyIter_Send", 0x030a0000}, {"PyFrame_GetCode", 0x03090000}, {"PyCode_NewWithPosOnlyArgs", 0x03080000}}

// FindInterpreter looks for an interpreter in the modules of a process, nil if there is none of a version that is
// known: CPython 3.8 to 3.14.
func FindInterpreter(modules []*stopped.Module, mem io.ReaderAt, resolver *symbol.Resolver) *Interpreter {
	for _, m := range modules {
		code, err := resolver.CodeOf(&model.Module{BuildID: m.BuildID, Path: m.Path, Base: m.Bias})
		if err != nil {
			continue
		}
		runtime, ok := code.VariableAddress("_PyRuntime")
		if !ok {
			continue
		}
		in := memory{mem}
		runtime += m.Bias
		read := func(n int) []byte { return in.readBytes(runtime, n) }
		if l, ok := cpython.Find(versionOf(code, m.Bias, in), read); ok {
			return &Interpreter{Layout: l, memory: in, runtime: runtime, module: m, typeCache: map[string]uint64{}}
		}
	}
	return nil
}

func versionOf(code *symbol.Code, bias uint64, mem memory) uint32 {
	if at, ok := code.VariableAddress("Py_Version"); ok {
		v, _ := mem.readWord(at + bias)
		return uint32(v)
	}
	for _, s := range since {
		if _, ok := code.FunctionAddress(s.name); ok {
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

// MergeStacks puts the Python frames of a thread between its C frames, each in the place of the one that executes it. C code
// of the interpreter is left out where Python frames stand for it: what it does to get from one to the next differs
// from call to call. inner: what it does in the innermost one is kept. cut: Python frames are missing at the outer
// end. Without an interpreter, and for a thread that runs no Python, the levels are the C frames.
func (p *Interpreter) MergeStacks(tid int, stack []unwind.Frame, inner bool) (out []Level, cut bool) {
	var list []frame
	if p != nil {
		if thread := p.findThread(tid); thread != 0 {
			list, cut = p.readFrames(thread)
		}
	}
	j := joiner{p: p, stack: stack, list: list}
	for i := range stack {
		j.addCFrame(i, inner)
	}
	for ; j.next < len(list); j.next++ { // of which nothing tells where they belong
		j.addPythonFrame(list[j.next])
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

// addCFrame takes a C frame, or what it stands for.
func (j *joiner) addCFrame(i int, inner bool) {
	standsFor := false
	for j.next < len(j.list) && j.executingFrame(j.list[j.next]) == i {
		f := j.list[j.next]
		j.next++
		standsFor = true
		j.addPythonFrame(f)
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

func (j *joiner) addPythonFrame(f frame) {
	if named, ok := j.p.describeFrame(f); ok {
		j.out = append(j.out, Level{Python: &named})
	}
}

// executingFrame finds the C frame that executes a Python frame; -1: none is found.
func (j *joiner) executingFrame(f frame) int {
	for i := j.from; i+1 < len(j.stack); i++ {
		lo, known := j.stack[i].SP()
		hi, above := j.stack[i+1].SP()
		switch {
		case !known || !above:
		case f.entry != 0 && f.entry >= lo && f.entry < hi, f.entry == 0 && j.containsPointer(i, lo, hi, f.at):
			return i
		}
	}
	return -1
}

// region is how much of a C frame is searched, in bytes.
const region = 8192

// containsPointer reports whether a C frame of the interpreter has the address of a Python frame in it: up to 3.9 nothing
// else tells where a frame is executed.
func (j *joiner) containsPointer(i int, lo, hi, at uint64) bool {
	if j.stack[i].Module != j.p.module || hi <= lo {
		return false
	}
	b := j.p.memory.readBytes(lo, int(min(hi-lo, region))&^7)
	for k := 0; k+8 <= len(b); k += 8 {
		if wordAt(b, k) == at {
			return true
		}
	}
	return false
}
