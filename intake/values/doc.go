// Package values reads what the variables of a stopped or sleeping process hold: for
// each frame of a stack the numbers that the debug information has names for, in local
// variables and parameters, in the structs that these are or point to, and outside of
// functions. What the compiler keeps nowhere is not there; what was not set yet holds
// whatever the memory had.
package values
