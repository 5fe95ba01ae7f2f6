// Package folded answers which source lines belong to a slice though the
// compiler left no code for them: it computed their values beforehand, or merged
// them with others, so that no backend that reads machine code can find them.
//
// Input are the lines of a slice, the text of their files, and which lines have
// code; output are further lines: those without code that, by the names in the
// text, set what a line of the slice uses, return it, or decide whether such a
// line runs. Names are weaker evidence than machine code, so such lines are
// counted and named as what they are (slicing.Slice.Notes). They are the price
// of slicing optimised programs (PDI §4.4 sliced programs as they were).
package folded
