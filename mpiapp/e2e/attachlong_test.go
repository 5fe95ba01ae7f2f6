//go:build e2e && long

package e2e

import "testing"

// TestAttachLong is TestAttach over more of the language, and TestAttachKilled with 200 kills.
func TestAttachLong(t *testing.T) {
	t.Run("hangs", func(t *testing.T) {
		attached(t, []unrecorded{
			{"ring.c", "hang", []string{"-O2", "-fno-inline"}, []string{
				`rank 0 is in MPI_Recv from rank 7 with tag 2 on MPI_COMM_WORLD`, `rank 5 is in MPI_Recv from rank 4 `}},
			{"chain.f", "hang", []string{"-O1", "-fno-inline"}, []string{`rank 3 is in MPI_Recv from rank 2`}},
			{"blocked.c", "lock", []string{"-O0"}, nil},
		})
	})
	t.Run("kills", func(t *testing.T) { killAttach(t, 200) })
}
