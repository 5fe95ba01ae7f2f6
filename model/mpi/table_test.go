package mpi

import (
	"slices"
	"testing"

	"laggard/internal/checktest"
)

func TestTableIsWhole(t *testing.T) {
	table, err := parseTable(text)
	if err != nil || len(table.functions) < 600 {
		t.Fatal(table, err)
	}
	seen := map[string]bool{}
	for _, f := range table.functions {
		if seen[f.Name] {
			t.Errorf("%s stands there twice", f.Name)
		}
		seen[f.Name] = true
	}
	for _, f := range table.functions { // the recorder relies on it
		if n := len(f.Params); f.Class == ClassNewtype && (n == 0 || f.Params[n-1].Type != "MPI_Datatype *") {
			t.Errorf("%s does not end with the datatype that it makes", f.Name)
		}
	}
	send := FindFunction("MPI_Sendrecv")
	if send == nil || len(send.Params) != 12 || send.Params[0].Type != "const void *" ||
		send.Params[0].Name != "sendbuf" || send.Params[11].Type != "MPI_Status *" {
		t.Errorf("MPI_Sendrecv is %+v", send)
	}
}

// A form of a function takes null handles where that does, and where its own line says so.
func TestNullHandles(t *testing.T) {
	for _, c := range []struct {
		function, parameter string
		want                bool
	}{
		{"MPI_Alltoallw", "sendtypes", true}, {"MPI_Alltoallw_init_c", "recvtypes", true}, {"MPI_Alltoallw_init_c", "info", true},
		{"MPI_Alltoallw", "comm", false}, {"MPI_Alltoall", "sendtype", false}, {"MPI_Info_set", "info", false},
		{"MPI_Comm_get_name", "comm", true}, {"MPI_Comm_set_errhandler", "errhandler", false},
	} {
		f := FindFunction(c.function)
		i := slices.IndexFunc(f.Params, func(p Param) bool { return p.Name == c.parameter })
		if i < 0 || f.Params[i].MayBeNull != c.want {
			t.Errorf("%s: %s may be null: want %v", c.function, c.parameter, c.want)
		}
	}
}

// TestGives: forms of a function give what it gives.
func TestGives(t *testing.T) {
	for name, want := range map[string]Gives{"MPI_Allreduce": GivesAlike, "MPI_Iallreduce": GivesAlike, "MPI_Bcast_init_c": GivesAlike,
		"MPI_Comm_rank": GivesOwn, "MPI_Wtime": GivesOwn, "MPI_Comm_size": GivesAlike,
		"MPI_Reduce": GivesUnknown, "MPI_Recv": GivesUnknown} {
		checktest.Equal(t, want, FindFunction(name).Gives, name, "gives")
	}
}

func TestBadLinesAreRefused(t *testing.T) {
	for _, line := range []string{
		"send - - int MPI_Send", "send - - int MPI_Send(int)", "MPI_Send(int a)", "send int MPI_Send(int a)", "send - int MPI_Send(int a)",
		"send slow - int MPI_Send(int a)",
		"send gives:luck - int MPI_Send(int a)", "send gives: - int MPI_Send(int a)",
		"send null:b - int MPI_Send(int a)", "send - luck int MPI_Send(int a)", "isend =MPI_Send - int MPI_Isend(int a)",
		"send - - int MPI_A(int a)\nisend =MPI_A - int MPI_B(int a)\nisend =MPI_B - int MPI_C(int a)",
	} {
		if _, err := parseTable("# head\n" + line + "\n"); err == nil {
			t.Errorf("%q is taken", line)
		}
	}
}
