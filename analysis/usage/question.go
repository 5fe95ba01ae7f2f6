package usage

// Question is what an analysis of MPI usage is asked.
type Question struct {
	Dir string // run directory, recorded with the calls of MPI
}
