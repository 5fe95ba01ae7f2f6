// Package report has what the reports of all kinds share: which run it is about
// ([Run]), the levels of a call stack ([Frame]) and the JSON form ([JSON]).
//
// A kind of result has a folder: report/diagnosis, report/slice, report/usage,
// report/movement and report/scaling. Each turns what one analysis concluded,
// with the symbols of the program, into one Result that is made by New; Text,
// JSON and HTML (and DOT, where there is a graph) are views of it. Beside them
// is what they are made with: report/words for sentences, report/source for
// excerpts of source files, report/page for the shell of a page, report/chart
// for its drawings.
//
// Everything that comes from a run directory is printed without control
// characters.
package report
