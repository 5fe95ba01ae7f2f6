// Package processor describes the kinds of processors whose programs laggard reads: the numbers of their
// registers in DWARF, which registers a call preserves, how the kernel lays registers out and passes
// arguments, and when a conditional branch is taken.
package processor
