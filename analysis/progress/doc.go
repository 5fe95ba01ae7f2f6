// Package progress answers which ranks of a hung or ended MPI job are least
// progressed, who waits for them and how sure that is (paper PDI §2–§4).
//
// [Run] answers a [Question] about a run directory, on any number of analysis
// ranks, each of which holds a block of the recorded ranks ([model.Rank]). A job
// that makes progress is looked at several times. A look has three steps:
//
//   - [facts.Summariser] folds a block into a [facts.Summary]: where each rank is
//     (the paper's statesSet), what it waits for, how its process fares. Summaries
//     merge; the merged one goes to every analysis rank.
//   - [Localiser] asks the [inference.Algorithm] about the models of the block: "pdi"
//     builds the local progress dependence graphs (Figure 5), whose union is a
//     bitwise OR (Table 2); "loop-aware" counts iterations of the loops that the
//     merged flow shows. It also answers what the waiting ranks ask about the
//     message counters of their peers. Partials merge.
//   - [FindLP] draws the conclusion from both, at one analysis rank, by the first of
//     the rules in rules.go that concludes something.
//
// Summary and Partial are monoids with deterministic encodings: any blocks,
// any order and any tree give the same bytes.
//
// Two sources speak, and the result tells them apart. Package evidence: exact
// wait-for edges from the blocked operations, deadlocks as what no rank can
// leave by itself, lost processes. Package inference: an algorithm over the
// Markov models orders what the evidence leaves open. An edge x → y always means
// that x waits for y. See docs/reference/rules.md.
package progress
