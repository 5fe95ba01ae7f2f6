// Package facts folds recorded ranks into what all analysis ranks need to know
// of them: the [Summary], which holds the paper's statesSet (PDI §4.2, steps 1
// and 2) and, for each rank, its [Fact]: where it is, what it waits for, how its
// process fares. Summaries merge, and travel in their own encoding.
//
// [Queries] are what the waiting ranks ask about the message counters of their
// peers; a [Keeper] keeps ranks in little memory until they are asked.
package facts
