package diagnosis

import (
	"testing"

	"laggard/internal/checktest"
)

func TestThreadLines(t *testing.T) {
	r := &Result{AboveLevel: []AboveLevel{{Provided: "MPI_THREAD_FUNNELED", Ranks: "3", Threads: 2}}}
	r.Concurrent = []Concurrent{
		{Communicator: "MPI_COMM_WORLD", MPI: []string{"MPI_Allreduce"}, Ranks: "0-2", Threads: 3},
		{Communicator: "window 1f of 2 ranks", MPI: []string{"MPI_Bcast", "MPI_Win_fence"}, Ranks: "4", Threads: 2},
	}
	const order = " MPI requires the program to order such calls (MPI-3.1 §12.4.2): otherwise ranks may match them differently."
	for i, want := range []string{
		"2 threads of rank 3 are in MPI at once. That requires MPI_THREAD_MULTIPLE, and MPI provided MPI_THREAD_FUNNELED " +
			"(MPI-3.1 §12.4.3).",
		"3 threads of each of ranks 0-2 are in collective calls on MPI_COMM_WORLD at once (MPI_Allreduce)." + order,
		"2 threads of rank 4 are in collective calls on window 1f of 2 ranks at once (MPI_Bcast, MPI_Win_fence)." + order,
	} {
		checktest.Equal(t, want, threadLines(r)[i])
	}
}
