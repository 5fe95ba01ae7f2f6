package cpu

import "math/bits"

// Reg is a register of a processor. Those that hold addresses and integers, the
// general ones, have the first numbers; see Architecture. Parts of a register are not
// told apart.
type Reg int8

// None stands for no register.
const None Reg = -1

// RegSet is a set of registers.
type RegSet [2]uint64

// Set returns the set of regs.
func Set(regs ...Reg) RegSet {
	var s RegSet
	for _, r := range regs {
		s.Add(r)
	}
	return s
}

// Range returns the set of n registers from first on.
func Range(first Reg, n int) RegSet {
	var s RegSet
	for i := range n {
		s.Add(first + Reg(i))
	}
	return s
}

// Add puts r into the set; None is no member.
func (s *RegSet) Add(r Reg) {
	if r != None {
		s[r>>6] |= 1 << uint(r&63)
	}
}

// Has reports whether r is in the set.
func (s RegSet) Has(r Reg) bool { return r != None && s[r>>6]>>uint(r&63)&1 != 0 }

// Empty reports whether no register is in the set.
func (s RegSet) Empty() bool { return s == RegSet{} }

// Or returns the registers of either set.
func (s RegSet) Or(o RegSet) RegSet { return RegSet{s[0] | o[0], s[1] | o[1]} }

// And returns the registers of both sets.
func (s RegSet) And(o RegSet) RegSet { return RegSet{s[0] & o[0], s[1] & o[1]} }

// Without returns the registers that are not in the other set.
func (s RegSet) Without(o RegSet) RegSet { return RegSet{s[0] &^ o[0], s[1] &^ o[1]} }

// Each calls f for each register in the set.
func (s RegSet) Each(f func(Reg)) {
	for n, word := range s {
		for ; word != 0; word &= word - 1 {
			f(Reg(64*n + bits.TrailingZeros64(word)))
		}
	}
}
