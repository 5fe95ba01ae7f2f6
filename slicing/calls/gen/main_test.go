package main

import (
	"bytes"
	"os"
	"testing"

	"laggard/internal/musttest"
	"laggard/model/mpi"
)

// TestTableIsCurrent: mpi.tbl is what the prototypes give.
func TestTableIsCurrent(t *testing.T) {
	got := musttest.Get(os.ReadFile("../mpi.tbl"))(t)
	if !bytes.Equal(got, deriveRoles(mpi.Functions())) {
		t.Error("mpi.tbl is not what the table of model/mpi gives: go generate ./slicing/calls")
	}
}
