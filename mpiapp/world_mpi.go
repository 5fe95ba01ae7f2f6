//go:build mpi

package main

import (
	"errors"

	"laggard/reduce"
)

// worldRank is the rank of this process, once it is known.
var worldRank int

// runInWorld runs body as one rank of the MPI job that the process was started in.
func runInWorld(_ int, body func(reduce.Comm) error) error {
	c, stop, err := reduce.Start()
	if err != nil {
		return err
	}
	worldRank = c.Rank()
	err = body(c)
	stop(err)
	return err
}

// printedByOtherRank reports whether an error was printed by another analysis rank: all ranks
// get the same one, and the first prints it.
func printedByOtherRank(err error) bool {
	var shared *reduce.RankError
	return worldRank != 0 && errors.As(err, &shared)
}
