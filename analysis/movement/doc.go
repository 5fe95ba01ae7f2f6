// Package movement finds broken data movements. It answers: which way do data
// usually take through buffers and messages, which few of them took nearly that
// way but not quite, and which rank moves data differently from its peers (paper
// DMTracker §3 and §4).
//
// Input is a [Question] about a run directory, output of [Run] a [Result] at
// analysis rank 0. Each analysis rank reads its share of the run with package
// recorded and forms the chains that lie within a rank with package chain; the
// tables merge over the tree, and rank 0 resolves the chains of the whole job.
// [Analyse] then asks package invariant for the frequent chains and what violates
// them, and package outlier for the ranks unlike the others. Package profile
// keeps what good runs have.
//
// A share is read twice. Which connections lead to which rank, and between which
// ranks messages must be followed by MPI, is known only when all ranks have been
// read; an event that is not followed must not reach the parser, because it would
// end a chain. To keep the moves of a share in memory instead would take more than
// the streams themselves, which the page cache still holds.
//
// Where the paper leaves something open, docs/development/movement.md says what was chosen
// and where that fails.
package movement
