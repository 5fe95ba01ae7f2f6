package main

import (
	"bytes"
	"os"
	"testing"

	"laggard/binary/cpython"
	"laggard/internal/musttest"
)

func TestOffsetsOfPackageCPythonAreThoseOfTheTable(t *testing.T) {
	got := musttest.Get(os.ReadFile("../../binary/cpython/offsets.go"))(t)
	want := bytes.NewBufferString(generatedLine(cpythonTable))
	writeCPythonOffsets(want, musttest.Get(cpython.ParseTable(cpython.Text))(t))
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("binary/cpython/offsets.go differs from the table: go generate ./binary/cpython")
	}
}
