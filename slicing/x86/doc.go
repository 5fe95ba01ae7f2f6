// Package x86 answers what one x86-64 instruction does, as far as a backward
// slice (PDI §4.4) needs to know: which registers and memory it reads and
// writes, where control goes next, and whether it moves a value that can be
// followed. Its input is machine code, its output an Inst. golang.org/x/arch
// decodes; what it does not know becomes an opaque instruction where the length
// is certain, and Bad otherwise. Any bytes give an Inst.
package x86
