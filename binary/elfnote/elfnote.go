package elfnote

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
)

// Each calls do for each note in a segment or section; order nil is little-endian. It stops at the first one that is
// malformed.
func Each(b []byte, order binary.ByteOrder, do func(name string, kind uint32, desc []byte)) {
	if order == nil {
		order = binary.LittleEndian
	}
	pad := func(n uint32) uint64 { return (uint64(n) + 3) &^ 3 }
	for len(b) >= 12 {
		names, descs, kind := order.Uint32(b), order.Uint32(b[4:]), order.Uint32(b[8:])
		b = b[12:]
		if pad(names)+uint64(descs) > uint64(len(b)) {
			return
		}
		do(string(bytes.TrimRight(b[:names], "\x00")), kind, b[pad(names):][:descs])
		b = b[min(pad(names)+pad(descs), uint64(len(b))):]
	}
}

// BuildID returns the build-id of GNU in notes, in lower-case hex; "" if there is none.
func BuildID(b []byte, order binary.ByteOrder) (id string) {
	const kindBuildID, maxSize = 3, 64
	Each(b, order, func(name string, kind uint32, desc []byte) {
		if name == "GNU" && kind == kindBuildID && id == "" && len(desc) > 0 && len(desc) <= maxSize {
			id = hex.EncodeToString(desc)
		}
	})
	return id
}
