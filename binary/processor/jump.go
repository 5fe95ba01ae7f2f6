package processor

import (
	"debug/elf"
	"encoding/binary"
)

// JumpsTo returns where code, which begins at an address, has instructions that jump to a target, always or by a condition, by their
// encoding. The bytes of another instruction may look like one.
func (p *Processor) JumpsTo(code []byte, begin, target uint64) []uint64 {
	if p.ELF == elf.EM_AARCH64 {
		return armJumps(code, begin, target)
	}
	return x86Jumps(code, begin, target)
}

// x86Jumps knows jumps by a distance of one byte and of four, from the end of the instruction (Intel SDM, volume 2, JMP and Jcc).
func x86Jumps(code []byte, begin, target uint64) (out []uint64) {
	at := func(i int) uint64 { return begin + uint64(i) }
	for i := range code {
		switch op, rest := code[i], code[i+1:]; {
		case (op == 0xeb || op>>4 == 7) && len(rest) > 0 && at(i+2)+uint64(int64(int8(rest[0]))) == target,
			op == 0xe9 && len(rest) >= 4 && at(i+5)+distance(rest) == target,
			op == 0x0f && len(rest) >= 5 && rest[0]>>4 == 8 && at(i+6)+distance(rest[1:]) == target:
			out = append(out, at(i))
		}
	}
	return out
}

func distance(code []byte) uint64 { return uint64(int64(int32(binary.LittleEndian.Uint32(code)))) }

func armJumps(code []byte, begin, target uint64) (out []uint64) {
	for at := 0; at+4 <= len(code); at += 4 {
		b, ok := DecodeArmBranch(binary.LittleEndian.Uint32(code[at:]))
		if addr := begin + uint64(at); ok && b.Kind != ArmCall && addr+uint64(b.Offset) == target {
			out = append(out, addr)
		}
	}
	return out
}
