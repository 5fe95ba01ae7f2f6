package callframe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"laggard/binary/cursor"
)

// Errors say why there is no rule for an address.
var (
	// ErrUncovered: no entry covers the address.
	ErrUncovered = errors.New("no unwinding information covers the address")
	// ErrMalformed wraps what is wrong with the table.
	ErrMalformed = errors.New("malformed unwinding information")
)

// InPlace is memory of which parts can be had without copying, such as that of a file which is mapped.
type InPlace interface {
	// BytesAt returns what is known from an address on, nil if nothing is.
	BytesAt(address uint64) []byte
}

// Table is the search table of a module, .eh_frame_hdr, with the entries that it points to (LSB Core 5.0,
// section 10.6). Addresses are those of Memory: of a process, or of the file.
type Table struct {
	Memory  io.ReaderAt      // faster if it is InPlace
	Address uint64           // where the table begins
	Order   binary.ByteOrder // nil: little-endian
}

// Entry describes a range of code: an FDE with its CIE.
type Entry struct {
	Start, Size uint64
	// Handlers is the address of the table that says where exceptions are handled (LSDA), 0 if there is none.
	Handlers uint64

	codeAlign          uint64
	dataAlign          int64
	form, handlersForm byte   // of addresses within the instructions, and of Handlers
	returnRegister     uint64 // its rule is that of the return address
	signal             bool   // the frame of a signal handler's caller: its PC is no return address
	// instructions of the CIE and of the FDE, and their addresses
	common, own     []byte
	commonAt, ownAt uint64
	table           *Table
}

// maxEntry bounds an FDE or a CIE, in bytes.
const maxEntry = 1 << 16

// The only form of the search table that linkers write: sorted pairs of four-byte distances from its beginning.
const (
	headerSize    = 16
	headerVersion = 1
	headerCount   = 0x03 // udata4
	headerPairs   = 0x3b // datarel | sdata4
	pairSize      = 8
)

// read returns n bytes at an address.
func (t *Table) read(at uint64, n int) ([]byte, error) {
	if m, ok := t.Memory.(InPlace); ok {
		b := m.BytesAt(at)
		if len(b) < n {
			return nil, io.ErrUnexpectedEOF
		}
		return b[:n], nil
	}
	b := make([]byte, n)
	_, err := t.Memory.ReadAt(b, int64(at))
	return b, err
}

// pairs returns where the pairs of the table begin, and how many there are.
func (t *Table) pairs() (at, n uint64, err error) {
	head, err := t.read(t.Address, headerSize)
	if err != nil {
		return 0, 0, err
	}
	c := t.cursor(head)
	c.Off = 4
	c.Pointer(head[1], t.Address, t.Address)
	n = c.Fixed(4)
	if head[0] != headerVersion || head[2] != headerCount || head[3] != headerPairs || c.Bad {
		return 0, 0, fmt.Errorf("%w: a table of another form", ErrMalformed)
	}
	return t.Address + uint64(c.Off), n, nil
}

func (t *Table) cursor(b []byte) cursor.Cursor { return cursor.Cursor{Bytes: b, Order: t.Order} }

// maxStarts bounds the functions that Starts returns.
const maxStarts = 1 << 24

// Starts returns the address of each range in the table, in the order of the table.
func (t *Table) Starts() ([]uint64, error) {
	at, n, err := t.pairs()
	if err != nil {
		return nil, err
	}
	if n > maxStarts {
		return nil, fmt.Errorf("%w: %d entries", ErrMalformed, n)
	}
	const chunk = 1 << 12 // pairs: what is not there must not be allocated for
	var out []uint64
	for n > 0 {
		b, err := t.read(at, int(min(n, chunk)*pairSize))
		if err != nil {
			return nil, err
		}
		for c := t.cursor(b); c.Left() > 0; c.Off += pairSize / 2 {
			out = append(out, t.Address+uint64(c.Signed(4)))
		}
		at, n = at+uint64(len(b)), n-uint64(len(b))/pairSize
	}
	return out, nil
}

