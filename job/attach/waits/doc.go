// Package waits answers what a blocked MPI call waits for, from the values of its
// arguments as package argument found them. Handles of MPI are what the library made of
// them: predefined communicators are known by the symbol (Open MPI) or by the number
// (MPICH, and Fortran) that stands for them. What is not known stays so: such an
// operation has no peer, or no communicator.
package waits
