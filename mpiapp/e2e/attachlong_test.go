//go:build e2e && long

package e2e

import "testing"

// TestAttachLong is TestAttach over more of the language, and TestAttachKilled with 200 kills.
func TestAttachLong(t *testing.T) {
	t.Run("hangs", func(t *testing.T) {
		attachAndCheck(t, []unrecorded{
			{"ring.c", "hang", []string{"-O2", "-fno-inline"}, []string{
				`rank 0 is in MPI_Recv from rank 7 with tag 2 on MPI_COMM_WORLD`, `rank 5 is in MPI_Recv from rank 4 `}},
			{"chain.f", "hang", []string{"-O1", "-fno-inline"}, []string{`rank 3 is in MPI_Recv from rank 2`}},
			{"blocked.c", "lock", []string{"-O0"}, nil},
			{"rowcol.c", "hang", []string{"-O2"}, []string{
				`rank 4 is in MPI_Allreduce on communicator [0-9a-f]+ of 4 ranks, which rank 5 is not in`}},
			{"cart.c", "hang", []string{"-O2"}, []string{`from rank 5 with tag 1 on communicator [0-9a-f]+ of 8 ranks`}},
			{"intercomm.c", "hang", []string{"-O0"}, nil},
			{"halo.c", "hang", []string{"-O2"}, nil},
			{"persistent.c", "hang", []string{"-O0"}, nil},
		})
	})
	t.Run("kills", func(t *testing.T) { killAttach(t, 200) })
}
