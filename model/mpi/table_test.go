package mpi

import "testing"

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
	send := FindFunction("MPI_Sendrecv")
	if send == nil || len(send.Params) != 12 || send.Params[0].Type != "const void *" ||
		send.Params[0].Name != "sendbuf" || send.Params[11].Type != "MPI_Status *" {
		t.Errorf("MPI_Sendrecv is %+v", send)
	}
}

func TestBadLinesAreRefused(t *testing.T) {
	for _, line := range []string{
		"send - - int MPI_Send", "send - - int MPI_Send(int)", "MPI_Send(int a)", "send int MPI_Send(int a)", "send - int MPI_Send(int a)",
		"send slow - int MPI_Send(int a)", "send - luck int MPI_Send(int a)", "isend =MPI_Send - int MPI_Isend(int a)",
		"send - - int MPI_A(int a)\nisend =MPI_A - int MPI_B(int a)\nisend =MPI_B - int MPI_C(int a)",
	} {
		if _, err := parseTable("# head\n" + line + "\n"); err == nil {
			t.Errorf("%q is taken", line)
		}
	}
}
