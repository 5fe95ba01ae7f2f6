package main

import (
	"bytes"
	"os"
	"testing"
)

func TestConstantsOfPackageMPIAreThoseOfTheTable(t *testing.T) {
	got, err := os.ReadFile("../../model/mpi/classes.go")
	want := bytes.NewBufferString(generatedLine(functionsTable))
	goClasses(want)
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Error("model/mpi/classes.go differs from the table: go generate ./model/mpi", err)
	}
}
