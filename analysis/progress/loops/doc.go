// Package loops finds the loops of a program in the Markov models of its ranks,
// and counts in which iteration of each a rank is.
//
// A [Builder] folds models into their [Flow], the union that all ranks agree
// on; flows merge. A [Program] is the loops of the merged flow, one inside the
// other, and a [Counter] counts the iterations of one rank by its model.
package loops
