// Package recorded reads what one rank recorded for the checks of MPI usage: each call
// with its arguments and results, and the communicators and datatypes they name.
// Input is the rank's streams (docs/reference/format.md, kind 1); output is a Trace. Damage
// makes a Trace incomplete; what was read before it stays.
package recorded
