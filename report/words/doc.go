// Package words says things in the sentences of a report: what may go to a
// terminal, sets of ranks that are read at a glance, numbers with their nouns,
// sentences and lists that do not fill the screen.
package words
