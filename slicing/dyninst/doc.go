// Package dyninst is the slicing backend that takes code apart with Dyninst
// (PDI §2.2, §4.4). Input is a slicing.Criterion, output a slicing.Slice, as
// for slicing/native.
//
// A helper process, laggard-dyninst, is linked with Dyninst (folder helper): it
// parses the functions that a slice comes to with ParseAPI, and says with
// InstructionAPI what each instruction reads and writes, where computed jumps go
// and which calls do not come back. What follows from that is found out by
// slicing/native, whose Front this package is: Dyninst's own slicer loses data
// at calls, and its control dependences are of another kind (docs/development/slicing.md).
//
// The helper is a process of its own because Dyninst may fail and may need much
// memory: it has a deadline, a limit of 2 GB and a process group. When it fails,
// slicing/native goes on alone, and the slice says so. It is looked for when the
// program runs (Find); laggard is built and works without it.
package dyninst
