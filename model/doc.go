// Package model holds what a recorded MPI job left behind: the ranks, their
// Markov models (paper PDI §3.1), what each rank was doing last, and the
// communicators it knew. The analyses are pure computations over these types.
// Package nodefile reads and writes one file of them, and package runfiles reads
// the directory of a run.
package model
