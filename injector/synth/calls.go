package synth

import "strings"

// name returns the name of an MPI function in lower case, without its prefix.
func name(call string) string { return strings.TrimPrefix(strings.ToLower(call), "mpi_") }

// collective tells whether all ranks of a communicator must begin the call
// before any of them returns from it.
func collective(call string) bool {
	switch name(call) {
	case "barrier", "allreduce", "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw",
		"reduce_scatter", "reduce_scatter_block":
		return true
	}
	return false
}

// receives tells whether the call waits for a message.
func receives(call string) bool {
	switch name(call) {
	case "recv", "mrecv", "probe", "mprobe", "wait", "waitall", "sendrecv", "sendrecv_replace":
		return true
	}
	return false
}

// ends tells whether the call ends MPI.
func ends(call string) bool { return name(call) == "finalize" }
