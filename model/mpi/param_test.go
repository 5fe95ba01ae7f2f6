package mpi

import (
	"testing"

	"laggard/internal/checktest"
)

func TestEveryParameterHasAKind(t *testing.T) {
	for _, f := range Functions() {
		for _, p := range f.Params {
			if p.Kind == 0 || p.Kind.String() == "kind?" || p.Dir == 0 {
				t.Errorf("%s: parameter %s %s has kind %v, direction %d", f.Name, p.Type, p.Name, p.Kind, p.Dir)
			}
			if by := p.Len.By; by < 0 || by >= len(f.Params) {
				t.Errorf("%s: the length of %s refers to parameter %d", f.Name, p.Name, by)
			} else if (p.Len.Kind == ByParam || p.Len.Kind == Triples) &&
				(f.Params[by].Kind > Offset || f.Params[by].IsArray()) {
				t.Errorf("%s: the length of %s is %s, which is no number", f.Name, p.Name, f.Params[by].Name)
			} else if (p.Len.Kind == SumOf || p.Len.Kind == LastOf) && !f.Params[by].IsArray() {
				t.Errorf("%s: the length of %s is made of %s, which is no array", f.Name, p.Name, f.Params[by].Name)
			}
			if f.Class != ClassLight && p.IsArray() && p.Len.Kind == Unrecorded && p.Kind < Buffer &&
				!unrecorded[f.Name+" "+p.Name] {
				t.Errorf("%s: nothing says how long %s is", f.Name, p.Name)
			}
		}
	}
}

// unrecorded are arrays of numbers that are left out.
var unrecorded = map[string]bool{
	"MPI_Comm_spawn array_of_errcodes": true, "MPI_Comm_spawn_multiple array_of_errcodes": true,
	"MPI_Comm_spawn_multiple array_of_maxprocs": true, "MPI_Comm_spawn_multiple array_of_info": true,
	"MPI_Type_get_contents array_of_integers": true, "MPI_Type_get_contents array_of_addresses": true,
	"MPI_Type_get_contents_c array_of_integers": true, "MPI_Type_get_contents_c array_of_addresses": true,
	"MPI_Type_get_contents_c array_of_large_counts": true,
}

