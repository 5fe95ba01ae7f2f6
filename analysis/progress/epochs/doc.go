// Package epochs answers which rank left another one out of an epoch of a window, where a rank waits for what opens or closes one: its
// peer has opened as many epochs to another rank as the waiting one waits for, and fewer to this one.
//
// Its input are the waits ([Wait]) and the records of the ranks of these, its output [Excluded]. What ranks say is a [View], which is a
// monoid.
package epochs
