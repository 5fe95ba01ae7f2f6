// Package reporttest makes results for tests of their forms, without a run and
// without a clock: one that has everything a page can show, small enough to be
// read; a deadlock; large ones; and one whose every text is an attack. Input is
// nothing, or a number of ranks; output is a [report.Result].
package reporttest
