// Package unsent answers where a message would have come from that a rank waits for and that was not
// sent: which call sends such messages, in that rank or in others, whether the sender ever made it, where the sender is instead,
// and which of its messages lie unreceived, of which one may be what the rank waits for.
//
// Its input are the waits ([Wait]) and the records of a few ranks, its output [Message]. What ranks say is a [View],
// which is a monoid.
package unsent
