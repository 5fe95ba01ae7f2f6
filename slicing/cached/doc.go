// Package cached keeps the answers of a slicer on disk. A slice of a large program takes seconds, and diagnose, slice and
// report ask for the same one. An answer is found again by what it depends on: the question, the build-ids of the code and what
// was found of its debug information, and the program that made it. Source files are checked by size and time.
package cached
