package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"laggard/binary/cpython"
)

func TestLayoutsOfPackageCPythonAreThoseOfTheTable(t *testing.T) {
	layouts, err := parseCPython(cpython.Table)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../binary/cpython/layouts.go")
	want := bytes.NewBufferString(generatedLine(cpythonTable))
	layouts.golang(want)
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Error("binary/cpython/layouts.go differs from the table: go generate ./binary/cpython", err)
	}
}

func TestLayoutTableErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"member 3.8 three", "layouts.tbl:1: version"},
		{"member 3.8 3.9\nthreads 8", "layouts.tbl:2: want a value for each version"},
		{"# about\n\nmember 3.8\nthreads @x its threads", "layouts.tbl:4: offset"},
	} {
		if _, err := parseCPython(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}
