// Package inference orders ranks by their Markov models, where evidence leaves
// the order open. There are two algorithms: "pdi" builds the progress dependence
// graph of the paper (PDI §3.2, Figure 5), and "loop-aware" compares iterations
// of the loops that the ranks are in.
//
// An [Algorithm] gathers a [Partial] from each block of ranks; partials merge;
// the merged one gives the [Order].
package inference
