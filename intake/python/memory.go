package python

import (
	"encoding/binary"
	"io"
)

// memory is that of the process.
type memory struct{ io.ReaderAt }

// bytes reads n bytes, nil if they cannot be read.
func (m memory) bytes(at uint64, n int) []byte {
	b := make([]byte, n)
	if got, _ := m.ReadAt(b, int64(at)); got < n {
		return nil
	}
	return b
}

// word reads eight bytes.
func (m memory) word(at uint64) (uint64, bool) {
	b := m.bytes(at, 8)
	if b == nil {
		return 0, false
	}
	return word(b, 0), true
}

func word(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

// page is the size of the smallest pages.
const page = 4096

// name reads a text that ends with a zero, of fewer than n bytes, which may lie at the
// end of what can be read.
func (m memory) name(at uint64, n int) string {
	b := m.bytes(at, min(n, int(page-at%page)))
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return ""
}
