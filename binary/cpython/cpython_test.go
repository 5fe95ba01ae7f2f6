package cpython

import (
	"encoding/binary"
	"strings"
	"testing"

	"laggard/internal/checktest"
)

// stating is a runtime whose words of _Py_DebugOffsets are their own numbers, but for those given.
func stating(version uint32, words map[uint32]uint64) []byte {
	b := make([]byte, 8*debugWords)
	for i := range uint32(debugWords) {
		binary.LittleEndian.PutUint64(b[8*i:], uint64(i))
	}
	copy(b, cookie[:])
	binary.LittleEndian.PutUint64(b[8*wordVersion:], uint64(version))
	binary.LittleEndian.PutUint64(b[8*wordFreeThreaded:], 0)
	binary.LittleEndian.PutUint64(b[8*65:], 69) // the length of bytes is where that of a text is
	for i, v := range words {
		binary.LittleEndian.PutUint64(b[8*i:], v)
	}
	return b
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name    string
		version uint32
		runtime []byte
		want    bool
	}{
		{"a version of the table", 0x030b02f0, nil, true},
		{"one that is too old", 0x03070000, nil, false},
		{"another major version", 0x040b0000, nil, false},
		{"stated", 0x030d00f0, stating(0x030d00f0, nil), true},
		{"stated for another version", 0x030d00f0, stating(0x030d01f0, nil), false},
		{"stated without a word", 0x030d00f0, nil, false},
		{"stated with an offset that is too large", 0x030d00f0, stating(0x030d00f0, map[uint32]uint64{5: maxOffset}), false},
		{"stated with two lengths", 0x030d00f0, stating(0x030d00f0, map[uint32]uint64{65: 8}), false},
		{"without a global lock since 3.14", 0x030e00f0, stating(0x030e00f0, map[uint32]uint64{2: 1, 75: 79}), false},
	} {
		l, ok := Find(c.version, func(int) []byte { return c.runtime })
		checktest.Equal(t, c.want, ok, c.name, "found")
		if ok && c.runtime != nil && (l.Interpreters != 5 || l.Keys != 32 || l.EntryFrame != Absent) {
			t.Errorf("%s: %+v", c.name, l)
		}
	}
}

func TestTableErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"member 3.8 three", "layouts.tbl:1: version"},
		{"member 3.8 3.9\nthreads 8", "layouts.tbl:2: want a value for each version"},
		{"# about\n\nmember 3.8\nthreads @x its threads", "layouts.tbl:4: offset"},
	} {
		if _, err := ParseTable(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}
