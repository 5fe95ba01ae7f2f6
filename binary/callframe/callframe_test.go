package callframe

import (
	"encoding/binary"
	"io"
	"testing"

	"laggard/binary/processor"
	"laggard/internal/musttest"
)

// image is memory that begins at an address.
type image struct {
	at uint64
	b  []byte
}

func (m image) ReadAt(b []byte, address int64) (int, error) {
	if off := uint64(address) - m.at; off < uint64(len(m.b)) {
		if n := copy(b, m.b[off:]); n == len(b) {
			return n, nil
		}
	}
	return 0, io.ErrUnexpectedEOF
}

// small is unwinding information made by hand: a table with one function of 16 bytes at
// 0x2000, which pushes rbp at its first byte and rbx at its second.
func small() image {
	le := binary.LittleEndian
	b := make([]byte, 0x100)
	head := []byte{1, 0x1b, 3, 0x3b}
	copy(b, head)
	le.PutUint32(b[8:], 1)
	le.PutUint32(b[12:], 0x2000-0x1000) // of the function, from the table
	le.PutUint32(b[16:], 0x60)          // of its entry
	cie := []byte{0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x80 | 16, 1, 0, 0}
	le.PutUint32(b[0x20:], uint32(len(cie)))
	copy(b[0x24:], cie)
	fde := make([]byte, 13)
	le.PutUint32(fde, 0x64-0x20)
	le.PutUint32(fde[4:], 0x2000-(0x1000+0x68))
	le.PutUint32(fde[8:], 16)
	fde = append(fde, 0x41, 0x0e, 16, 0x80|6, 2, 0x41, 0x0e, 24, 0x80|3, 3)
	le.PutUint32(b[0x60:], uint32(len(fde)))
	copy(b[0x64:], fde)
	return image{0x1000, b}
}

func TestRows(t *testing.T) {
	m := small()
	for _, c := range []struct {
		pc       uint64
		cfa      int64
		rbp, rbx kind
	}{
		{0x2000, 8, unset, unset}, {0x2001, 16, atCFA, unset}, {0x2002, 24, atCFA, atCFA}, {0x200f, 24, atCFA, atCFA},
	} {
		e := musttest.Get(at1000(m).Find(c.pc))(t)
		r := musttest.Get(e.RowAt(c.pc))(t)
		if r.cfa.reg != processor.RSP || r.cfa.n != c.cfa || r.registers[processor.RBP].kind != c.rbp ||
			r.registers[processor.RBX].kind != c.rbx || r.ReturnAddress != processor.X86PC || r.registers[r.ReturnAddress].kind != atCFA {
			t.Errorf("at %#x: %+v", c.pc, r)
		}
	}
	for _, pc := range []uint64{0x1fff, 0x2010} {
		if _, err := at1000(m).Find(pc); err == nil {
			t.Errorf("there are rules for %#x", pc)
		}
	}
}

// FuzzTable reads any bytes as unwinding information: it ends, and without a rule there
// is an error.
func FuzzTable(f *testing.F) {
	f.Add(small().b, uint64(0x2001))
	f.Fuzz(func(t *testing.T, b []byte, pc uint64) {
		m := image{0x1000, b}
		_, _ = at1000(m).Starts()
		e, err := at1000(m).Find(pc)
		if (e == nil) == (err == nil) {
			t.Fatalf("%v, %v", e, err)
		}
		if err != nil {
			return
		}
		r, err := e.RowAt(pc)
		if (r == nil) == (err == nil) {
			t.Fatalf("%v, %v", r, err)
		}
		if err == nil {
			var regs processor.Registers
			regs.Set(processor.RSP, 0x1000)
			cfa, _ := r.CFA(&regs, m)
			for reg := range processor.Count {
				r.Restore(reg, &regs, cfa, m, processor.X86)
			}
		}
	})
}

func at1000(m image) *Table { return &Table{Memory: m, Address: 0x1000} }

// TestStarts: the table lists its functions; one that claims more than it has is an error.
func TestStarts(t *testing.T) {
	m := small()
	if got, err := at1000(m).Starts(); err != nil || len(got) != 1 || got[0] != 0x2000 {
		t.Errorf("%#x, %v", got, err)
	}
	binary.LittleEndian.PutUint32(m.b[8:], 1<<31)
	if got, err := at1000(m).Starts(); err == nil {
		t.Errorf("%d functions of a table that was cut", len(got))
	}
}

// TestRelative: an address relative to its own place counts from there.
func TestRelative(t *testing.T) {
	e, err := at1000(small()).Find(0x2001)
	if err != nil || e.Start != 0x2000 || e.Size != 16 {
		t.Errorf("%+v, %v", e, err)
	}
}
