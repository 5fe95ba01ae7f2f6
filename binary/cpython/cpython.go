package cpython

import (
	_ "embed"
	"encoding/binary"
)

//go:generate go run ../../recorder/gen layouts.go

// Table is the table from which [Layouts] and the recorder's layouts are made.
//
//go:embed layouts.tbl
var Table string

// Absent is the offset of a member that a version does not have, or whose place is not known.
const Absent = ^uint32(0)

// stated marks a value of [Layouts] that is the number of a word of _Py_DebugOffsets.
const stated = 1 << 31

const (
	debugWords = 81      // of _Py_DebugOffsets that are read
	maxOffset  = 1 << 24 // of a member
	// The words that are no offsets: the version, and whether there is no global lock.
	wordVersion      = 1
	wordFreeThreaded = 2
)

var cookie = [8]byte([]byte("xdebugpy"))

// Find returns the layout of a version, as PY_VERSION_HEX has it, and false for one that is not known. read returns the
// first n bytes of the runtime, nil if they cannot be read; it is called for versions that state their layout.
func Find(version uint32, read func(n int) []byte) (*Layout, bool) {
	for i := range Layouts {
		l := &Layouts[i]
		switch {
		case version>>24 != 3 || l.Minor != int(version>>16&0xff):
		case l.Interpreters&stated == 0:
			return l, true
		default:
			return l.state(version, read(8*debugWords))
		}
	}
	return nil, false
}

// state returns the layout with the offsets that the interpreter states.
func (l Layout) state(version uint32, runtime []byte) (*Layout, bool) {
	if len(runtime) < 8*debugWords || [8]byte(runtime) != cookie {
		return nil, false
	}
	word := func(i uint32) uint64 { return binary.LittleEndian.Uint64(runtime[8*i:]) }
	const longerObjects = 14 // since this version, all objects without a global lock
	if uint32(word(wordVersion)) != version || l.Minor >= longerObjects && word(wordFreeThreaded) != 0 {
		return nil, false
	}
	sound := true
	for _, m := range l.members() {
		if *m != Absent && *m&stated != 0 {
			n := word(*m &^ stated)
			sound = sound && n < maxOffset
			*m = uint32(n)
		}
	}
	return &l, sound && l.BytesLength == l.Length
}
