// Package cursor reads the numbers of DWARF, of call frame information and of ELF tables from bytes.
package cursor
