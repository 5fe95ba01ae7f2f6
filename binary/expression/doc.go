// Package expression evaluates DWARF expressions (DWARF 5, section 2.5): those of call frame information,
// and those that say where a variable is.
package expression
