package backtrace

import (
	"strings"
	"testing"

	"laggard/model/mpi"
	"laggard/symbol"
)

// stackOf makes a stack of functions, innermost first; "mpi:f" is in the library.
func stackOf(functions ...string) []symbol.Location {
	var out []symbol.Location
	for _, f := range functions {
		l := symbol.Location{Module: "/home/user/app"}
		l.Function = f
		if inLibrary, ok := strings.CutPrefix(f, "mpi:"); ok {
			l.Module, l.Function = "/usr/lib/libmpi.so.40", inLibrary
		}
		out = append(out, l)
	}
	return out
}

func TestCallOf(t *testing.T) {
	for name, c := range map[string]struct {
		stack   []string
		call    string
		binding mpi.Binding
		caller  string
	}{
		"C": {[]string{"mpi:opal_progress", "mpi:PMPI_Allreduce", "step", "main"},
			"MPI_Allreduce", mpi.C, "step"},
		"Fortran": {[]string{"mpi:mca_pml_ob1_recv", "mpi:PMPI_Recv", "mpi:ompi_recv_f", "share",
			"main"}, "MPI_Recv", mpi.C, "share"},
		"mpif.h": {[]string{"mpi:PMPI_Recv", "mpi:pmpi_recv__", "share"}, "MPI_Recv",
			mpi.Fortran, "share"},
		"mpi_f08": {[]string{"mpi:PMPI_Recv", "mpi:pmpi_recv__", "mpi:mpi_recv_f08_", "share"},
			"MPI_Recv", mpi.Fortran08, "share"},
		"MPI within MPI": {[]string{"mpi:PMPI_Alltoall", "mpi:ADIOI_GEN_WriteStridedColl",
			"mpi:PMPI_File_write_at_all", "checkpoint"}, "MPI_File_write_at_all", mpi.C, "checkpoint"},
		"a tool in between": {[]string{"mpi:PMPI_Send", "MPI_Send", "push"}, "MPI_Send", mpi.C, "push"},
		"the program called back": {[]string{"mpi:PMPI_Recv", "my_op", "mpi:ompi_op_reduce", "mpi:PMPI_Reduce",
			"main"}, "MPI_Recv", mpi.C, "my_op"},
		"a jump to the inner one": {[]string{"mpi:ompi_mpi_finalize", "main"}, "MPI_Finalize", mpi.C, "main"},
		"no names in the library": {[]string{"mpi:", "mpi:", "work", "main"}, "MPI", mpi.C, "work"},
		"only the inner name": {[]string{"mpi:ompi_request_default_wait", "work", "main"},
			"ompi_request_default_wait", mpi.C, "work"},
		"a subroutine with the look": {[]string{"mpi_exchange_", "main"}, "", 0, ""},
		"computation":                {[]string{"cos", "work", "main"}, "", 0, ""},
		"capitals":                   {[]string{"MPI_BARRIER", "main"}, "MPI_Barrier", mpi.Fortran, "main"},
	} {
		got, ok := callOf(stackOf(c.stack...))
		if ok != (c.call != "") || ok && (got.name != c.call || got.binding != c.binding) {
			t.Errorf("%s: %+v, %t", name, got, ok)
			continue
		}
		if ok && stackOf(c.stack...)[got.frame+1].Function != c.caller {
			t.Errorf("%s: called by frame %d, want %s", name, got.frame+1, c.caller)
		}
	}
}