func TestParameters(t *testing.T) {
	tests := []struct {
		function, param string
		kind            Kind
		dir             Direction
		ref             bool
		length          LengthKind
		by              string
		only            Condition
	}{
		{"MPI_Send", "buf", Buffer, In, false, One, "buf", Always},
		{"MPI_Send", "dest", Rank, In, false, One, "buf", Always},
		{"MPI_Recv", "buf", Buffer, Out, false, One, "buf", Always},
		{"MPI_Recv", "status", Status, Out, true, One, "buf", Always},
		{"MPI_Send_c", "count", Count, In, false, One, "buf", Always},
		{"MPI_Isend", "request", Request, Out, true, One, "buf", Always},
		{"MPI_Wait", "request", Request, InOut, true, One, "request", Always},
		{"MPI_Waitall", "array_of_statuses", Status, Out, true, ByParam, "count", Always},
		{"MPI_Waitsome", "array_of_indices", Index, Out, true, ByParam, "outcount", Always},
		{"MPI_Waitsome", "array_of_requests", Request, InOut, true, ByParam, "incount", Always},
		{"MPI_Waitany", "indx", Index, Out, true, One, "count", Always},
		{"MPI_Graph_create", "indx", Int, In, true, ByParam, "nnodes", Always},
		{"MPI_Graph_create", "edges", Int, In, true, LastOf, "indx", Always},
		{"MPI_Gatherv", "displs", Int, In, true, GroupSize, "root", AtRoot},
		{"MPI_Scatterv", "sendcounts", Int, In, true, GroupSize, "root", AtRoot},
		{"MPI_Allgatherv", "recvcounts", Int, In, true, GroupSize, "sendbuf", Always},
		{"MPI_Alltoallw", "sendtypes", Datatype, In, true, GroupSize, "sendbuf", UnlessInPlace},
		{"MPI_Ineighbor_alltoallw", "rdispls", Aint, In, true, Sources, "sendbuf", Always},
		{"MPI_Neighbor_alltoallv", "sendcounts", Int, In, true, Destinations, "sendbuf", Always},
		{"MPI_Reduce_scatter", "recvcounts", Int, In, true, LocalSize, "sendbuf", Always},
		{"MPI_Type_free", "datatype", Datatype, InOut, true, One, "datatype", Always},
		{"MPI_Type_commit", "datatype", Datatype, InOut, true, One, "datatype", Always},
		{"MPI_Type_struct", "array_of_displacements", Aint, In, true, ByParam, "count", Always},
		{"MPI_Comm_free_keyval", "comm_keyval", Int, InOut, true, One, "comm_keyval", Always},
		{"MPI_Cart_create", "periods", Logical, In, true, ByParam, "ndims", Always},
		{"MPI_Cart_get", "periods", Logical, Out, true, ByParam, "maxdims", Always},
		{"MPI_Cart_sub", "remain_dims", Logical, In, true, Dims, "comm", Always},
		{"MPI_Cart_shift", "rank_dest", Rank, Out, true, One, "comm", Always},
		{"MPI_Group_range_incl", "ranges", Int, In, true, Triples, "n", Always},
		{"MPI_Dist_graph_create", "destinations", Int, In, true, SumOf, "degrees", Always},
		{"MPI_Dist_graph_create", "weights", Other, In, false, Unrecorded, "comm_old", Always},
		{"MPI_Pack", "position", Int, InOut, true, One, "inbuf", Always},
		{"MPI_Bcast", "buffer", Buffer, InOut, false, One, "buffer", Always},
		{"MPI_Win_allocate", "baseptr", Pointer, Out, false, One, "size", Always},
		{"MPI_Mrecv", "message", Message, InOut, true, One, "buf", Always},
		{"MPI_Imrecv", "message", Message, InOut, true, One, "buf", Always},
		{"MPI_Imrecv", "request", Request, Out, true, One, "buf", Always},
		{"MPIX_Gatherv_init", "displs", Int, In, true, GroupSize, "root", AtRoot},
		{"MPI_Op_create", "user_fn", Callback, In, false, One, "user_fn", Always},
		{"MPI_Get_count", "status", Status, In, true, One, "status", Always},
		{"MPI_Info_set", "key", String, In, false, One, "info", Always},
		{"MPI_Type_get_contents", "array_of_datatypes", Datatype, Out, true, Contents, "datatype", Always},
	}
	for _, test := range tests {
		f := FindFunction(test.function)
		if f == nil || f.ParamIndex(test.param) < 0 {
			t.Errorf("%s has no %s", test.function, test.param)
			continue
		}
		p := f.Params[f.ParamIndex(test.param)]
		want := Length{Kind: test.length, By: f.ParamIndex(test.by), Only: test.only}
		if p.Kind != test.kind || p.Dir != test.dir || p.Ref != test.ref || p.Len != want {
			t.Errorf("%s, %s: %v direction %d, by pointer %v, length %+v; want %v %d %v %+v",
				test.function, test.param, p.Kind, p.Dir, p.Ref, p.Len, test.kind, test.dir, test.ref, want)
		}
	}
}

// TestFortranInts: the addresses of MPI-1 are INTEGER in Fortran, those of later
// functions are not.
func TestFortranInts(t *testing.T) {
	for name, want := range map[string]bool{"MPI_Type_hvector": true, "MPI_Type_create_hvector": false} {
		f := FindFunction(name)
		checktest.Equal(t, want, f.Params[f.ParamIndex("stride")].FortranInt, name, "stride is an INTEGER in Fortran")
	}
}
