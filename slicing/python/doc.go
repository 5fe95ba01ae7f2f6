// Package python makes slices of programs in Python, by the text of their files: the calls
// that led to where a rank is, and the conditions and loops around each. It goes by
// indentation and the first words of statements, and does not follow values.
package python
