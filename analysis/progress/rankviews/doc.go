// Package rankviews joins what a few ranks tell of themselves, each with the states that it speaks of, for a question that comes up
// once a diagnosis has been found.
package rankviews
