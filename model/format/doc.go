// Package format says where everything is in a node file: the constants, and the
// offsets and sizes of all structures and records. All of it comes from one table,
// format.tbl, which package schema reads, and from which the recorder's C header and the tables
// of docs/reference/format.md are made too. "Add a format field" in CONTRIBUTING.md says what to
// do to change it.
//
// Offsets are in bytes, in records from the start of the part that the field is in.
package format

import _ "embed" // the table

//go:generate go run ../../recorder/gen layout.go

// Table is the text of format.tbl, for package schema.
//
//go:embed format.tbl
var Table string
