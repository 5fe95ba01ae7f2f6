package elfnote

import (
	"encoding/binary"
	"testing"

	"laggard/internal/checktest"
)

func note(order binary.AppendByteOrder, name string, kind uint32, desc string) []byte {
	b := order.AppendUint32(nil, uint32(len(name)+1))
	b = order.AppendUint32(b, uint32(len(desc)))
	b = order.AppendUint32(b, kind)
	for _, part := range []string{name + "\x00", desc} {
		b = append(b, part...)
		b = append(b, make([]byte, (4-len(part)%4)%4)...)
	}
	return b
}

func TestBuildID(t *testing.T) {
	for _, order := range []interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}{binary.LittleEndian, binary.BigEndian} {
		other, id := note(order, "stapsdt", 3, "abcde"), note(order, "GNU", 3, "\x01\xfe\x22")
		checktest.Equal(t, "01fe22", BuildID(append(other, id...), order), order)
		checktest.Equal(t, "", BuildID(append(other, id[:len(id)-4]...), order), order, "of one that is cut")
	}
	checktest.Equal(t, "", BuildID(note(binary.LittleEndian, "GNU", 3, ""), nil), "of an empty one")
}

// FuzzEach: notes of any bytes end, and lie within them.
func FuzzEach(f *testing.F) {
	f.Add(note(binary.LittleEndian, "GNU", 3, "abcd"))
	f.Fuzz(func(t *testing.T, b []byte) {
		total := 0
		Each(b, nil, func(name string, _ uint32, desc []byte) { total += len(name) + len(desc) })
		if total > len(b) {
			t.Errorf("%d bytes of %d", total, len(b))
		}
	})
}
