// Package outside tells what a thread waits for that stands outside MPI: a lock, a file, a
// child process. It goes by the names of the functions that its captured stack has.
package outside
