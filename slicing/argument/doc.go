// Package argument answers what a function that has not returned was called with: the
// values of its arguments, from the outside, after the fact. Input is the caller's
// machine code, the registers that its frame still has, and the memory of the process
// (or of a core file); output is a [Value] for each argument, or that it is not known.
//
// The registers in which arguments travel are gone when somebody looks. But the code in
// front of the call put them there, from what is mostly still there: constants,
// addresses, registers that functions preserve, variables in memory. So the ways
// through the code that lead to the call, back to the call before it, are gone through
// again (paths.go, machine.go). A way that the values at hand exclude is dropped; where
// the others differ, or one of them does not tell, the value is unknown. A variable
// that was written after it was read is unknown, too.
package argument
