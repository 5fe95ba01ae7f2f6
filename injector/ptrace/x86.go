package ptrace

import (
	"encoding/binary"
	"fmt"
	"math"

	"laggard/binary/processor"

	"golang.org/x/arch/x86/x86asm"
)

// x86 is x86-64. Copies are less than the 2 GiB of a 32-bit offset away from their places,
// so that what an instruction refers to is reached from the copy as well.
var x86 = &patches{
	Processor: processor.X86, trap: []byte{0xcc}, trapOffset: 1, reach: 1 << 30, move: moveX86,
	selfJump: []byte{0xeb, 0xfe}, fault: []byte{0xf4}, syscallCode: []byte{0x0f, 0x05},
}

// shape is what must be known of an instruction to execute it elsewhere.
type shape struct {
	size   int
	rel    int // where its address relative to rip is, 0 without one
	relLen int // its length in bytes
}

// moveX86 returns code that, executed at to, does what the first instruction of
// code does at from and then goes on behind that. It wraps ErrInstruction if
// there is none, or if to is too far away for the memory it refers to.
func moveX86(code []byte, from, to uint64) ([]byte, error) {
	s, err := measureInstruction(code)
	if err == nil && s.size > len(code) {
		err = ErrInstruction // cut off
	}
	if err != nil {
		return nil, fmt.Errorf("ptrace: %#x: % x: %w", from, code, err)
	}
	code = code[:s.size]
	next := from + uint64(s.size)
	if s.relLen == 0 {
		return append(append([]byte{}, code...), encodeJump(next)...), nil
	}
	target := next + s.relativeOffset(code)
	op := code[s.rel-1]
	switch {
	case op == 0xe9 || op == 0xeb:
		return encodeJump(target), nil
	case op == 0xe8:
		return encodeCall(encodeJump(target), next), nil
	case op == 0x15 && s.rel >= 2 && code[s.rel-2] == 0xff:
		return encodeIndirectCall(target, next, to)
	case s.rel >= 2 && code[s.rel-2] == 0x0f && op&0xf0 == 0x80:
		return encodeConditionalJump([]byte{0x70 | op&0xf}, target, next), nil
	case s.relLen == 1:
		return encodeConditionalJump(code[:s.rel], target, next), nil
	}
	return moveMemory(code, s, from, to, next)
}

func (s shape) relativeOffset(code []byte) uint64 {
	if s.relLen == 1 {
		return uint64(int64(int8(code[s.rel])))
	}
	return uint64(int64(int32(binary.LittleEndian.Uint32(code[s.rel:]))))
}

// moveMemory is for an operand in memory that is addressed relative to rip.
func moveMemory(code []byte, s shape, from, to, next uint64) ([]byte, error) {
	out := append([]byte{}, code...)
	offset := int64(s.relativeOffset(code)) + int64(from-to)
	if s.relLen != 4 || offset != int64(int32(offset)) {
		return nil, fmt.Errorf("ptrace: %#x: % x at %#x: %w", from, code, to, ErrInstruction)
	}
	binary.LittleEndian.PutUint32(out[s.rel:], uint32(offset))
	return append(out, encodeJump(next)...), nil
}

// encodeJump goes to any address and changes no register: jmp [rip+0].
func encodeJump(target uint64) []byte {
	return binary.LittleEndian.AppendUint64([]byte{0xff, 0x25, 0, 0, 0, 0}, target)
}

// encodeCall pushes the return address that the original call would have pushed, so
// that the stack can be unwound: push [rip+len(jump)]; jump; the address.
func encodeCall(jump []byte, next uint64) []byte {
	out := append([]byte{0xff, 0x35, byte(len(jump)), 0, 0, 0}, jump...)
	return binary.LittleEndian.AppendUint64(out, next)
}

func encodeIndirectCall(pointer, next, to uint64) ([]byte, error) {
	offset := int64(pointer - (to + 12))
	if offset > math.MaxInt32 || offset < math.MinInt32 {
		return nil, fmt.Errorf("ptrace: call through %#x at %#x: %w", pointer, to, ErrInstruction)
	}
	indirect := binary.LittleEndian.AppendUint32([]byte{0xff, 0x25}, uint32(offset))
	return encodeCall(indirect, next), nil
}

// encodeConditionalJump is for conditional jumps, op being one with a short offset, prefixes
// included: taken, it jumps over a jump to the jump to target.
func encodeConditionalJump(op []byte, target, next uint64) []byte {
	out := append(append([]byte{}, op...), 2, 0xeb, 14)
	return append(append(out, encodeJump(target)...), encodeJump(next)...)
}

// measureInstruction finds an instruction's length and its relative address.
func measureInstruction(code []byte) (shape, error) {
	if s, ok := measureVector(code); ok {
		return s, nil
	}
	if len(code) >= 4 && code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa {
		return shape{size: 4}, nil // endbr64, which the decoder does not know
	}
	inst, err := x86asm.Decode(code, 64)
	if err != nil || inst.Op == 0 || inst.Op == x86asm.XBEGIN || code[0] == 0xcc {
		return shape{}, ErrInstruction
	}
	return shape{inst.Len, inst.PCRelOff, inst.PCRel}, nil
}

// measureVector measures instructions with a VEX or EVEX prefix (AVX), which
// x86asm does not know. They all have a ModRM byte but vzeroupper and vzeroall.
func measureVector(code []byte) (shape, bool) {
	if len(code) < processor.X86.LongestInstruction {
		code = append(append([]byte{}, code...), make([]byte, processor.X86.LongestInstruction-len(code))...)
	}
	var table, at int
	switch code[0] {
	case 0xc5:
		table, at = 1, 2
	case 0xc4:
		table, at = int(code[1]&0x1f), 3
	case 0x62:
		table, at = int(code[1]&7), 4
	default:
		return shape{}, false
	}
	op := code[at]
	if table == 1 && op == 0x77 && code[0] != 0x62 {
		return shape{size: at + 1}, true
	}
	s := measureOperand(code, at+1)
	if table == 3 || table == 1 && hasImmediate(op) {
		s.size++
	}
	return s, true
}

// hasImmediate tells the instructions of the 0F table that end in a byte constant
// (Intel SDM volume 2, appendix A).
func hasImmediate(op byte) bool {
	return op >= 0x70 && op <= 0x73 || op == 0xc2 || op >= 0xc4 && op <= 0xc6
}

// measureOperand measures the ModRM byte at the given place and what follows from it.
func measureOperand(code []byte, at int) shape {
	s := shape{size: at + processor.X86OperandLength(code[at:])}
	if processor.X86RelativeToPC(code[at]) {
		s.rel, s.relLen = at+1, 4
	}
	return s
}

// conditionCode is the number of a conditional jump's condition.
func (s shape) conditionCode(code []byte) (byte, bool) {
	if s.relLen == 0 {
		return 0, false
	}
	op := code[s.rel-1]
	short := s.relLen == 1 && op&0xf0 == 0x70
	long := s.relLen == 4 && s.rel >= 2 && code[s.rel-2] == 0x0f && op&0xf0 == 0x80
	return op & 0xf, short || long
}
