// Package usage reports wrong use of MPI: what the replay of each rank and the
// comparison of all ranks found ([laggard/analysis/usage]), with the places in
// the program and what to change. Input is a [Source], output is a [Result] and
// its views.
package usage
