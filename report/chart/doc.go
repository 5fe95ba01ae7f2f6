// Package chart draws every diagram of a report, as SVG: panels with axes, and in
// them bars, dots, lines and levels. Who draws says where a mark lies and of which
// class it is; the classes have their colours in a style sheet.
package chart
