//go:build !mpi

package main

import "laggard/reduce"

// runInWorld runs body on analysis ranks: here goroutines, as many as requested.
func runInWorld(ranks int, body func(reduce.Comm) error) error {
	return reduce.Run(ranks, body)
}

// printedByOtherRank reports whether an error was printed by another analysis rank.
func printedByOtherRank(error) bool { return false }
