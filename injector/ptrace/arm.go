package ptrace

import (
	"encoding/binary"
	"fmt"

	"laggard/binary/processor"
)

// arm is AArch64. A copy goes back by a branch, which reaches 128 MiB, and so must what
// the instruction branches to from there.
var arm = &patches{
	Processor: processor.Arm, trap: encodeWords(0xd4200000), reach: 1 << 26, move: moveArm,
	selfJump: encodeWords(0x14000000), fault: encodeWords(0xf9400210), syscallCode: encodeWords(0xd4000001), // ldr x16, [x16]; svc #0
}

func encodeWords(list ...uint32) (out []byte) {
	for _, w := range list {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}

// signedField is n bits of an instruction from lo on, as a number with a sign.
func signedField(w uint32, lo, n uint) int64 { return int64(w) << (64 - lo - n) >> (64 - n) }

// moveArm is the move of AArch64 (encodings: Arm Architecture Reference Manual, C4.1).
func moveArm(code []byte, from, to uint64) ([]byte, error) {
	if len(code) < 4 {
		return nil, instructionError(code, from)
	}
	w, next := binary.LittleEndian.Uint32(code), from+4
	c, direct := processor.DecodeArmBranch(w)
	target := from + uint64(c.Offset)
	switch {
	case w>>16 == 0 || w>>21 == 0x6a1 || w>>21 == 0x6a2: // udf, brk, hlt
		return nil, instructionError(code, from)
	case direct && c.Conditional(): // over the way on
		kept := w&^c.Mask | 2<<5
		return appendBranches(code, from, to, encodeWords(kept), next, target)
	case direct && c.Kind == processor.ArmAlways:
		return appendBranches(code, from, to, nil, target)
	case direct: // the return address comes from behind the branch
		return withLiteral(code, from, to, 30, next, 0, target)
	case w&0xfffffc1f == 0xd63f0000 && w>>5&31 != 30: // blr
		return append(encodeWords(loadLiteral(30, 2), 0xd61f0000|w&0x3e0), addressBytes(next)...), nil
	case w>>25 == 0b1101011 && w>>21&0b111 == 1: // blr x30, or with authentication
		return nil, instructionError(code, from)
	case w>>24&0x1f == 0b10000: // adr, adrp
		d := signedField(w, 5, 19)<<2 | int64(w>>29&3)
		value := from + uint64(d)
		if w>>31 == 1 {
			value = from&^0xfff + uint64(d<<12)
		}
		return withLiteral(code, from, to, w&31, value, 0, next)
	case w>>24&0x3f == 0b011000: // ldr of a literal
		return moveLoad(code, w, from, to)
	case w>>24&0x3f == 0b011100: // into a vector register, for which there is no address
		return nil, instructionError(code, from)
	}
	return appendBranches(code, from, to, code[:4], next)
}

func instructionError(code []byte, from uint64) error {
	return fmt.Errorf("ptrace: %#x: % x: %w", from, code, ErrInstruction)
}

func addressBytes(to uint64) []byte { return binary.LittleEndian.AppendUint64(nil, to) }

// appendBranches is code and behind it a branch to each of some places.
func appendBranches(code []byte, from, to uint64, out []byte, places ...uint64) ([]byte, error) {
	out = append([]byte{}, out...)
	for _, place := range places {
		w, ok := encodeBranch(to+uint64(len(out)), place)
		if !ok {
			return nil, instructionError(code, from)
		}
		out = append(out, encodeWords(w)...)
	}
	return out, nil
}

// encodeBranch is a branch from a place to another one.
func encodeBranch(from, to uint64) (uint32, bool) {
	d := int64(to - from)
	return 0x14000000 | uint32(d>>2)&0x3ffffff, d%4 == 0 && d>>2 == signedField(uint32(d>>2), 0, 26)
}

// loadLiteral loads a register with the literal that is so many instructions ahead.
func loadLiteral(register uint32, ahead uint32) uint32 { return 0x58000000 | ahead<<5 | register }

// withLiteral loads a register with a number, does what then says if it is an instruction,
// and goes on.
func withLiteral(
	code []byte, from, to uint64, register uint32, value uint64, then uint32, next uint64,
) ([]byte, error) {
	out := encodeWords(0)
	if then != 0 {
		out = append(out, encodeWords(then)...)
	}
	out, err := appendBranches(code, from, to, out, next)
	if err != nil {
		return nil, err
	}
	binary.LittleEndian.PutUint32(out, loadLiteral(register, uint32(len(out)/4)))
	return append(out, addressBytes(value)...), nil
}

// moveLoad loads a general register with what is at a distance, by way of the address in the
// register itself.
func moveLoad(code []byte, w uint32, from, to uint64) ([]byte, error) {
	register, next := w&31, from+4
	then := [4]uint32{0xb9400000, 0xf9400000, 0xb9800000}[w>>30] | register<<5 | register // ldr w, ldr x, ldrsw
	if w>>30 == 3 || register == 31 {                                                     // a prefetch, or for nothing
		return appendBranches(code, from, to, nil, next)
	}
	return withLiteral(code, from, to, register, from+uint64(signedField(w, 5, 19)*4), then, next)
}

// mayBranch reports whether an instruction may not go on behind itself; hints do.
func mayBranch(w uint32) bool { return w>>26&7 == 0b101 && w&0xfffff01f != 0xd503201f }

// savesLinkRegister reports whether an instruction stores the return address on the stack: stp, or str.
func savesLinkRegister(w uint32) bool {
	if w>>5&31 != 31 {
		return false
	}
	pair := w&0xfe400000 == 0xa8000000 && (w&31 == 30 || w>>10&31 == 30)
	return pair || w&0xffe00c1f == 0xf8000c1e || w&0xffc0001f == 0xf900001e
}
