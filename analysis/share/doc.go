// Package share answers which part of a run directory one analysis rank reads.
// All analyses begin here: [Find] lists the directory at analysis rank 0, agrees
// with the others on what belongs to the run, and gives each its [Share], whose
// index iterates over the ranks and their streams. [Problems] gathers what is
// wrong with the data, as a value that a reduction carries.
package share
