// Package signals makes laggard run transparent for signals. A signal that was sent to a process group, a session,
// or each process of a job step reaches the launcher by itself. One that was sent to laggard alone does not, and is
// passed on once. The kernel does not tell which it was, but a witness does: a process beside the launcher that gets
// what the launcher gets.
//
// Input are the signals that reach laggard and its witness. Output are signals to the launcher, and a note of each.
package signals
