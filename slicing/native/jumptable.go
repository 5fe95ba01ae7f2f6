package native

import (
	"encoding/binary"
	"slices"

	"laggard/slicing/cpu"
)

const (
	maxTable  = 4096 // entries of a jump table
	tableScan = 24   // instructions before the jump that are looked at
)

// table follows an indirect jump through a table of the compiler: of distances
// from the table, or of addresses.
func (b *builder) table(in *cpu.Inst) {
	if m := in.Load; m != nil && m.Index != cpu.None && m.Scale == 8 && m.Base == cpu.None {
		b.entries(in, uint64(m.Disp), 8)
		return
	}
	for _, p := range b.previous(in.Addr) {
		switch {
		case p.Load != nil && p.Load.Index != cpu.None && p.Load.Base == cpu.None && p.Load.Scale == 8:
			if b.entries(in, uint64(p.Load.Disp), 8) {
				return
			}
		case p.Move == cpu.Lea && p.Address.Base == cpu.None && p.Address.Index == cpu.None:
			at := uint64(p.Address.Disp)
			if b.entries(in, at, 4) || b.entries(in, at, 8) {
				return
			}
		}
	}
	for _, at := range b.distant(in.Addr) {
		if b.entries(in, at, 4) {
			return
		}
	}
	b.f.holes = true
}

// distant are the tables whose address was put long before a jump into the
// register that it uses.
func (b *builder) distant(jump uint64) []uint64 {
	var out []uint64
	for _, p := range b.seen {
		if p.Move == cpu.Lea && p.Address.Base == cpu.None && p.Address.Index == cpu.None && b.usesTable(jump, p.Dst) {
			out = append(out, uint64(p.Address.Disp))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// previous are the instructions before addr, the last one first, as far as they
// are decoded and follow each other.
func (b *builder) previous(addr uint64) []cpu.Inst {
	var out []cpu.Inst
	for len(out) < tableScan {
		found := false
		for n := uint64(1); n <= uint64(b.m.arch.Longest) && n <= addr; n++ {
			if p, ok := b.seen[addr-n]; ok && p.End() == addr {
				out, addr, found = append(out, p), p.Addr, true
				break
			}
		}
		if !found {
			break
		}
	}
	return out
}

// usesTable tells whether the code before a jump reads a table that base points
// to.
func (b *builder) usesTable(jump uint64, base cpu.Reg) bool {
	for _, p := range b.previous(jump) {
		if p.Load != nil && p.Load.Scale == 4 && p.Load.Index != cpu.None && p.Load.Base == base {
			return true
		}
	}
	return false
}

// entries reads a table until an entry leaves the function; false if the first
// one does.
func (b *builder) entries(in *cpu.Inst, at uint64, size int) bool {
	if b.m.code.Executable(at) {
		return false
	}
	data := b.m.code.Bytes(at)
	limit := b.bound(in.Addr)
	n := 0
	for ; n < limit && len(data) >= size; n++ {
		var to uint64
		if size == 4 {
			to = at + uint64(int64(int32(binary.LittleEndian.Uint32(data))))
		} else if p, ok := b.m.code.Pointer(at + uint64(n*8)); ok {
			to = p
		}
		if !b.inside(to) {
			break
		}
		b.jump(in.Addr, to)
		data = data[size:]
	}
	return n > 0
}

// bound is the number of entries that the check of the index allows.
func (b *builder) bound(jump uint64) int {
	prev := b.previous(jump)
	for i, p := range prev {
		if p.Kind == cpu.Branch && i+1 < len(prev) {
			if c := prev[i+1]; c.Bound > 0 && c.Bound < maxTable {
				return int(c.Bound) + 1
			}
		}
	}
	return maxTable
}
