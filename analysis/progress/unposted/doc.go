// Package unposted answers which receive a rank left out for which another one waits in a send: the call by which all ranks receive such
// messages that have received any, and whether that rank ever made it.
//
// Its input are waits for messages and the records of a few ranks, its output [Receive]. What ranks say is a [View], which is a monoid.
package unposted
