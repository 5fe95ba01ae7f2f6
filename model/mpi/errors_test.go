package mpi

import (
	"testing"

	"laggard/internal/checktest"
)

// TestDescribeError: the class, and of what MPI says the line that says most.
func TestDescribeError(t *testing.T) {
	const mpichRecv = "Message truncated, error stack:\nPMPI_Recv(173): MPI_Recv(buf=0x7ffc, count=1, MPI_INT, src=1, tag=5) failed\n" +
		"MPIDIG_recv(229): Message from rank 1 and tag 5 truncated; 256 bytes received but buffer size is 4\n"
	for _, c := range []struct {
		family     Family
		code       int
		text, want string
	}{
		{OpenMPI, 15, "MPI_ERR_TRUNCATE: message truncated", "MPI_ERR_TRUNCATE: message truncated"},
		{OpenMPI, 15, "", "MPI_ERR_TRUNCATE"},
		{MPICH, 14, mpichRecv, "MPI_ERR_TRUNCATE: Message from rank 1 and tag 5 truncated; 256 bytes received but buffer size is 4"},
		{MPICH, 678499087, "Other MPI error, error stack:\ninternal_Allreduce(128).......: MPI_Allreduce(count=1) failed\n" +
			"MPID_Allreduce(152)...........: \nMPIR_Bcast_intra_binomial(174): Failure during collective",
			"MPI_ERR_OTHER: Failure during collective"},
		{MPICH, 4, "Invalid tag, error stack:\ninternal_Send(63)..: Invalid tag, value is -5", "MPI_ERR_TAG: Invalid tag, value is -5"},
		{MPICH, 20, "Invalid access, error stack:\nMPI_File_open(63)..: no file", "Invalid access: no file"},
		{MPICH, 50, "Wrong synchronization of RMA calls , error stack:\nPMPI_Win_fence(108): MPI_Win_fence(assert=0) failed\n" +
			"MPID_Win_fence(256): Wrong synchronization of RMA calls : Wrong synchronization of RMA calls",
			"Wrong synchronization of RMA calls"},
		{MPICH, 50, "Wrong synchronization of RMA calls : Wrong synchronization of RMA calls", "Wrong synchronization of RMA calls"},
		{Standard, 18, "pending", "MPI_ERR_PENDING: pending"},
		{"", 15, "message truncated", "message truncated"},
		{"", 15, "", ""},
	} {
		checktest.Equal(t, c.want, c.family.DescribeError(c.code, c.text), c.family, c.code, c.text)
	}
}

// TestMayFollowLoss: the loss of a process is no error of the arguments of a call.
func TestMayFollowLoss(t *testing.T) {
	for code, want := range map[int]bool{4: false, 14: false, 15: true, 16: true, 101: true} {
		checktest.Equal(t, want, MPICH.MayFollowLoss(code, "Failure during collective"), "class", code)
	}
	if MPICH.MayFollowLoss(15, "Too many communicators (0/2048 free on this process)") {
		t.Error("that there are no more communicators follows from a loss")
	}
}
