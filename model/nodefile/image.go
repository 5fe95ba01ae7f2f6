package nodefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"laggard/internal/regular"
	"laggard/model"
	"laggard/model/format"
)

// growth is how much a live file may grow under our eyes and still be seen
// whole. It costs address space only.
const growth = 16 << 20

// image is the bytes of a node file, possibly of a live one: any byte may
// change at any moment, so a value that is checked is a value that was copied
// before.
type image struct {
	name string
	data []byte   // never read behind size()
	file *os.File // nil: data is memory of our own and does not change
	// present is the file that a copy by CopyRecords was taken of; nil: this is none.
	present *image
}

// newImage makes an image of bytes in memory, name is for the errors.
func newImage(name string, data []byte) *image {
	if len(data) > 0 && uintptr(unsafe.Pointer(&data[0]))%8 != 0 {
		data = append(make([]byte, 0, len(data)), data...) // words are loaded whole
	}
	return &image{name: name, data: data}
}

// openImage maps the file at path; name is for the errors.
func openImage(path, name string) (*image, error) {
	file, info, err := regular.Open(path)
	if errors.Is(err, regular.ErrNotRegular) {
		err = fmt.Errorf("%w: %w", model.ErrMagic, err)
	}
	if err != nil {
		return nil, err
	}
	data, err := unix.Mmap(int(file.Fd()), 0, int(info.Size())+growth, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		file.Close()
		return nil, err
	}
	return &image{name: name, data: data, file: file}, nil
}

// close ends the use of the image; nothing decoded from it points into it.
func (m *image) close() {
	if m.file != nil {
		unix.Munmap(m.data)
		m.file.Close()
	}
	if m.present != nil {
		m.present.close()
	}
}

// size returns how many bytes can be read now. It grows while the job lives.
func (m *image) size() int64 {
	if m.file == nil {
		return int64(len(m.data))
	}
	info, err := m.file.Stat()
	if err != nil {
		return 0
	}
	return min(info.Size(), int64(len(m.data)))
}

// u64 loads the word at off, a multiple of 8, in one piece and in order with
// the other loads.
func (m *image) u64(off int64) uint64 {
	word := atomic.LoadUint64((*uint64)(unsafe.Pointer(&m.data[off : off+8][0])))
	return littleEndian(word)
}

// u32 loads the word at off, a multiple of 4.
func (m *image) u32(off int64) uint32 {
	word := m.u64(off &^ 7)
	if off%8 == 4 {
		return uint32(word >> 32)
	}
	return uint32(word)
}

// bigEndian: this machine has the bytes of a word in the other order than the file.
var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// littleEndian turns a word in the order of this machine into the one of the
// file.
func littleEndian(word uint64) uint64 {
	if bigEndian {
		return bits.ReverseBytes64(word)
	}
	return word
}

// appendWords appends n bytes from off, both multiples of 8, to dst, word by word.
func (m *image) appendWords(dst []byte, off, n int64) []byte {
	begin := len(dst)
	dst = slices.Grow(dst, int(n))[:begin+int(n)]
	for to, from := dst[begin:], m.data[off:off+n]; len(to) >= 8; to, from = to[8:], from[8:] {
		binary.NativeEndian.PutUint64(to, atomic.LoadUint64((*uint64)(unsafe.Pointer(&from[0]))))
	}
	return dst
}

// patience is how often a reader still waits for a writer that is inside an
// update. A dead writer must not hold the reader up, however many updates it
// left unfinished.
type patience int

const (
	manyWaits = patience(50)
	oneWait   = 100 * time.Microsecond
	spins     = 100
)

// copyBlock copies n bytes from off that change together and start with a sequence
// number of width bits (32 or 64), odd while they change. It reports whether
// the copy is consistent; if not, the copy is of a moment within an update.
func (m *image) copyBlock(dst []byte, off, n int64, width uint, wait *patience) ([]byte, bool) {
	mask := uint64(1)<<(width-1)<<1 - 1
	for try := 0; ; try++ {
		before := m.u64(off) & mask
		dst = m.appendWords(dst[:0], off, n)
		if before&1 == 0 && m.u64(off)&mask == before {
			return dst, true
		}
		if m.file == nil || try >= spins && *wait <= 0 {
			return dst, false
		}
		if try >= spins {
			*wait--
			time.Sleep(oneWait)
		}
	}
}

// guardReads runs f, which reads the image. A file that is cut short by someone else
// while it is mapped makes the reads fault; that becomes ErrTruncated.
func (m *image) guardReads(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		if _, ok := fault.(interface{ Addr() uintptr }); !ok {
			panic(fault)
		}
		err = fmt.Errorf("%w: it shrank while it was read", model.ErrTruncated)
	}()
	f()
	return nil
}

// maxHole is how many bytes without anything in them are gone through page by page, before
// the file system is asked where there are more: it may not know what a live process has
// written last.
const maxHole = 16 << 20

// nextOffset is where to look after the page at off, if nothing has been found from a place
// before it on; end at the most. A file of a few pages can say that it is a terabyte long.
func (m *image) nextOffset(off, from, end int64) int64 {
	off += format.PageSize
	if m.file == nil || off-from < maxHole || off >= end {
		return off
	}
	data, err := unix.Seek(int(m.file.Fd()), off, unix.SEEK_DATA)
	switch {
	case errors.Is(err, unix.ENXIO): // behind the last
		return end
	case err != nil:
		return off
	}
	return min(max(off, data-data%format.PageSize), end)
}

// zeroPages reports whether the bytes from off to end hold nothing: all zero, but
// for the header of a chunk whose magic was never written, at the start of any
// page. That is what a process leaves that died between reserving a chunk and
// opening it.
func (m *image) zeroPages(off, end int64) bool {
	var zero [format.PageSize]byte
	for from := off; off < end; off = m.nextOffset(off, from, end) {
		page := m.data[off:min(off+format.PageSize, end)]
		if len(page) > format.ChunkUsed && m.u32(off) == 0 {
			page = page[format.ChunkUsed:]
		}
		if !bytes.Equal(page, zero[:len(page)]) {
			return false
		}
	}
	return true
}
