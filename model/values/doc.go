// Package values is the file of a run directory with what the variables of ranks held
// when somebody looked at them from outside: the numbers that the source of each
// frame of the stack has names for (docs/format.md).
package values
