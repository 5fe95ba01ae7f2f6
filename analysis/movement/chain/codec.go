package chain

import (
	"encoding/binary"
	"fmt"
	"math"
)

// writer appends numbers and texts to bytes.
type writer struct{ b []byte }

func (w *writer) uint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }
func (w *writer) int(v int64)   { w.b = binary.AppendVarint(w.b, v) }
func (w *writer) text(s string) { w.uint(uint64(len(s))); w.b = append(w.b, s...) }
func (w *writer) index(i int32) { w.uint(uint64(i)) }
func (w *writer) count(n int)   { w.uint(uint64(n)) }

// reader reads what a writer wrote. After the first error every read gives
// zero, so that loops end.
type reader struct {
	b    []byte
	size int
	err  error
}

func newReader(b []byte) *reader { return &reader{b: b, size: len(b)} }

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: byte %d: %s", ErrEncoding, r.size-len(r.b), fmt.Sprintf(format, args...))
		r.b = nil
	}
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || n > 1 && r.b[n-1] == 0 {
		r.fail("no number")
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) int() int64 {
	u := r.uint()
	return int64(u>>1) ^ -int64(u&1)
}

// index reads a number below n.
func (r *reader) index(n int) int32 {
	v := r.uint()
	if v >= uint64(n) {
		r.fail("%d of %d", v, n)
		return 0
	}
	return int32(v)
}

// count reads a number of items of at least least bytes each.
func (r *reader) count(least int) int {
	v := r.uint()
	if v > uint64(len(r.b)/least) || v > math.MaxInt32 {
		r.fail("%d items in %d bytes", v, len(r.b))
		return 0
	}
	return int(v)
}

func (r *reader) text() string {
	n := r.count(1)
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

// end returns the error, also if bytes are left.
func (r *reader) end() error {
	if len(r.b) > 0 {
		r.fail("%d bytes too many", len(r.b))
	}
	return r.err
}

// mark reads what a writer put first, to tell one kind of value from another.
func (r *reader) mark(want string) {
	if got := r.text(); r.err == nil && got != want {
		r.fail("%q, not %q", got, want)
	}
}
