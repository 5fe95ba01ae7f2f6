// Package fortran corrects lines of programs in Fortran by the text of their files, where the debug information of a compiler is known to
// name another line.
package fortran
