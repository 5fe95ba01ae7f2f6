// Package schema reads the table of the file format (model/format/format.tbl), which
// says what `laggard inspect FILE` shows, and writes what is made from it: the
// recorder's C header, the layout for Go, and the tables in docs/reference/format.md.
//
// The head of the table describes its syntax. Parse checks the table and computes the
// offsets, by the rules of C on the machines that the recorder runs on; it refuses a
// field that the compiler would have to move, so the two cannot disagree.
package schema
