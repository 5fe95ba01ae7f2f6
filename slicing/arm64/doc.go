// Package arm64 answers what one AArch64 instruction does, as far as a backward
// slice (PDI §4.4) needs to know. Its input is machine code, its output one
// cpu.Inst, or several for an instruction that does several things: a load of a
// pair is two loads, an operand with write-back adds to its base apart. Classes are
// told apart by the encoding (Arm ARM, chapter C4), since golang.org/x/arch does not
// know the atomics of Armv8.1, and keeps the operands that matter to itself. What
// belongs to no class is opaque. Any bytes give an Inst.
package arm64
