// Package e2e tests laggard on real MPI programs, as a user runs it: the
// programs in ../testdata/programs, each a small one with a known fault, built
// with the compilers of every MPI family that is installed and run under
// bin/laggard. It answers whether the right rank and the right line come out
// (paper PDI §5), whether the counts are those of the program, whether what a
// killed job leaves is readable, and whether the program is left alone.
//
// Input are the programs and the binaries of `make build`; the tests have the
// build tag e2e and are started by `make test`, or by hand with
//
//	go test -tags e2e ./mpiapp/e2e [-run 'TestHangs/openmpi/ring'] [-v]
//
// With the tag slurm in addition there is TestSlurm (`make test-slurm`): it starts
// a Slurm of its own and runs the scripts of jobscripts/slurm in it.
//
// A program tells its fault by comments: the lines between "LAGGARD: loop
// begin" and "LAGGARD: loop end" are a loop that never ends, "LAGGARD: here" or
// "LAGGARD: here NAME" is the line of a call that never returns, and "LAGGARD:
// last call" that of the last MPI call before the rank goes away.
//
// TestUsage judges laggard usage on the pairs of programs in ../testdata/usage, a
// faulty one and its correct twin in each source; usageCase says what their first
// line tells. The half of them that held-out.txt names, by the hash of their
// names, is for reporting: the checks are made by the others. One pair on one MPI:
//
//	go test -tags e2e ./mpiapp/e2e -run 'TestUsage$/runs/openmpi/leak_comm.c' -v
package e2e
