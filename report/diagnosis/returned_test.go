package diagnosis

import (
	"testing"

	"laggard/internal/checktest"
)

// TestReturnedErrorReason: an error is a part of the reason only for ranks that got it lately.
func TestReturnedErrorReason(t *testing.T) {
	in := "MPI_File_open"
	r := Result{
		Ranks: 4, LeastProgressed: &LeastProgressed{Ranks: []int{0, 1}, Locations: []Location{{InMPI: &in}}},
		ReturnedErrors: []ReturnedError{{Ranks: "0,2", MPI: "MPI_File_delete"}, {Ranks: "3", MPI: "MPI_File_open"}},
	}
	checktest.Equal(t, "", r.returnedErrorReason())
	r.ReturnedErrors[0].Lately, r.ReturnedErrors[1].Lately = "0,2", "3"
	checktest.Equal(t, "; MPI had returned an error to rank 0 in MPI_File_delete; rank 3 had left MPI_File_open with an error",
		r.returnedErrorReason())
	r.ReturnedErrors[0].Lately = "2" // which is not named
	checktest.Equal(t, "; rank 3 had left MPI_File_open with an error", r.returnedErrorReason())
}
