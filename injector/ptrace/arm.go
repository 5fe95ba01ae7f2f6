package ptrace

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// arm is AArch64. A copy goes back by a branch, which reaches 128 MiB, and so must what
// the instruction branches to from there.
var arm = &processor{
	elf: elf.EM_AARCH64, longest: 4, align: 4, trap: words(0xd4200000), reach: 1 << 26, move: moveArm,
	toSelf: words(0x14000000), fault: words(0xf9400210), gate: words(0xd4000001), // ldr x16, [x16]; svc #0
}

func words(list ...uint32) (out []byte) {
	for _, w := range list {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}

// field is n bits of an instruction from lo on, as a number with a sign.
func field(w uint32, lo, n uint) int64 { return int64(w) << (64 - lo - n) >> (64 - n) }

// moveArm is the move of AArch64 (encodings: Arm Architecture Reference Manual, C4.1).
func moveArm(code []byte, from, to uint64) ([]byte, error) {
	if len(code) < 4 {
		return nil, refuse(code, from)
	}
	w, next := binary.LittleEndian.Uint32(code), from+4
	c, forks := conditional(w)
	switch {
	case w>>16 == 0 || w>>21 == 0x6a1 || w>>21 == 0x6a2: // udf, brk, hlt
		return nil, refuse(code, from)
	case forks: // over the way on
		kept := w&^c.mask | 2<<5
		return leave(code, from, to, words(kept), next, from+c.offset)
	case w>>26 == 0b000101: // b
		return leave(code, from, to, nil, from+uint64(field(w, 0, 26)*4))
	case w>>26 == 0b100101: // bl: the return address comes from behind the branch
		return withLiteral(code, from, to, 30, next, 0, from+uint64(field(w, 0, 26)*4))
	case w&0xfffffc1f == 0xd63f0000 && w>>5&31 != 30: // blr
		return append(words(loadLiteral(30, 2), 0xd61f0000|w&0x3e0), address(next)...), nil
	case w>>25 == 0b1101011 && w>>21&0b111 == 1: // blr x30, or with authentication
		return nil, refuse(code, from)
	case w>>24&0x1f == 0b10000: // adr, adrp
		d := field(w, 5, 19)<<2 | int64(w>>29&3)
		value := from + uint64(d)
		if w>>31 == 1 {
			value = from&^0xfff + uint64(d<<12)
		}
		return withLiteral(code, from, to, w&31, value, 0, next)
	case w>>24&0x3f == 0b011000: // ldr of a literal
		return moveLoad(code, w, from, to)
	case w>>24&0x3f == 0b011100: // into a vector register, for which there is no address
		return nil, refuse(code, from)
	}
	return leave(code, from, to, code[:4], next)
}

func refuse(code []byte, from uint64) error {
	return fmt.Errorf("ptrace: %#x: % x: %w", from, code, ErrInstruction)
}

func address(to uint64) []byte { return binary.LittleEndian.AppendUint64(nil, to) }

// leave is code and behind it a branch to each of some places.
func leave(code []byte, from, to uint64, out []byte, places ...uint64) ([]byte, error) {
	out = append([]byte{}, out...)
	for _, place := range places {
		w, ok := branch(to+uint64(len(out)), place)
		if !ok {
			return nil, refuse(code, from)
		}
		out = append(out, words(w)...)
	}
	return out, nil
}

// branch is a branch from a place to another one.
func branch(from, to uint64) (uint32, bool) {
	d := int64(to - from)
	return 0x14000000 | uint32(d>>2)&0x3ffffff, d%4 == 0 && d>>2 == field(uint32(d>>2), 0, 26)
}

// loadLiteral loads a register with the literal that is so many instructions ahead.
func loadLiteral(register uint32, ahead uint32) uint32 { return 0x58000000 | ahead<<5 | register }

// withLiteral loads a register with a number, does what then says if it is an instruction,
// and goes on.
func withLiteral(
	code []byte, from, to uint64, register uint32, value uint64, then uint32, next uint64,
) ([]byte, error) {
	out := words(0)
	if then != 0 {
		out = append(out, words(then)...)
	}
	out, err := leave(code, from, to, out, next)
	if err != nil {
		return nil, err
	}
	binary.LittleEndian.PutUint32(out, loadLiteral(register, uint32(len(out)/4)))
	return append(out, address(value)...), nil
}

// moveLoad loads a general register with what is at a distance, by way of the address in the
// register itself.
func moveLoad(code []byte, w uint32, from, to uint64) ([]byte, error) {
	register, next := w&31, from+4
	then := [4]uint32{0xb9400000, 0xf9400000, 0xb9800000}[w>>30] | register<<5 | register // ldr w, ldr x, ldrsw
	if w>>30 == 3 || register == 31 {                                                     // a prefetch, or for nothing
		return leave(code, from, to, nil, next)
	}
	return withLiteral(code, from, to, register, from+uint64(field(w, 5, 19)*4), then, next)
}

// condition is what a conditional branch goes by.
type condition struct {
	offset uint64 // to where it leads, from the branch
	mask   uint32 // the bits of that
	w      uint32
}

// conditional reads a conditional branch: b.cond, cbz, cbnz, tbz, tbnz.
func conditional(w uint32) (condition, bool) {
	switch {
	case w>>24 == 0x54, w>>25&0x3f == 0b011010:
		return condition{uint64(field(w, 5, 19) * 4), 0x7ffff << 5, w}, true
	case w>>25&0x3f == 0b011011:
		return condition{uint64(field(w, 5, 14) * 4), 0x3fff << 5, w}, true
	}
	return condition{}, false
}

// holds tells whether the branch is taken.
func (c condition) holds(registers []uint64, flags uint64) bool {
	if c.w>>24 == 0x54 {
		return flagsHold(c.w&15, flags)
	}
	value := uint64(0)
	if n := c.w & 31; n < 31 {
		value = registers[n]
	}
	negated := c.w>>24&1 == 1
	if c.w>>25&0x3f == 0b011011 {
		bit := c.w>>31<<5 | c.w>>19&31
		return (value>>bit&1 == 1) == negated
	}
	if c.w>>31 == 0 {
		value &= 1<<32 - 1
	}
	return (value != 0) == negated
}

// flagsHold tells whether a condition holds (Arm Architecture Reference Manual, C1.2.4).
func flagsHold(condition uint32, flags uint64) bool {
	n, z, c, v := flags>>31&1 == 1, flags>>30&1 == 1, flags>>29&1 == 1, flags>>28&1 == 1
	is := [8]bool{z, c, n, v, c && !z, n == v, n == v && !z, true}[condition>>1]
	return is != (condition&1 == 1 && condition != 15)
}

// leavesLine tells whether an instruction may not go on behind itself; hints do.
func leavesLine(w uint32) bool { return w>>26&7 == 0b101 && w&0xfffff01f != 0xd503201f }

// savesLink tells whether an instruction stores the return address on the stack: stp, or str.
func savesLink(w uint32) bool {
	if w>>5&31 != 31 {
		return false
	}
	pair := w&0xfe400000 == 0xa8000000 && (w&31 == 30 || w>>10&31 == 30)
	return pair || w&0xffe00c1f == 0xf8000c1e || w&0xffc0001f == 0xf900001e
}
