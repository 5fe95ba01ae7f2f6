// Package unwind answers through which calls a thread of a stopped process came to
// where it is, with the registers that each caller had at its call, as far as they can
// be told. It follows the call frame information that compilers put into every program
// for exceptions (.eh_frame; System V ABI of x86-64, DWARF for the Arm 64-bit Architecture,
// LSB 10.6, DWARF 5 section 6.4),
// which is in the memory of the process.
//
// table.go finds the entry of an address, row.go runs its instructions, which give a
// [row] of rules, expression.go evaluates those that are expressions, and unwind.go
// applies the rules from frame to frame. Rows are kept by build-id, for all processes
// that have the same files.
package unwind
