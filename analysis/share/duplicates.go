package share

import "fmt"

// DuplicatesText says that a run has processes beyond one for each of its ranks, as [runfiles.Index] counts
// them, and which ones are shown; "" if it has none. In a job of one rank that is mostly a
// program whose MPI library does not understand its launcher: each process is alone then.
func DuplicatesText(size, again int) string {
	switch {
	case again == 0:
		return ""
	case size == 1:
		return fmt.Sprintf("%d processes were recorded, each the only rank of its job; only the last to start is "+
			"analysed. If they should be one job, the program's MPI does not match its launcher "+
			"(mpirun of another MPI, srun without the right --mpi): laggard doctor PROGRAM", again+1)
	case again == 1:
		return "one process has the rank of another that started later; it is ignored"
	}
	return fmt.Sprintf("%d processes have the rank of another that started later; they are ignored", again)
}
