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
	send := Find("MPI_Sendrecv")
	if send == nil || len(send.Params) != 12 || send.Params[0].Type != "const void *" ||
		send.Params[0].Name != "sendbuf" || send.Params[11].Type != "MPI_Status *" {
		t.Errorf("MPI_Sendrecv is %+v", send)
	}
}

func TestBadLinesAreTold(t *testing.T) {
	for _, line := range []string{"send int MPI_Send", "send int MPI_Send(int)", "MPI_Send(int a)"} {
		if _, err := parseTable("# head\n" + line + "\n"); err == nil {
			t.Errorf("%q is taken", line)
		}
	}
}
