// Package slicetest holds the suite that every slicing backend must pass: C,
// C++ and Fortran programs with a seeded fault, compiled in several ways, whose
// slices are compared with the lines that were marked in the source before any
// tool ran. Input is a slicing.Slicer, output are failures of the test and a
// table of figures.
//
// No MPI is needed: a program is linked with a library that plays one rank, and
// which prints the call stack at the call where that rank would hang. The first
// line of a source says how (testdata/stub/mpi.c). Markers at the ends of lines
// say what belongs to the slice: "slice", "root" for the fault, "stop" for where
// the rank is. Programs marked "tune" may be looked at to make a backend better;
// those marked "report" give the figures that count.
package slicetest
