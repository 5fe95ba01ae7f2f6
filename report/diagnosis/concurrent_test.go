package diagnosis

import "testing"

func TestConcurrentLines(t *testing.T) {
	r := &Result{Concurrent: []Concurrent{
		{Communicator: "MPI_COMM_WORLD", MPI: []string{"MPI_Allreduce"}, Ranks: "0-2", Threads: 3},
		{Communicator: "window 1f of 2 ranks", MPI: []string{"MPI_Bcast", "MPI_Win_fence"}, Ranks: "4", Threads: 2},
	}}
	const order = " MPI requires the program to order such calls (MPI-3.1 §12.4.2): otherwise ranks may match them differently."
	for i, want := range []string{
		"3 threads of each of ranks 0-2 are in collective calls on MPI_COMM_WORLD at once (MPI_Allreduce)." + order,
		"2 threads of rank 4 are in collective calls on window 1f of 2 ranks at once (MPI_Bcast, MPI_Win_fence)." + order,
	} {
		if got := concurrentLines(r)[i]; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
