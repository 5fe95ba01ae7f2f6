package python

import "bytes"

// absent is the offset of a member that a version does not have.
const absent = ^uint32(0)

// layout is where an interpreter keeps what a stack is read from: offsets in its
// structures, in bytes.
type layout struct {
	minor                        int    // of 3.minor
	interpreters                 uint32 // in the runtime: the first interpreter
	interpreterNext, threads     uint32 // in an interpreter: the next one, its first thread
	threadNext, threadID         uint32 // in a thread: the next one, its pthread_t
	threadTop                    uint32 // the frame it executes, or the entry into the interpreter that leads there
	entryFrame, entryNext        uint32 // in an entry: its frame (absent: threadTop is one), the entry before
	threadEntry                  uint32 // in a thread: the newest entry, on the C stack
	frameBack, frameCode         uint32
	frameInstruction             uint32
	frameKind                    uint32 // a byte that tells frames by which C code entered the interpreter
	codeFile, codeName           uint32
	codeFirst, codeLines         uint32
	codeBytes                    uint32
	objectType, typeName, length uint32 // in any object, in a type, in a text or bytes
	textState, textASCII, bytes  uint32 // in a text its kind, and where ASCII begins; where the bytes of bytes do
}

// common has what the public headers fix, and all versions up to 3.12 share.
var common = layout{
	threadNext: 8, objectType: 8, typeName: 24, length: 16, textState: 32, bytes: 32, textASCII: 48,
	entryFrame: absent, threadEntry: absent, frameKind: absent, codeBytes: absent,
}

// known returns the layout of a version up to 3.12, by its headers (Include/internal,
// Include/cpython); 64 bits.
func known(minor int) (layout, bool) {
	l := common
	l.minor = minor
	switch minor {
	case 8, 9, 10:
		l.interpreters, l.threads, l.threadID, l.threadTop = 32, 8, 176, 24
		l.frameBack, l.frameCode, l.frameInstruction = 24, 32, 104
		l.codeFile, l.codeName, l.codeFirst, l.codeLines = 104, 112, 40, 120
		if minor == 10 {
			l.threadEntry, l.entryNext, l.frameInstruction = 48, 8, 96
		}
	case 11:
		l.interpreters, l.threads, l.threadID, l.threadTop = 40, 16, 152, 56
		l.entryFrame, l.threadEntry, l.entryNext = 8, 56, 16
		l.frameBack, l.frameCode, l.frameInstruction, l.frameKind = 48, 32, 56, 68
		l.codeFile, l.codeName, l.codeFirst, l.codeLines, l.codeBytes = 112, 128, 72, 136, 184
	case 12:
		l.interpreters, l.threads, l.threadID, l.threadTop, l.entryFrame = 40, 72, 136, 56, 0
		l.frameBack, l.frameCode, l.frameInstruction, l.frameKind = 8, 0, 56, 70
		l.codeFile, l.codeName, l.codeFirst, l.codeLines, l.codeBytes = 112, 128, 68, 136, 192
		l.textASCII = 40
	default:
		return l, false
	}
	return l, true
}

// The words of _Py_DebugOffsets, with which the runtime begins since 3.13. What stands
// before the thread is longer in 3.14, and the frame is.
const (
	wordVersion      = 1
	wordFreeThreaded = 2
	wordInterpreters = 5
	wordNext         = 8
	wordThreads      = 9
	words            = 81
	maxOffset        = 1 << 24
)

var cookie = []byte("xdebugpy")

// stated reads the layout that an interpreter states.
func stated(m memory, version uint32, runtime uint64) (l layout, ok bool) {
	minor := int(version >> 16 & 0xff)
	b := m.bytes(runtime, 8*words)
	if b == nil || !bytes.Equal(b[:8], cookie) || uint32(word(b, 8*wordVersion)) != version ||
		minor > 13 && word(b, 8*wordFreeThreaded) != 0 {
		return l, false
	}
	pick := func(i int) uint32 {
		n := word(b, 8*i)
		ok = ok && n < maxOffset
		return uint32(n)
	}
	thread, frameWords, objectWords, set := 19, 6, 10, 0
	if minor > 13 {
		thread, frameWords, objectWords, set = 22, 8, 11, 4
	}
	frame := thread + 9
	code := frame + frameWords
	object := code + objectWords
	kind := object + 2
	tuple := kind + 4
	numbers := tuple + 6 + set + 3 // behind lists, sets and dictionaries
	text := numbers + 8
	ok = true
	l = layout{
		minor: minor, interpreters: pick(wordInterpreters), interpreterNext: pick(wordNext), threads: pick(wordThreads),
		threadNext: pick(thread + 2), threadTop: pick(thread + 4), threadID: pick(thread + 5),
		entryFrame: absent, threadEntry: absent,
		frameBack: pick(frame + 1), frameCode: pick(frame + 2), frameInstruction: pick(frame + 3),
		frameKind: pick(frame + 5),
		codeFile:  pick(code + 1), codeName: pick(code + 3), codeLines: pick(code + 4), codeFirst: pick(code + 5),
		codeBytes:  pick(code + 9),
		objectType: pick(object + 1), typeName: pick(kind + 1),
		textState: pick(text + 1), length: pick(text + 2), textASCII: pick(text + 3), bytes: pick(text - 1),
	}
	return l, ok && word(b, 8*(text-2)) == word(b, 8*(text+2))
}

// layoutOf returns the layout of a version, as PY_VERSION_HEX has it, whose runtime is at
// that address; false: it is not known.
func layoutOf(m memory, version uint32, runtime uint64) (layout, bool) {
	minor := int(version >> 16 & 0xff)
	switch {
	case version>>24 != 3:
		return layout{}, false
	case minor == 13 || minor == 14:
		return stated(m, version, runtime)
	}
	return known(minor)
}
