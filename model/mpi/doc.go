// Package mpi answers what functions MPI has: the name of each, its parameters
// with the names that the standard gives them, and the class that says what a
// call means to the recorder and the analyses. Input is the table functions.tbl,
// which comes with the program; all that is generated from prototypes (the
// recorder's wrappers, the models of calls for slicing) begins here.
package mpi
