// Package movement reports how data move between and within the ranks of a run:
// the rare chains that are nearly usual and the ranks unlike their peers that
// [laggard/analysis/movement] found, with the places in the program. Input is a
// [Source], output is a [Result] and its views.
package movement
