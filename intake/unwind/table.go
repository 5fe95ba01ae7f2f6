package unwind

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"laggard/intake/stopped"
)

// Errors say why there is no rule for an address.
var (
	errNone = errors.New("no unwinding information covers the address")
	errBad  = errors.New("malformed unwinding information")
)

// entry is what the table says of a range of code: an FDE with its CIE. Addresses are
// those of the process.
type entry struct {
	start, size            uint64
	codeAlign              uint64
	dataAlign              int64
	form                   byte   // of addresses within the instructions
	ret                    uint64 // the register whose rule is that of the return address
	signal                 bool   // the frame of a signal handler's caller: its PC is no return address
	common, own            []byte
	commonAt, ownAt, table uint64 // their addresses, and that of the table
}

// maxEntry bounds an FDE or a CIE, in bytes.
const maxEntry = 1 << 16

// head of .eh_frame_hdr with a table sorted by address, in the only form that linkers
// write.
const (
	headVersion = 1
	headCount   = 0x03 // udata4
	headTable   = 0x3b // datarel | sdata4
)

// find looks up an address in the table at hdr.
func find(mem io.ReaderAt, hdr, pc uint64) (*entry, error) {
	head := make([]byte, 16)
	if _, err := mem.ReadAt(head, int64(hdr)); err != nil {
		return nil, err
	}
	c := cursor{b: head, off: 4}
	c.pointer(head[1], hdr, hdr)
	n := int64(c.fixed(4))
	if head[0] != headVersion || head[2] != headCount || head[3] != headTable || c.bad {
		return nil, fmt.Errorf("%w: a table of another form", errBad)
	}
	table := hdr + uint64(c.off)
	pair := make([]byte, 8)
	at := func(i int64) (code, fde uint64, err error) {
		_, err = mem.ReadAt(pair, int64(table)+8*i)
		return hdr + uint64(int64(int32(binary.LittleEndian.Uint32(pair)))),
			hdr + uint64(int64(int32(binary.LittleEndian.Uint32(pair[4:])))), err
	}
	lo, hi := int64(0), n
	for lo < hi { // the last one that begins at or before pc
		mid := lo + (hi-lo)/2
		code, _, err := at(mid)
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
		return nil, errNone
	}
	_, fde, err := at(lo - 1)
	if err != nil {
		return nil, err
	}
	e, err := readEntry(mem, fde)
	if err != nil {
		return nil, err
	}
	if e.table = hdr; pc-e.start >= e.size {
		return nil, errNone
	}
	return e, nil
}

// block reads the contents of a CIE or FDE behind its length, and their address.
func block(mem io.ReaderAt, at uint64) ([]byte, uint64, error) {
	head := make([]byte, 4)
	if _, err := mem.ReadAt(head, int64(at)); err != nil {
		return nil, 0, err
	}
	n := binary.LittleEndian.Uint32(head)
	if n < 4 || n > maxEntry {
		return nil, 0, fmt.Errorf("%w: an entry of %d bytes", errBad, n)
	}
	b := make([]byte, n)
	_, err := mem.ReadAt(b, int64(at+4))
	return b, at + 4, err
}

func readEntry(mem io.ReaderAt, fde uint64) (*entry, error) {
	b, at, err := block(mem, fde)
	if err != nil {
		return nil, err
	}
	c := cursor{b: b}
	back := c.fixed(4)
	if back == 0 {
		return nil, fmt.Errorf("%w: no entry of a function", errBad)
	}
	e := &entry{}
	augmented, err := e.readCommon(mem, at-back)
	if err != nil {
		return nil, err
	}
	e.start = c.pointer(e.form, at, 0)
	e.size = c.pointer(e.form&formWritten, at, 0)
	if augmented {
		c.take(c.uleb())
	}
	if c.bad {
		return nil, fmt.Errorf("%w: an entry that ends early", errBad)
	}
	e.own, e.ownAt = b[c.off:], at+uint64(c.off)
	return e, nil
}

// readCommon reads the CIE.
func (e *entry) readCommon(mem io.ReaderAt, cie uint64) (augmented bool, err error) {
	b, at, err := block(mem, cie)
	if err != nil {
		return false, err
	}
	c := cursor{b: b}
	id, version := c.fixed(4), c.fixed(1)
	augmentation := c.text()
	if id != 0 || version != 1 && version != 3 && version != 4 {
		return false, fmt.Errorf("%w: a common entry of version %d", errBad, version)
	}
	if version == 4 {
		c.take(2)
	}
	e.codeAlign, e.dataAlign = c.uleb(), c.sleb()
	if version == 1 {
		e.ret = c.fixed(1)
	} else {
		e.ret = c.uleb()
	}
	if e.ret >= stopped.Count {
		return false, fmt.Errorf("%w: a return address in register %d", errBad, e.ret)
	}
	more, augmented := strings.CutPrefix(augmentation, "z")
	if augmented {
		n := c.uleb()
		a := cursor{b: c.take(n)}
		e.augment(more, &a, at+uint64(c.off)-n)
	} else if augmentation != "" {
		return false, fmt.Errorf("%w: augmentation %.20q", errBad, augmentation)
	}
	if c.bad {
		return false, fmt.Errorf("%w: a common entry that ends early", errBad)
	}
	e.common, e.commonAt = b[c.off:], at+uint64(c.off)
	return augmented, nil
}

func (e *entry) augment(letters string, c *cursor, at uint64) {
	for _, l := range letters {
		switch l {
		case 'R':
			e.form = byte(c.fixed(1))
		case 'L':
			c.fixed(1)
		case 'P':
			form := byte(c.fixed(1))
			c.pointer(form, at, 0)
		case 'S':
			e.signal = true
		case 'B':
		default:
			return
		}
	}
}
