// Package elfnote reads the notes of ELF files and core files (System V ABI, chapter 5).
package elfnote
