// Package calls answers what a call to a library does to the data of its
// caller, and which of its arguments decide whether an MPI call completes
// (PDI §4.4 calls for both). Its input is a linker name, its output a Model:
// for each argument, what is read and written through it. All backends of
// package slicing share it, and so what a slice starts from.
//
// The models of MPI come from the table of prototypes that the recorder's
// wrappers are made from (go generate); those of the C library and of the
// language run-time libraries are written by hand, in libc.tbl.
package calls

//go:generate go run ./gen mpi.tbl
