//go:build mpi

package reduce_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"

	"laggard/reduce"
	"laggard/reduce/reducetest"
)

// TestMain checks the MPI transport first, on the goroutine that started MPI.
// Started alone, the binary then runs the other tests; as one of several ranks
// it does not repeat them, and only the rank that is at fault prints.
func TestMain(m *testing.M) {
	flag.Parse()
	rank, size, err := onMPI()
	if err != nil {
		named, ok := errors.AsType[*reduce.RankError](err)
		if !ok || named.Rank == rank {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	if size == 1 {
		os.Exit(m.Run())
	}
}

func onMPI() (rank, size int, err error) {
	c, stop, err := reduce.Start()
	if err != nil {
		return 0, 0, err
	}
	defer func() { stop(err) }()
	if _, _, again := reduce.Start(); !errors.Is(again, reduce.ErrStarted) {
		return c.Rank(), c.Size(), fmt.Errorf("second start: got %v, want ErrStarted", again)
	}
	for _, chunk := range []int{0, 1000, 4096} {
		if err := reducetest.Conformance(reduce.Chunked(c, chunk)); err != nil {
			return c.Rank(), c.Size(), fmt.Errorf("MPI, chunks of %d (0: default): %w", chunk, err)
		}
	}
	return c.Rank(), c.Size(), nil
}