// Find returns the entry that covers an address. Errors wrap ErrUncovered, ErrMalformed or that of reading.
func (t *Table) Find(pc uint64) (*Entry, error) {
	table, n, err := t.pairs()
	if err != nil {
		return nil, err
	}
	pair := func(i uint64) (code, entry uint64, err error) {
		b, err := t.read(table+pairSize*i, pairSize)
		c := t.cursor(b)
		return t.Address + uint64(c.Signed(4)), t.Address + uint64(c.Signed(4)), err
	}
	lo, hi := uint64(0), n
	for lo < hi { // the last one that begins at or before pc
		mid := lo + (hi-lo)/2
		code, _, err := pair(mid)
		if err != nil {
			return nil, err
		}
		if code <= pc {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return nil, ErrUncovered
	}
	_, at, err := pair(lo - 1)
	if err != nil {
		return nil, err
	}
	e, err := t.readEntry(at)
	if err != nil {
		return nil, err
	}
	if pc-e.Start >= e.Size {
		return nil, ErrUncovered
	}
	return e, nil
}

// block reads the contents of a CIE or FDE behind its length, and their address.
func (t *Table) block(at uint64) ([]byte, uint64, error) {
	head, err := t.read(at, 4)
	if err != nil {
		return nil, 0, err
	}
	c := t.cursor(head)
	n := c.Fixed(4)
	if n < 4 || n > maxEntry {
		return nil, 0, fmt.Errorf("%w: an entry of %d bytes", ErrMalformed, n)
	}
	b, err := t.read(at+4, int(n))
	return b, at + 4, err
}

func (t *Table) readEntry(fde uint64) (*Entry, error) {
	b, at, err := t.block(fde)
	if err != nil {
		return nil, err
	}
	c := t.cursor(b)
	back := c.Fixed(4)
	if back == 0 {
		return nil, fmt.Errorf("%w: no entry of a function", ErrMalformed)
	}
	e := &Entry{table: t, handlersForm: cursor.FormOmit}
	augmented, err := e.readCommon(at - back)
	if err != nil {
		return nil, err
	}
	e.Start = c.Pointer(e.form, at, 0)
	e.Size = c.Encoded(e.form)
	if augmented {
		n := c.ULEB()
		behind := c.Off
		if n > 0 && e.handlersForm&cursor.FormIndirect == 0 {
			e.Handlers = c.Pointer(e.handlersForm, at, t.Address)
		}
		c.Off = behind
		c.Take(n)
	}
	if c.Bad {
		return nil, fmt.Errorf("%w: an entry that ends early", ErrMalformed)
	}
	e.own, e.ownAt = b[c.Off:], at+uint64(c.Off)
	return e, nil
}

// readCommon reads the CIE.
func (e *Entry) readCommon(cie uint64) (augmented bool, err error) {
	b, at, err := e.table.block(cie)
	if err != nil {
		return false, err
	}
	c := e.table.cursor(b)
	id, version := c.Fixed(4), c.U8()
	augmentation := string(c.Text())
	if id != 0 || version != 1 && version != 3 && version != 4 {
		return false, fmt.Errorf("%w: a common entry of version %d", ErrMalformed, version)
	}
	if version == 4 {
		c.Take(2)
	}
	e.codeAlign, e.dataAlign = c.ULEB(), c.SLEB()
	if version == 1 {
		e.returnRegister = c.Fixed(1)
	} else {
		e.returnRegister = c.ULEB()
	}
	letters, augmented := strings.CutPrefix(augmentation, "z")
	if augmented {
		n := c.ULEB()
		a := e.table.cursor(c.Take(n))
		e.augment(letters, &a, at+uint64(c.Off)-n)
	} else if augmentation != "" {
		return false, fmt.Errorf("%w: augmentation %.20q", ErrMalformed, augmentation)
	}
	if c.Bad {
		return false, fmt.Errorf("%w: a common entry that ends early", ErrMalformed)
	}
	e.common, e.commonAt = b[c.Off:], at+uint64(c.Off)
	return augmented, nil
}

// augment reads what a CIE says of its FDEs.
func (e *Entry) augment(letters string, c *cursor.Cursor, at uint64) {
	for _, l := range letters {
		switch l {
		case 'R':
			e.form = c.U8()
		case 'L':
			e.handlersForm = c.U8()
		case 'P': // the personality routine
			c.Pointer(c.U8(), at, 0)
		case 'S':
			e.signal = true
		case 'B':
		default:
			return
		}
	}
}
