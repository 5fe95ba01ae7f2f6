// Package inside answers what ranks do inside the MPI library, where that holds
// them: which of its functions they are in, which library and which version it is.
// Its input are ranks ([model.Rank]), its output is a [View], which is a monoid.
package inside
