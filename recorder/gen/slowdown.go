package main

import (
	"bytes"
	"fmt"

	"laggard/model/mpi"
)

// writeSlowdownFunctions lists what the libraries in injector/slowdown define: the C functions in which a rank may wait, and
// which of them send messages at once. By the others, and by that which begins MPI, the recorder tells what kind of MPI it has.
func writeSlowdownFunctions(b *bytes.Buffer, functions []*mpi.Function) {
	for _, f := range functions {
		local := f.InClass(mpi.ClassLight, mpi.ClassLocal, mpi.ClassNewtype, mpi.ClassTypeCommit, mpi.ClassOther, mpi.ClassInit,
			mpi.ClassSessionInit)
		if f.Return != "int" || local {
			continue
		}
		sends := f.HasTrait(mpi.Sends) && !f.Class.IsPersistent() && !f.OnFile() && !f.OnWindow()
		fmt.Fprintf(b, "FUNCTION(%s, %t, (%s), (%s))\n", f.Name, sends,
			joinNumbered(len(f.Params), "long a%d", "void"), joinNumbered(len(f.Params), "a%d", ""))
	}
}
