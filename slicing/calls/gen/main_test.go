package main

import (
	"bytes"
	"os"
	"testing"
)

// TestTableIsCurrent: mpi.tbl is what the prototypes give.
func TestTableIsCurrent(t *testing.T) {
	prototypes, err := os.ReadFile("../../../recorder/functions.tbl")
	if err != nil {
		t.Fatal(err)
	}
	want, err := derive(prototypes)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../mpi.tbl")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("mpi.tbl is not what recorder/functions.tbl gives: go generate ./slicing/calls")
	}
}

func TestDeriveRefuses(t *testing.T) {
	for _, bad := range []string{"send int MPI_Send", "send MPI_Send(int x)", "x )("} {
		if out, err := derive([]byte(bad)); err == nil {
			t.Errorf("%q: %s", bad, out)
		}
	}
}
