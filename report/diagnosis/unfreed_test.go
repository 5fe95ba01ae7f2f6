package diagnosis

import (
	"testing"

	"laggard/internal/checktest"
	"laggard/report"
)

func TestUnfreedText(t *testing.T) {
	site := report.Site{Function: "solve", File: "/src/solver.c", Line: 88}
	for want, u := range map[string]Unfreed{
		"3 communicators created by MPI_Comm_dup in solve (solver.c:88) were never freed by ranks 0-3": {What: "communicator",
			Least: 3, Most: 3, Ranks: "0-3", MPI: "MPI_Comm_dup", Site: site},
		"3 to 5 windows created by MPI_Win_create were never freed by ranks 0-3": {What: "window", Least: 3, Most: 5, Ranks: "0-3",
			MPI: "MPI_Win_create"},
		"1 file opened by MPI_File_open in solve (solver.c:88) was never closed by rank 2": {What: "file", Least: 1, Most: 1, Ranks: "2",
			MPI: "MPI_File_open", Site: site},
		"37 requests begun by MPI_Isend in solve (solver.c:88) were never completed by rank 1": {What: "request", Least: 37, Most: 37,
			Ranks: "1", MPI: "MPI_Isend", Site: site},
		"1200 datatypes created by MPI_Type_vector were never freed by ranks 0-3": {What: "datatype", Least: 1200, Most: 1200,
			Ranks: "0-3", MPI: "MPI_Type_vector"},
		"3 to 4 persistent requests created by MPI_Recv_init were never freed by rank 0": {What: "persistent request", Least: 3, Most: 4,
			Ranks: "0", MPI: "MPI_Recv_init"},
	} {
		checktest.Equal(t, want, UnfreedText(&u))
	}
}
