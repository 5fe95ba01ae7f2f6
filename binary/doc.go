// Package binary is a folder: what the file of a program and the memory of a process say in binary
// form, for everything above it. [laggard/binary/cursor] reads numbers from bytes,
// [laggard/binary/processor] knows the kinds of processors, [laggard/binary/elfnote] the notes of ELF
// files, [laggard/binary/expression] evaluates DWARF expressions, and [laggard/binary/callframe] reads
// the tables for unwinding. All of them take hostile bytes: they return an error or zeros, and never
// read outside of what they were given.
//
// The packages of delve (pkg/dwarf) are not used: they panic on malformed tables, take whole sections
// instead of a ReaderAt of a live process, and do not know return addresses that AArch64 signs.
package binary
