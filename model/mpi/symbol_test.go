package mpi

import (
	"testing"

	"laggard/internal/checktest"
)

func TestFindSymbol(t *testing.T) {
	for _, c := range []struct {
		name, want string
		binding    Binding
		profiling  bool
	}{
		{"MPI_Send", "MPI_Send", C, false},
		{"PMPI_Send", "MPI_Send", C, true},
		{"MPI_Send_c", "MPI_Send_c", C, false},
		{"MPIX_Bcast_init", "MPIX_Bcast_init", C, false},
		{"mpi_send", "MPI_Send", Fortran, false},
		{"mpi_send_", "MPI_Send", Fortran, false},
		{"mpi_send__", "MPI_Send", Fortran, false},
		{"MPI_SEND", "MPI_Send", Fortran, false},
		{"pmpi_comm_split_", "MPI_Comm_split", Fortran, true},
		{"mpi_send_f08_", "MPI_Send", Fortran08, false},
		{"mpi_send_f08ts_", "MPI_Send", Fortran08, false},
		{"mpi_bcast_f08ts_large_", "MPI_Bcast", Fortran08, false},
		{"mpi_win_allocate_cptr_", "MPI_Win_allocate", Fortran, false},
		{"PMPI_ALLOC_MEM_CPTR", "MPI_Alloc_mem", Fortran, true},
		{"mpi_exchange", "", 0, false},
		{"MPI_Exchange", "", 0, false},
		{"send_", "", 0, false},
		{"", "", 0, false},
		{"p", "", 0, false},
	} {
		s, ok := FindSymbol(c.name)
		checktest.Equal(t, c.want != "", ok, c.name, "found")
		if ok && (s.Name != c.want || s.Binding != c.binding || s.Profiling != c.profiling) {
			t.Errorf("%q is %s, binding %d, profiling %v; want %+v", c.name, s.Name, s.Binding, s.Profiling, c)
		}
	}
}

// TestEveryFortranName: the name of each function in lower case stands for it.
func TestEveryFortranName(t *testing.T) {
	for _, f := range Functions() {
		if s, ok := FindSymbol("P" + f.Name); !ok || s.Function != f || !s.Profiling {
			t.Errorf("P%s is %+v", f.Name, s)
		}
	}
}

// TestOperations: what is true of the forms of one function.
func TestOperations(t *testing.T) {
	for _, c := range []struct {
		name, operation string
		traits          Trait
	}{
		{"MPI_Ibcast", "MPI_Bcast", SendsOne | FromRoot | AlikeSent},
		{"MPIX_Bcast_init", "MPI_Bcast", SendsOne | FromRoot | AlikeSent},
		{"MPI_Issend", "MPI_Ssend", SendsOne | Synchronous},
		{"MPI_Irsend_c", "MPI_Rsend", SendsOne | Ready | Large},
		{"MPI_Bsend_init", "MPI_Bsend", SendsOne | Buffered},
		{"MPI_Irecv", "MPI_Recv", 0},
		{"MPI_Rget", "MPI_Get", 0},
		{"MPI_File_read_all_begin", "MPI_File_read_all", Begins | Reads},
		{"MPI_File_write_ordered_end", "MPI_File_write_ordered", Ends | Writes | SharedPointer},
		{"MPI_Comm_idup", "MPI_Comm_dup", Synchronises | SameMembers},
		{"MPI_Ireduce_scatter_block_c", "MPI_Reduce_scatter_block", SendsBlocks | Same | Local | AlikeSent | Synchronises | Large},
	} {
		f := FindFunction(c.name)
		if f.Operation.Name != c.operation || f.Traits != c.traits {
			t.Errorf("%s: %s, %s; want %s, %s", c.name, f.Operation.Name, f.Traits, c.operation, c.traits)
		}
	}
	for _, f := range Functions() {
		if n := f.Narrow; n.HasTrait(Large) || n.Operation != f.Operation || n.Class != f.Class {
			t.Errorf("%s with int counts is %s", f.Name, n.Name)
		}
		if o := f.Operation; o.Operation != o || o.HasTrait(Begins|Ends|Large) || f.Traits&o.Traits != o.Traits {
			t.Errorf("%s is a form of %s, which has the traits %s", f.Name, o.Name, o.Traits)
		}
	}
}

// TestCollectiveOn: which members must all make a call.
func TestCollectiveOn(t *testing.T) {
	for name, want := range map[string]Kind{
		"MPI_Barrier": Comm, "MPI_Comm_idup": Comm, "MPIX_Stream_comm_create": Comm, "MPI_Win_create": Comm,
		"MPI_Win_fence": Win, "MPI_File_read_all": File, "MPI_Send": 0, "MPI_Comm_create_from_group": 0,
	} {
		checktest.Equal(t, want, FindFunction(name).CollectiveOn(), name, "is a collective on")
	}
}
