package python

import (
	"encoding/binary"
	"slices"

	"laggard/binary/cpython"
)

// Limits of what is gone through.
const (
	maxInterpreters = 64
	maxThreads      = 4096 // of an interpreter
	maxSteps        = 1024 // frames, those of the interpreter's own included
	maxFrames       = 64   // of the program
	frameBytes      = 128  // of a frame that are read at once
)

// entered: since 3.12 a frame of this kind or a higher one stands for C code that has
// entered the interpreter, and lies on the C stack. In 3.11 the byte says that a frame was
// entered from C.
const entered = 3

// threadNumber is where the C library keeps the system's number of a thread, behind its
// pthread_t (struct pthread of glibc): on x86-64, and on AArch64.
var threadNumber = []uint64{720, 208}

// frame is a Python frame as the interpreter has it.
type frame struct {
	at          uint64 // its address
	code        uint64 // its code object
	instruction uint64 // address, or byte in the code
	entry       uint64 // an address on the C stack in the frame that interprets it; 0 not known
}

// findThread finds the interpreter's structure of a thread by the system's number of it, 0 if
// it never ran Python.
func (p *Interpreter) findThread(tid int) uint64 {
	interpreter, ok := p.memory.readWord(p.runtime + uint64(p.Interpreters))
	for i := 0; ok && interpreter != 0 && i < maxInterpreters; i++ {
		thread, more := p.memory.readWord(interpreter + uint64(p.Threads))
		for k := 0; more && thread != 0 && k < maxThreads; k++ {
			if p.hasThreadID(thread, tid) {
				return thread
			}
			thread, more = p.memory.readWord(thread + uint64(p.ThreadNext))
		}
		interpreter, ok = p.memory.readWord(interpreter + uint64(p.InterpreterNext))
	}
	return 0
}

// hasThreadID reports whether a thread has that number.
func (p *Interpreter) hasThreadID(thread uint64, tid int) bool {
	id, ok := p.memory.readWord(thread + uint64(p.ThreadHandle))
	if !ok || id == 0 {
		return false
	}
	return slices.ContainsFunc(threadNumber, func(at uint64) bool {
		b := p.memory.readBytes(id+at, 4)
		return b != nil && int(binary.LittleEndian.Uint32(b)) == tid
	})
}

// innermostFrame is the innermost frame of a thread, 0 none.
func (p *Interpreter) innermostFrame(thread uint64) uint64 {
	top, ok := p.memory.readWord(thread + uint64(p.ThreadTop))
	if ok && top != 0 && p.EntryFrame != cpython.Absent {
		top, ok = p.memory.readWord(top + uint64(p.EntryFrame))
	}
	if !ok {
		return 0
	}
	return top
}

// instruction: up to 3.10 a frame has a number, in 3.10 one of instructions of two bytes.
func (p *Interpreter) instruction(b []byte) uint64 {
	if p.CodeBytes != cpython.Absent {
		return wordAt(b, int(p.FrameInstruction))
	}
	n := int64(int32(binary.LittleEndian.Uint32(b[p.FrameInstruction:])))
	if p.Minor == 10 {
		n *= 2
	}
	return uint64(n)
}

// frameSize is how many bytes of a frame there are to read; 0: more than expected.
func (p *Interpreter) frameSize() int {
	last := max(p.FrameInstruction, p.FrameBack, p.FrameCode)
	if p.FrameKind != cpython.Absent {
		last = max(last, p.FrameKind)
	}
	if last+8 > frameBytes {
		return 0
	}
	return int(last) + 8
}

// readFrames are those of a thread, innermost first; cut: there are more.
func (p *Interpreter) readFrames(thread uint64) (list []frame, cut bool) {
	size, at := p.frameSize(), p.innermostFrame(thread)
	apart := p.FrameKind != cpython.Absent && p.ThreadEntry == cpython.Absent // frames stand for entries
	entry := uint64(0)
	if p.ThreadEntry != cpython.Absent {
		entry, _ = p.memory.readWord(thread + uint64(p.ThreadEntry))
	}
	run := 0 // where the frames of this entry begin
	for i := 0; size > 0 && at != 0 && i < maxSteps; i++ {
		b := p.memory.readBytes(at, size)
		if at%8 != 0 || b == nil {
			return list, true
		}
		back := wordAt(b, int(p.FrameBack))
		switch {
		case apart && b[p.FrameKind] >= entered:
			for ; run < len(list); run++ {
				list[run].entry = at
			}
		case len(list) == maxFrames:
			if cut = true; run == len(list) || !apart {
				return list, true // else where they were entered is still to be found
			}
		default:
			list = append(list, frame{at, wordAt(b, int(p.FrameCode)) &^ 7, p.instruction(b), entry})
			if entry != 0 && (p.FrameKind == cpython.Absent || b[p.FrameKind] != 0) {
				entry, _ = p.memory.readWord(entry + uint64(p.EntryNext))
			}
		}
		if back == at {
			break
		}
		at = back
	}
	return list, cut
}
