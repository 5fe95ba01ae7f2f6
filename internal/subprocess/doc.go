// Package subprocess runs a process that answers each line of text it is sent with a line of its
// own. A process that crashes, runs out of memory or does not answer in time costs its caller one
// answer and an error that says why.
package subprocess
