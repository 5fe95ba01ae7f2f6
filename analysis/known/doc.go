// Package known answers which public issues of MPI libraries and networks a hang
// looks like. Its input is a [Hang], in which all calls match and nothing moves, and
// a [Table] of issues; its output are the issues whose conditions the hang meets.
// A match is a likeness, never a proof.
package known
