// Package native is the slicing backend in pure Go, for ELF files of x86-64 and AArch64 (PDI
// §2.2, §4.4). Input is a slicing.Criterion, output a slicing.Slice.
//
// A module is read as needed: functions are taken apart into basic blocks
// (cfg.go; another program may do that part; exceptions: exception.go), post-dominators give
// what each block is control dependent on (control.go), and a forward pass names
// the values in registers and stack slots as a base and an offset (value.go), so
// that memory can be told apart. What defines a place is then searched backwards,
// when it is asked for (definitions.go). A call is seen through its model, or through a
// summary of what the callee writes (effect.go, summary.go). The slice itself
// (run.go, visit.go) is a search by distance over all this: it ascends into the
// observed callers only, descends into callees that define what is needed, and
// goes over to the senders of what was received (peer.go). At the end come the
// lines that have no code of their own (package folded).
package native
