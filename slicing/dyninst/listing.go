package dyninst

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"laggard/slicing/cpu"
	"laggard/slicing/native"
	"laggard/slicing/x86"
)

// answer is what the helper says of a function. The numbers of registers are
// those of package x86, those of kinds and moves those of package cpu.
type answer struct {
	Error string
	Insts []inst
	Jumps [][]uint64 // a jump, and where it goes
	Halts []uint64
}

type inst struct {
	Addr, Target       uint64
	Len                int
	Kind               cpu.Kind
	Indirect, Opaque   bool
	Vector             bool   // it has operands beyond the general registers
	Def, Use, Kills    uint64 // sets of registers, by bit
	Load, Store, Load2 *memory
	Address            *memory
	Move               cpu.Move
	Dst, Src           cpu.Reg
	Imm, Bound, SP     int64
}

type memory struct {
	Base, Index cpu.Reg
	Scale, Disp int64
	Size        int
	Thread      bool
}

// errRefused is wrapped by the error about one function, after which the helper
// is still there.
var errRefused = errors.New("not taken apart by Dyninst")

// parseListing reads an answer. Dyninst 13 takes xmm8 to xmm15 for xmm0 to xmm7, and
// some vector instructions for others; so own, which decodes the instruction at
// an address, has precedence for these.
func parseListing(line []byte, own func(addr uint64) cpu.Inst) (native.Listing, error) {
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return native.Listing{}, fmt.Errorf("its answer: %w", err)
	}
	if a.Error != "" {
		return native.Listing{}, fmt.Errorf("%w: %s", errRefused, a.Error)
	}
	out := native.Listing{Jumps: map[uint64][]uint64{}, Halts: a.Halts}
	for _, in := range a.Insts {
		if in.Vector || in.Kind == cpu.Bad {
			if o := own(in.Addr); o.Kind != cpu.Bad && !o.Opaque {
				out.Insts = append(out.Insts, o)
				continue
			}
		}
		if err := in.checkFields(); err != nil {
			return native.Listing{}, fmt.Errorf("its answer: instruction at %#x: %w", in.Addr, err)
		}
		out.Insts = append(out.Insts, in.cpuInst())
	}
	for _, j := range a.Jumps {
		if len(j) > 1 {
			slices.Sort(j[1:])
			out.Jumps[j[0]] = slices.Compact(j[1:])
		}
	}
	return out, nil
}

// longest is the greatest length of an instruction.
const longest = 15

// checkFields refuses what the rest of the program cannot be given.
func (in inst) checkFields() error {
	switch {
	case in.Len < 1 || in.Len > longest:
		return fmt.Errorf("length %d", in.Len)
	case in.Kind > cpu.Bad:
		return fmt.Errorf("kind %d", in.Kind)
	case in.Move > cpu.AddLoad:
		return fmt.Errorf("move %d", in.Move)
	}
	regs := []cpu.Reg{in.Dst, in.Src}
	for _, m := range []*memory{in.Load, in.Store, in.Load2, in.Address} {
		if m != nil {
			regs = append(regs, m.Base, m.Index)
			if m.Base >= x86.General || m.Index >= x86.General {
				return errors.New("an address from a register that is not a general one")
			}
		}
	}
	for _, r := range regs {
		if r < cpu.None || int(r) >= x86.Registers {
			return fmt.Errorf("register %d", r)
		}
	}
	return in.checkOperands()
}

// checkOperands reports whether what the move needs is there.
func (in inst) checkOperands() error {
	ok := true
	switch in.Move {
	case cpu.Lea:
		ok = in.Address != nil && in.Dst >= 0 && in.Dst < x86.General
	case cpu.LoadReg, cpu.PopReg, cpu.LeaveMove, cpu.AddLoad:
		ok = in.Load != nil && in.Dst >= 0
	case cpu.StoreReg, cpu.StoreImm, cpu.PushReg:
		ok = in.Store != nil
	case cpu.AddImm, cpu.AddReg, cpu.AndImm:
		ok = in.Dst >= 0 && in.Src >= 0 && in.Dst < x86.General && in.Src < x86.General
	case cpu.Copy:
		ok = in.Dst >= 0 && in.Src >= 0
	case cpu.SetImm:
		ok = in.Dst >= 0
	}
	if !ok {
		return fmt.Errorf("move %d without its operands", in.Move)
	}
	return nil
}

func (in inst) cpuInst() cpu.Inst {
	return cpu.Inst{
		Addr: in.Addr, Len: in.Len, Kind: in.Kind, Target: in.Target, Indirect: in.Indirect,
		Def: cpu.RegSet{in.Def}, Use: cpu.RegSet{in.Use}, Kills: cpu.RegSet{in.Kills},
		Load: in.Load.cpuMem(), Store: in.Store.cpuMem(), Load2: in.Load2.cpuMem(), Address: in.Address.cpuMem(),
		Move: in.Move, Dst: in.Dst, Src: in.Src, Imm: in.Imm, Bound: in.Bound, SP: in.SP, Opaque: in.Opaque,
	}
}

func (m *memory) cpuMem() *cpu.Mem {
	if m == nil {
		return nil
	}
	return &cpu.Mem{Base: m.Base, Index: m.Index, Scale: m.Scale, Disp: m.Disp, Size: m.Size, Thread: m.Thread}
}
