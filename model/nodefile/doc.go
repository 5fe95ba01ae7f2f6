// Package nodefile reads and writes one node file, the records of the processes of
// one node, also while they write it (docs/reference/format.md; package format has
// the layout). The reader and the writer of a type of record stand together. Its
// reader takes any bytes: what is damaged becomes a problem, and the rest is read.
package nodefile
