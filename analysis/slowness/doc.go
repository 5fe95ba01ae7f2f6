// Package slowness answers how fast a job runs, since when it is slower than before, and
// why: a rank that computes longer, its node, the network or the MPI library, I/O, or an
// imbalance that was there from the start. It reads the samples that ranks take of
// themselves ([model.Interval]).
//
// Speed is measured in iterations: visits of a state that comes once in each turn of a
// rank's loop. Of each rank the time that it computes, waits and does I/O in an iteration is
// compared with the time before; a change of the job as a whole is looked for first, since
// it is the same number at all ranks and has little noise.
//
// docs/manual/slow.md says what it cannot see.
package slowness
