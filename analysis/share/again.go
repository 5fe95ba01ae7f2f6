package share

import "fmt"

// Again says that a run has processes beyond one for each of its ranks, as [model.Index] counts
// them, and which ones are shown; "" if it has none. In a job of one rank that is mostly a
// program whose MPI library does not understand its launcher: each process is alone then.
func Again(size, again int) string {
	switch {
	case again == 0:
		return ""
	case size == 1:
		return fmt.Sprintf("%d processes were recorded, each the only rank of its job, and only the last to start is "+
			"looked at; if they should be one job, the program's MPI does not fit its launcher "+
			"(mpirun of another MPI, srun without the right --mpi): laggard doctor PROGRAM", again+1)
	case again == 1:
		return "a process has the rank of another one that started later, and is not looked at"
	}
	return fmt.Sprintf("%d processes have the rank of another one that started later, and are not looked at", again)
}
