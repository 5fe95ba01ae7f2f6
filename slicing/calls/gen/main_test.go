package main

import (
	"bytes"
	"os"
	"testing"

	"laggard/model/mpi"
)

// TestTableIsCurrent: mpi.tbl is what the prototypes give.
func TestTableIsCurrent(t *testing.T) {
	got, err := os.ReadFile("../mpi.tbl")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, deriveRoles(mpi.Functions())) {
		t.Error("mpi.tbl is not what the table of model/mpi gives: go generate ./slicing/calls")
	}
}
