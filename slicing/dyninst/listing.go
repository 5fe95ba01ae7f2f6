package dyninst

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"laggard/slicing/native"
	"laggard/slicing/x86"
)

// answer is what the helper says of a function. The numbers of registers, kinds
// and moves are those of package x86.
type answer struct {
	Error string
	Insts []inst
	Jumps [][]uint64 // a jump, and where it goes
	Halts []uint64
}

type inst struct {
	Addr, Target       uint64
	Len                int
	Kind               x86.Kind
	Indirect, Opaque   bool
	Vector             bool // it has operands beyond the general registers
	Def, Use, Kills    x86.RegSet
	Load, Store, Load2 *memory
	Address            *memory
	Move               x86.Move
	Dst, Src           x86.Reg
	Imm, Bound, SP     int64
}

type memory struct {
	Base, Index x86.Reg
	Scale, Disp int64
	Size        int
	Thread      bool
}

// errRefused is wrapped by the error about one function, after which the helper
// is still there.
var errRefused = errors.New("not taken apart by Dyninst")

// listing reads an answer. Dyninst 13 takes xmm8 to xmm15 for xmm0 to xmm7, and
// some vector instructions for others; so own, which decodes the instruction at
// an address, has precedence for these.
func listing(line []byte, own func(addr uint64) x86.Inst) (native.Listing, error) {
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return native.Listing{}, fmt.Errorf("its answer: %w", err)
	}
	if a.Error != "" {
		return native.Listing{}, fmt.Errorf("%w: %s", errRefused, a.Error)
	}
	out := native.Listing{Jumps: map[uint64][]uint64{}, Halts: a.Halts}
	for _, in := range a.Insts {
		if in.Vector || in.Kind == x86.Bad {
			if o := own(in.Addr); o.Kind != x86.Bad && !o.Opaque {
				out.Insts = append(out.Insts, o)
				continue
			}
		}
		if err := in.check(); err != nil {
			return native.Listing{}, fmt.Errorf("its answer: instruction at %#x: %w", in.Addr, err)
		}
		out.Insts = append(out.Insts, in.inst())
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

// check refuses what the rest of the program cannot be given.
func (in inst) check() error {
	switch {
	case in.Len < 1 || in.Len > longest:
		return fmt.Errorf("length %d", in.Len)
	case in.Kind > x86.Bad:
		return fmt.Errorf("kind %d", in.Kind)
	case in.Move > x86.AddLoad:
		return fmt.Errorf("move %d", in.Move)
	}
	regs := []x86.Reg{in.Dst, in.Src}
	for _, m := range []*memory{in.Load, in.Store, in.Load2, in.Address} {
		if m != nil {
			regs = append(regs, m.Base, m.Index)
			if m.Base >= x86.General || m.Index >= x86.General {
				return errors.New("an address from a register that is not a general one")
			}
		}
	}
	for _, r := range regs {
		if r < x86.None || int(r) >= x86.Registers {
			return fmt.Errorf("register %d", r)
		}
	}
	return in.complete()
}

// complete tells whether what the move needs is there.
func (in inst) complete() error {
	ok := true
	switch in.Move {
	case x86.Lea:
		ok = in.Address != nil && in.Dst >= 0 && in.Dst < x86.General
	case x86.LoadReg, x86.PopReg, x86.LeaveMove, x86.AddLoad:
		ok = in.Load != nil && in.Dst >= 0
	case x86.StoreReg, x86.StoreImm, x86.PushReg:
		ok = in.Store != nil
	case x86.AddImm, x86.AddReg, x86.AndImm:
		ok = in.Dst >= 0 && in.Src >= 0 && in.Dst < x86.General && in.Src < x86.General
	case x86.Copy:
		ok = in.Dst >= 0 && in.Src >= 0
	case x86.SetImm:
		ok = in.Dst >= 0
	}
	if !ok {
		return fmt.Errorf("move %d without its operands", in.Move)
	}
	return nil
}

func (in inst) inst() x86.Inst {
	return x86.Inst{
		Addr: in.Addr, Len: in.Len, Kind: in.Kind, Target: in.Target, Indirect: in.Indirect,
		Def: in.Def, Use: in.Use, Kills: in.Kills,
		Load: in.Load.mem(), Store: in.Store.mem(), Load2: in.Load2.mem(), Address: in.Address.mem(),
		Move: in.Move, Dst: in.Dst, Src: in.Src, Imm: in.Imm, Bound: in.Bound, SP: in.SP, Opaque: in.Opaque,
	}
}

func (m *memory) mem() *x86.Mem {
	if m == nil {
		return nil
	}
	return &x86.Mem{Base: m.Base, Index: m.Index, Scale: m.Scale, Disp: m.Disp, Size: m.Size, Thread: m.Thread}
}
