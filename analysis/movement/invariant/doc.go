// Package invariant answers which chains of data movement a program usually makes,
// and which rare ones are nearly like a usual one but lack a part of it (paper
// DMTracker §4.3 and §4.4).
//
// Input is a trace, and a profile of good runs if there are any. [Frequent] gives
// the invariants; [Violations] compares all other chains with them, by similarity
// and rareness, and by whether the missing part occurs nearby.
package invariant
