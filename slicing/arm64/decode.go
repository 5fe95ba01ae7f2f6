package arm64

import (
	"encoding/binary"

	"laggard/slicing/cpu"
)

// size is that of an instruction in bytes.
const size = 4

// instruction is one instruction, with its fields.
type instruction struct {
	w    uint32
	addr uint64
}

// decoder takes one instruction apart: what it reads and writes, and where control goes.
type decoder struct {
	instruction
	out []cpu.Inst
}

// Decode appends what the instruction at the beginning of code does to out. Several
// parts have the addresses of several bytes of the instruction, in their order.
func Decode(out []cpu.Inst, code []byte, addr uint64) []cpu.Inst {
	first := len(out)
	w, ok := readInstruction(code, addr)
	d := decoder{w, out}
	if !ok {
		in := d.newPart()
		in.Kind, in.Opaque, in.Len = cpu.Bad, true, max(len(code), 1)
		return d.out
	}
	d.decode()
	parts := d.out[first:]
	for i := range parts {
		in := &parts[i]
		in.Addr, in.Len = addr+uint64(i), 1
		in.Unfixed = in.Def.Has(SP) && in.Dst != SP
		in.Def, in.Use = in.Def.Without(cpu.Set(SP)), in.Use.Without(cpu.Set(SP))
		if in.Kills.Empty() {
			in.Kills = in.Def
		}
	}
	parts[len(parts)-1].Len = size - (len(parts) - 1)
	return d.out
}

// readInstruction reads the instruction at the beginning of code; ok is false if that is too short.
func readInstruction(code []byte, addr uint64) (i instruction, ok bool) {
	if i.addr = addr; len(code) < size {
		return i, false
	}
	i.w = binary.LittleEndian.Uint32(code)
	return i, true
}

// newPart begins a part. The pointer is good until the next one begins.
func (d *decoder) newPart() *cpu.Inst {
	d.out = append(d.out, cpu.Inst{Addr: d.addr, Len: size, Dst: cpu.None, Src: cpu.None})
	return &d.out[len(d.out)-1]
}

// bits are n bits of the instruction from lo on.
func (i *instruction) bits(lo, n uint) uint32 { return i.w >> lo & (1<<n - 1) }

// signedBits is a field of n bits from lo on that has a sign.
func (i *instruction) signedBits(lo, n uint) int64 { return int64(i.w) << (64 - lo - n) >> (64 - n) }

// x is the general register in a field, None where that stands for zero.
func (i *instruction) x(lo uint) cpu.Reg {
	if r := cpu.Reg(i.bits(lo, 5)); r != SP {
		return r
	}
	return cpu.None
}

// base is the general register in a field, or the stack pointer.
func (i *instruction) base(lo uint) cpu.Reg { return cpu.Reg(i.bits(lo, 5)) }

// v is the vector register in a field.
func (i *instruction) v(lo uint) cpu.Reg { return V0 + cpu.Reg(i.bits(lo, 5)) }

// Fields that most instructions have.
const (
	rd = 0
	rn = 5
	ra = 10
	rm = 16
)

// decode goes by the top level of the encoding.
func (d *decoder) decode() {
	switch op := d.bits(25, 4); {
	case op>>1 == 0b100:
		d.decodeImmediate()
	case op>>1 == 0b101:
		d.decodeControl()
	case op&0b101 == 0b100:
		d.decodeMemory()
	case op&0b111 == 0b101:
		d.decodeRegister()
	case op&0b111 == 0b111:
		d.decodeVector()
	case op == 0b0010:
		d.decodeSVE()
	case d.w>>16 == 0: // udf
		d.newPart().Kind = cpu.Halt
	default:
		in := d.newPart()
		in.Kind, in.Opaque = cpu.Bad, true
	}
}

