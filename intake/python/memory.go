package python

import (
	"encoding/binary"
	"io"
)

// memory is that of the process.
type memory struct{ io.ReaderAt }

// readBytes reads n bytes, nil if they cannot be read.
func (m memory) readBytes(at uint64, n int) []byte {
	b := make([]byte, n)
	if got, _ := m.ReadAt(b, int64(at)); got < n {
		return nil
	}
	return b
}

// readWord reads eight bytes.
func (m memory) readWord(at uint64) (uint64, bool) {
	b := m.readBytes(at, 8)
	if b == nil {
		return 0, false
	}
	return wordAt(b, 0), true
}

func wordAt(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

// page is the size of the smallest pages.
const page = 4096

// readCString reads a text that ends with a zero, of fewer than n bytes, which may lie at the
// end of what can be read.
func (m memory) readCString(at uint64, n int) string {
	b := m.readBytes(at, min(n, int(page-at%page)))
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return ""
}
