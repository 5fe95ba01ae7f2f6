package cpython

import (
	"encoding/binary"
	"reflect"
	"sync"
)

//go:generate go run ../../recorder/gen offsets.go

// Layout says where a version of CPython keeps what a stack is read from.
type Layout struct {
	Minor int // of 3.minor
	Offsets
}

const (
	debugWords = 81      // of _Py_DebugOffsets that are read
	maxOffset  = 1 << 24 // of a member
	// The words that are no offsets: the version, and whether there is no global lock.
	wordVersion      = 1
	wordFreeThreaded = 2
)

var cookie = [8]byte([]byte("xdebugpy"))

// layouts are those of all versions in the table, which is read when the first interpreter is found.
var layouts = sync.OnceValue(func() (all []Layout) {
	t, err := ParseTable(Text)
	if err != nil {
		panic(err) // a mistake in the table
	}
	for version, minor := range t.Minors {
		l := Layout{Minor: minor}
		for member, offset := range l.pointers() {
			*offset = t.Members[member].Offsets[version]
		}
		all = append(all, l)
	}
	return all
})

// pointers are those to all offsets, in the order of the table.
func (o *Offsets) pointers() (all []*uint32) {
	v := reflect.ValueOf(o).Elem()
	for i := range v.NumField() {
		all = append(all, v.Field(i).Addr().Interface().(*uint32))
	}
	return all
}

// Find returns the layout of a version, as PY_VERSION_HEX has it, and false for one that is not known. read returns the
// first n bytes of the runtime, nil if they cannot be read; it is called for versions that state their layout.
func Find(version uint32, read func(n int) []byte) (*Layout, bool) {
	for _, l := range layouts() {
		switch {
		case version>>24 != 3 || l.Minor != int(version>>16&0xff):
		case l.Interpreters&Stated == 0:
			return &l, true
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
	for _, offset := range l.pointers() {
		if *offset != Absent && *offset&Stated != 0 {
			n := word(*offset &^ Stated)
			sound = sound && n < maxOffset
			*offset = uint32(n)
		}
	}
	return &l, sound && l.BytesLength == l.Length
}
