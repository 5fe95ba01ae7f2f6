// Package cpu is what an analysis of machine code says of instructions and of
// processors, whichever processor it is: an [Inst] tells which registers and memory an
// instruction reads and writes, where control goes next, and whether it moves a value
// that can be followed. A [Architecture] is a processor with its calling convention. Packages
// x86 and arm64 decode; they are the only ones that know an encoding.
package cpu
