package facts

import "testing"

// TestErrorText: of what MPI says, the first line and what says most.
func TestErrorText(t *testing.T) {
	for text, want := range map[string]string{
		"MPI_ERR_TRUNCATE: message truncated": "MPI_ERR_TRUNCATE: message truncated",
		"Message truncated, error stack:\nPMPI_Recv(173): MPI_Recv(buf=0x7ffc, count=1, MPI_INT, src=1, tag=5) failed\n" +
			"MPIDIG_recv(229): Message from rank 1 and tag 5 truncated; 256 bytes received but buffer size is 4\n": "Message truncated: " +
			"Message from rank 1 and tag 5 truncated; 256 bytes received but buffer size is 4",
		"Invalid tag, error stack:\ninternal_Send(115): MPI_Send(count=1) failed\n" +
			"internal_Send(63)..: Invalid tag, value is -5": "Invalid tag, value is -5",
		"": "",
	} {
		if got := ErrorText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
