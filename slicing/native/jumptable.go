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

// followTable follows an indirect jump through a table of the compiler: of distances
// from the table, or of addresses.
func (b *builder) followTable(in *cpu.Inst) {
	if m := in.Load; m != nil && m.Index != cpu.None && m.Scale == 8 && m.Base == cpu.None {
		b.readTable(in, uint64(m.Disp), 8)
		return
	}
	if b.followScaledTable(in) {
		return
	}
	for _, p := range b.previousInsts(in.Addr) {
		switch {
		case p.Load != nil && p.Load.Index != cpu.None && p.Load.Base == cpu.None && p.Load.Scale == 8:
			if b.readTable(in, uint64(p.Load.Disp), 8) {
				return
			}
		case p.Move == cpu.Lea && p.Address.Base == cpu.None && p.Address.Index == cpu.None:
			at := uint64(p.Address.Disp)
			if b.readTable(in, at, 4) || b.readTable(in, at, 8) {
				return
			}
		}
	}
	for _, at := range b.distantTables(in.Addr) {
		if b.readTable(in, at, 4) {
			return
		}
	}
	b.f.holes = true
}

// followScaledTable follows a jump to an address that was made of an entry of a table and an origin,
// as compilers for AArch64 do: the entries may be narrow, and count instructions.
func (b *builder) followScaledTable(in *cpu.Inst) bool {
	prev := b.previousInsts(in.Addr)
	sum, at := lastDefinition(prev, in.Src, 0)
	if at < 0 || in.Load != nil || sum.Move != cpu.Lea && sum.Move != cpu.AddReg {
		return false
	}
	origin, index, scale, signed := sum.Dst, sum.Src, int64(1), false
	if m := sum.Address; m != nil {
		origin, index, scale, signed = m.Base, m.Index, m.Scale, m.Signed
	}
	for range 2 { // either may be the entry
		entry, k := lastDefinition(prev, index, at+1)
		first, ok := b.constantInReg(prev, origin, at+1)
		if k >= 0 && ok && entry.Move == cpu.LoadReg && entry.Load.Index != cpu.None {
			if table, ok := b.constantInReg(prev, entry.Load.Base, k+1); ok {
				signed = signed || entry.Load.Signed
				return b.readScaledTable(in, table, first, entry.Load.Size, scale, signed)
			}
		}
		if scale != 1 {
			break
		}
		origin, index = index, origin
	}
	return false
}

// lastDefinition finds the last instruction of a list, the nearest first, that writes a register.
func lastDefinition(prev []cpu.Inst, r cpu.Reg, from int) (cpu.Inst, int) {
	for k := from; k < len(prev); k++ {
		if prev[k].Def.Has(r) {
			return prev[k], k
		}
	}
	return cpu.Inst{}, -1
}

// constantInReg is the address that instructions before a jump have put into a register, or
// others of the function, if they all put the same there.
func (b *builder) constantInReg(prev []cpu.Inst, r cpu.Reg, from int) (uint64, bool) {
	in, k := lastDefinition(prev, r, from)
	switch {
	case k < 0:
		return b.pageAddress(r)
	case in.Move == cpu.SetImm:
		return uint64(in.Imm), true
	case in.Move == cpu.AddImm:
		at, ok := b.constantInReg(prev, in.Src, k+1)
		return at + uint64(in.Imm), ok
	}
	return 0, false
}

// pageAddress is the address of a page with something added that the function puts into a
// register, if it does so once.
func (b *builder) pageAddress(r cpu.Reg) (at uint64, ok bool) {
	for _, p := range b.seen {
		if p.Move == cpu.AddImm && p.Dst == r && p.Src == r && b.m.arch.SP != r {
			page, there := b.seen[p.Addr-uint64(p.Len)]
			if !there || page.Move != cpu.SetImm || page.Dst != r || ok {
				return 0, false
			}
			at, ok = uint64(page.Imm+p.Imm), true
		}
	}
	return at, ok
}

// readScaledTable reads a table of distances from an origin, until one leaves the function.
func (b *builder) readScaledTable(in *cpu.Inst, table, origin uint64, size int, scale int64, signed bool) bool {
	data, n := b.m.code.Bytes(table), 0
	for limit := b.indexBound(in.Addr); n < limit && size > 0 && size <= 8 && len(data) >= size; n++ {
		var word [8]byte
		copy(word[:], data[:size])
		entry, rest := int64(binary.LittleEndian.Uint64(word[:])), 64-8*size
		if signed {
			entry = entry << rest >> rest
		}
		to := origin + uint64(entry*scale)
		if !b.staysInside(to) {
			break
		}
		b.addJump(in.Addr, to)
		data = data[size:]
	}
	return n > 0
}

// distantTables are the tables whose address was put long before a jump into the
// register that it uses.
func (b *builder) distantTables(jump uint64) []uint64 {
	var out []uint64
	for _, p := range b.seen {
		if p.Move == cpu.Lea && p.Address.Base == cpu.None && p.Address.Index == cpu.None && b.usesTable(jump, p.Dst) {
			out = append(out, uint64(p.Address.Disp))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// previousInsts are the instructions before addr, the last one first, as far as they
// are decoded and follow each other.
func (b *builder) previousInsts(addr uint64) []cpu.Inst {
	var out []cpu.Inst
	for len(out) < tableScan {
		found := false
		for n := uint64(1); n <= uint64(b.m.arch.Kind.LongestInstruction) && n <= addr; n++ {
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

// usesTable reports whether the code before a jump reads a table that base points
// to.
func (b *builder) usesTable(jump uint64, base cpu.Reg) bool {
	return slices.ContainsFunc(b.previousInsts(jump), func(p cpu.Inst) bool {
		return p.Load != nil && p.Load.Scale == 4 && p.Load.Index != cpu.None && p.Load.Base == base
	})
}

// readTable reads a table until an entry leaves the function; false if the first
// one does.
func (b *builder) readTable(in *cpu.Inst, at uint64, size int) bool {
	if b.m.code.IsExecutable(at) {
		return false
	}
	data := b.m.code.Bytes(at)
	limit := b.indexBound(in.Addr)
	n := 0
	for ; n < limit && len(data) >= size; n++ {
		var to uint64
		if size == 4 {
			to = at + uint64(int64(int32(binary.LittleEndian.Uint32(data))))
		} else if p, ok := b.m.code.PointerAt(at + uint64(n*8)); ok {
			to = p
		}
		if !b.staysInside(to) {
			break
		}
		b.addJump(in.Addr, to)
		data = data[size:]
	}
	return n > 0
}

// indexBound is the number of entries that the check of the index allows.
func (b *builder) indexBound(jump uint64) int {
	prev := b.previousInsts(jump)
	for i, p := range prev {
		if p.Kind == cpu.Branch && i+1 < len(prev) {
			if c := prev[i+1]; c.Bound > 0 && c.Bound < maxTable {
				return int(c.Bound) + 1
			}
		}
	}
	return maxTable
}
