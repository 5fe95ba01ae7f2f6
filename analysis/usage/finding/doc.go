// Package finding is what the checks of MPI usage have to say: a Finding belongs to one
// of the Classes and names the ranks and the calls of both sides, what the standard
// requires, and what to change. A Group keeps findings that are alike as one and is
// what a reduction carries. An Ignore is a known finding that is left out.
package finding
