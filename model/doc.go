// Package model holds what a recorded MPI job left behind: the ranks, their
// Markov models (paper PDI §3.1), what each rank was doing last, and the
// communicators it knew. It reads, validates and writes the run-file format
// (docs/reference/format.md), whose layout package format has. The analyses in the
// packages below it are pure computations over these types.
package model
