// Package regular opens files that somebody else may have put there: those of a run
// directory, and those that it names. Whatever lies in their place, such as a pipe, a
// device or a link that leads elsewhere, is an error, and holds up nobody. And it writes
// files so that a reader sees all of one or nothing.
package regular
