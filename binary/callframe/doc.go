// Package callframe reads call frame information, which compilers put into every program for exceptions
// (.eh_frame; LSB Core 5.0, section 10.6; DWARF 5, section 6.4; DWARF for the Arm 64-bit Architecture). A
// [Table] finds the [Entry] of an address, by any ReaderAt: a living process, a core file, a file. The entry
// gives the [Row] of rules that restore the registers of the caller.
package callframe
