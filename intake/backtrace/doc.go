// Package backtrace answers what can be said of a job that ran without the
// recorder: where each rank was, from the call stacks that the machine or a
// debugger left as text.
//
// [Read] takes such a text in any of the forms below and gives the stacks in it;
// lines that it cannot read are errors with their place, and the rest is kept.
//
//   - Lightweight core files, the format of the Parallel Tools Consortium, in the
//     forms of Blue Gene: addresses in the order from the innermost frame, below
//     "+++STACK" or, on Blue Gene/L, "Function Call Chain". Also with routines
//     and lines, as the standard has them, and with "Module+Offset".
//   - eu-stack of elfutils, with any of its options, for one process or several.
//   - gdb: "thread apply all backtrace" and "backtrace".
//
// The text may be the output of a launcher that puts the rank before each line,
// or have lines that say "rank 3".
//
// [BuildJob] turns stacks into ranks of package model, and [Ancestor] finds their
// places in the Markov models of an earlier, healthy run of the same program, so
// that the progress of ranks can be compared as in PDI §3. docs/manual/offline.md says
// what such stacks can tell and what not.
package backtrace
