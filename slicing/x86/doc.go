// Package x86 answers what one x86-64 instruction does, as far as a backward
// slice (PDI §4.4) needs to know. Its input is machine code, its output a
// cpu.Inst. golang.org/x/arch decodes; what it does not know becomes an
// opaque instruction where the length is certain, and Bad otherwise. Any bytes
// give an Inst.
package x86
