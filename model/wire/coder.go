package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"laggard/model"
)

// ErrDamaged is wrapped by errors about bytes that no Coder wrote.
var ErrDamaged = errors.New("damaged encoding")

// Coder writes a value, or reads it.
type Coder struct {
	reading bool
	b       []byte // what was written, or is still to be read
	size    int    // bytes to be read in all
	err     error

	texts    table[string, string]
	modules  table[moduleKey, *model.Module]
	states   table[model.StateID, model.StateID]
	groups   table[string, []int]
	expanded int // ranks of all groups
}

// Encode returns what code writes.
func Encode(code func(*Coder)) ([]byte, error) {
	c := &Coder{}
	code(c)
	return c.b, c.err
}

// Decode has code read all of data. Errors wrap ErrDamaged.
func Decode(data []byte, code func(*Coder)) error {
	c := &Coder{reading: true, b: data, size: len(data)}
	code(c)
	if len(c.b) > 0 {
		c.Fail("%d bytes too many", len(c.b))
	}
	return c.err
}

// IsReading reports whether the Coder reads and has met no error yet: whether there
// is something to check.
func (c *Coder) IsReading() bool { return c.reading && c.err == nil }

// Fail says what is wrong with the value. Only the first error counts.
func (c *Coder) Fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: byte %d: %s", ErrDamaged, c.size-len(c.b), fmt.Sprintf(format, args...))
	}
	if c.reading {
		c.b = nil
	}
}

// Integer is any type of whole numbers.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Uint codes a number that is never negative.
func Uint[T Integer](c *Coder, v *T) {
	if !c.reading {
		if *v < 0 {
			c.Fail("%d is negative", *v)
		}
		c.b = binary.AppendUvarint(c.b, uint64(*v))
		return
	}
	n := c.readUvarint()
	if *v = T(n); *v < 0 || uint64(*v) != n {
		c.Fail("%d is out of range", n)
		*v = 0
	}
}

// Int codes a number that may as well be negative.
func Int[T Integer](c *Coder, v *T) {
	if !c.reading {
		c.b = binary.AppendVarint(c.b, int64(*v))
		return
	}
	u := c.readUvarint()
	n := int64(u>>1) ^ -int64(u&1)
	if *v = T(n); int64(*v) != n {
		c.Fail("%d is out of range", n)
		*v = 0
	}
}

// Delta codes a number as its distance to another that the reader knows.
func Delta[T Integer](c *Coder, v *T, from T) {
	d := int64(*v) - int64(from)
	if Int(c, &d); !c.reading {
		return
	}
	sum := int64(from) + d
	if *v = T(sum); int64(*v) != sum {
		c.Fail("%d is out of range", sum)
		*v = 0
	}
}

// Index codes a number from 0 to n-1.
func Index[T Integer](c *Coder, v *T, n int) {
	if Uint(c, v); c.IsReading() && uint64(*v) >= uint64(n) {
		c.Fail("%d of %d", *v, n)
		*v = 0
	}
}

// readUvarint reads a number; there is one way to write it.
func (c *Coder) readUvarint() uint64 {
	n, size := binary.Uvarint(c.b)
	if size <= 0 || size > 1 && c.b[size-1] == 0 {
		c.Fail("no number")
		return 0
	}
	c.b = c.b[size:]
	return n
}

// Flags codes at most 64 truth values as one number.
func (c *Coder) Flags(all ...*bool) {
	var bits uint64
	for i, f := range all {
		if *f {
			bits |= 1 << i
		}
	}
	if Uint(c, &bits); !c.reading {
		return
	}
	if bits>>len(all) != 0 {
		c.Fail("an unknown flag")
	}
	for i, f := range all {
		*f = c.err == nil && bits>>i&1 == 1
	}
}

// inflation is how many bytes a list may take in memory for each that is still to
// be read, before its values have been.
const inflation = 16

// List codes a list, its values by one, such as (*point).code. The reader makes an
// empty list nil. Each value must take a byte at least.
func List[T any](c *Coder, all *[]T, one func(*T, *Coder)) {
	n := len(*all)
	if Uint(c, &n); !c.reading {
		for i := range *all {
			one(&(*all)[i], c)
		}
		return
	}
	if *all = nil; n == 0 {
		return
	}
	if n > len(c.b) || n > math.MaxInt32 {
		c.Fail("%d values in %d bytes", n, len(c.b))
		return
	}
	var zero T
	*all = make([]T, 0, min(n, inflation*len(c.b)/max(1, int(unsafe.Sizeof(zero)))))
	for i := 0; i < n && c.err == nil; i++ {
		*all = append(*all, zero)
		one(&(*all)[i], c)
	}
}

// SortedList codes a list that rises strictly: the reader refuses any other.
func SortedList[T any](c *Coder, all *[]T, one func(*T, *Coder), compare func(x, y T) int) {
	List(c, all, one)
	for i := 1; c.IsReading() && i < len(*all); i++ {
		if compare((*all)[i-1], (*all)[i]) >= 0 {
			c.Fail("value %d is out of order", i)
		}
	}
}

// Ints codes a list of numbers.
func Ints[T Integer](c *Coder, all *[]T) { List(c, all, func(v *T, c *Coder) { Int(c, v) }) }

// FixedBytes codes bytes of a number that the reader knows.
func (c *Coder) FixedBytes(b []byte) {
	switch {
	case !c.reading:
		c.b = append(c.b, b...)
	case len(b) > len(c.b):
		c.Fail("%d bytes, %d are left", len(b), len(c.b))
	default:
		c.b = c.b[copy(b, c.b):]
	}
}

// RawText codes a text in full each time.
func (c *Coder) RawText(s *string) {
	n := len(*s)
	if Uint(c, &n); !c.reading {
		c.b = append(c.b, *s...)
		return
	}
	if *s = ""; n > len(c.b) {
		c.Fail("a text of %d bytes, %d are left", n, len(c.b))
		return
	}
	*s, c.b = string(c.b[:n]), c.b[n:]
}

// TypeMark codes a constant that tells one kind of value from another.
func (c *Coder) TypeMark(want string) {
	got := want
	if c.RawText(&got); c.IsReading() && got != want {
		c.Fail("%.40q, not %q", got, want)
	}
}
