// Command bench measures how the time of a diagnosis grows, and draws it (paper
// PDI, Figure 8). Input are the programs laggard and, for the second part,
// laggard-mpi; output is a table on standard output and an SVG picture with the
// phases of the diagnosis: loading the records, building the progress dependence
// graph, finding the least progressed ranks, and writing them down.
//
// The first part takes synthetic jobs of growing size, all diagnosed by one
// process. The second keeps the recorded ranks per analysis rank and doubles the
// analysis ranks, so that each doubling adds one round to the reductions.
//
//	go run ./mpiapp/bench -laggard bin/laggard -o scale.svg
//	go run ./mpiapp/bench -laggard bin/laggard -mpi "mpirun --oversubscribe -np % bin/laggard-mpi" -o scale.svg
package main
