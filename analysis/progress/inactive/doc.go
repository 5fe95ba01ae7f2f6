// Package inactive answers whether a rank made a persistent or partitioned request for the message that another rank waits for, and never
// started it, or less often than requests of the same call were started elsewhere.
//
// Its input are the waits ([Wait]) and the records of a few ranks, its output [Request]. What ranks say is a [View], which is a monoid.
package inactive
