// Package values is the file of a run directory with what the variables of ranks held
// when they were examined from outside: the numbers that the source of each
// frame of the stack has names for (docs/reference/format.md).
package values
