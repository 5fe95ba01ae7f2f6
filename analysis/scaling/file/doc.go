// Package file is the form of what the scaling analysis writes: a first line with
// kind, version, length and checksum, then JSON. It answers whether bytes are whole
// and of the kind that is wanted; see docs/development/scaling.md.
package file
