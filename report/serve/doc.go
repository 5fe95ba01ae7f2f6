// Package serve serves one page to browsers on this machine, behind an address that others
// on it cannot guess.
package serve
