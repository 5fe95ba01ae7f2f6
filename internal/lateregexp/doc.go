// Package lateregexp has regular expressions that are compiled when they are first used. As package-level variables they cost
// nothing at the start of this program, which most commands need none of them for.
package lateregexp