// decodeControl are branches, exceptions and system instructions.
func (d *decoder) decodeControl() {
	in := d.newPart()
	switch {
	case d.bits(26, 5) == 0b00101:
		in.Kind, in.Target = cpu.Jump, d.addr+uint64(d.signedBits(0, 26)*size)
		if d.bits(31, 1) == 1 {
			in.Kind, in.Def = cpu.Call, cpu.Set(LR)
		}
	case d.bits(25, 6) == 0b011010: // cbz, cbnz
		in.Kind, in.Target, in.Use = cpu.Branch, d.addr+uint64(d.signedBits(5, 19)*size), cpu.Set(d.x(rd))
	case d.bits(25, 6) == 0b011011: // tbz, tbnz
		in.Kind, in.Target, in.Use = cpu.Branch, d.addr+uint64(d.signedBits(5, 14)*size), cpu.Set(d.x(rd))
	case d.bits(24, 8) == 0x54:
		in.Kind, in.Target, in.Use = cpu.Branch, d.addr+uint64(d.signedBits(5, 19)*size), cpu.Set(Flags)
		if d.bits(1, 3) == 0b111 { // always
			in.Kind, in.Use = cpu.Jump, cpu.RegSet{}
		}
	case d.bits(25, 7) == 0b1101011:
		d.indirectBranch(in)
	case d.bits(24, 8) == 0xd4:
		d.decodeException(in)
	case d.bits(22, 10) == 0b1101010100:
		d.decodeSystem(in)
	default:
		in.Kind, in.Opaque = cpu.Bad, true
	}
}

// indirectBranch are branches to a register, also those that authenticate it.
func (d *decoder) indirectBranch(in *cpu.Inst) {
	switch d.bits(21, 3) {
	case 0, 1:
		in.Kind, in.Indirect, in.Src = cpu.Jump, true, d.x(rn)
		if d.bits(21, 1) == 1 {
			in.Kind, in.Def = cpu.Call, cpu.Set(LR)
		}
		in.Use = cpu.Set(in.Src)
	case 2, 4, 5:
		in.Kind = cpu.Return
	default:
		in.Kind, in.Opaque = cpu.Bad, true
	}
}

// decodeException are calls of the system and traps.
func (d *decoder) decodeException(in *cpu.Inst) {
	switch d.bits(21, 3) {
	case 0:
		in.Opaque, in.Def, in.Use = true, cpu.Set(X0), cpu.Range(X0, 6).Or(cpu.Set(X8))
	case 1, 2:
		in.Kind = cpu.Halt
	default:
		in.Opaque = true
	}
}

// nzcv is the field of the instructions that move the flags.
const nzcv = 0x1da10

// decodeSystem are hints, which do nothing here, barriers, and system registers.
func (d *decoder) decodeSystem(in *cpu.Inst) {
	switch {
	case d.bits(12, 10) == 0b0000110010, d.bits(12, 10) == 0b0000110011: // hints, barriers
	case d.bits(20, 2) == 0b11: // mrs
		in.Def = cpu.Set(d.x(rd))
		if d.bits(5, 17) == nzcv|1<<16 {
			in.Use = cpu.Set(Flags)
		}
	case d.bits(20, 2) == 0b01: // msr
		in.Use = cpu.Set(d.x(rd))
		if d.bits(5, 17) == nzcv {
			in.Def = cpu.Set(Flags)
		}
	case d.w&^0x1f == 0xd50b7420: // dc zva
		in.Store = &cpu.Mem{Base: d.base(rd), Index: cpu.None}
	case d.bits(21, 1) == 1:
		in.Def, in.Opaque = cpu.Set(d.x(rd)), true
	case d.bits(12, 10) == 0b0000000100 && d.bits(rd, 5) == 31: // to the flags among others
		in.Use, in.Def = cpu.Set(Flags), cpu.Set(Flags)
	default:
		in.Use, in.Opaque = cpu.Set(d.x(rd)), true
	}
}

// decodeSVE are those of SVE: opaque, but for the registers that their fields name.
func (d *decoder) decodeSVE() {
	in := d.newPart()
	in.Opaque = true
	vectors := cpu.Set(d.v(rd))
	switch at := (&cpu.Mem{Base: d.base(rn), Index: cpu.None}); d.bits(29, 3) {
	case 0b100, 0b101, 0b110:
		in.Load, in.Def = at, vectors
	case 0b111:
		in.Store, in.Use = at, vectors
	default: // it may be one that writes a general register
		in.Def = vectors.Or(cpu.Set(d.x(rd), Flags))
		in.Use = cpu.Set(d.v(rd), d.v(rn), d.v(rm), d.x(rn), d.x(rm))
	}
	addDefsToUse(in)
}

// addDefsToUse says that an instruction may leave a part of what it writes as it was: that
// it reads it, too, comes to the same.
func addDefsToUse(in *cpu.Inst) { in.Use = in.Use.Or(in.Def) }
