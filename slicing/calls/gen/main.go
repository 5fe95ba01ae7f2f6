// Command gen derives the roles of the arguments of all MPI functions from
// their prototypes: from the types, and from the parameter names of the MPI
// standard. Usage: gen MPI.tbl
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"laggard/model/mpi"
)

func main() {
	if err := writeTable(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func writeTable(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: gen MPI.tbl")
	}
	return os.WriteFile(args[0], deriveRoles(mpi.Functions()), 0o666)
}

const head = `# Made by go generate from the table of model/mpi: the role of each argument
# of the MPI functions. The letters are those of role.go.
`

// deriveRoles gives each function a line "name roles".
func deriveRoles(functions []*mpi.Function) []byte {
	out := bytes.NewBufferString(head)
	for _, f := range functions {
		roles := ""
		for _, p := range f.Params {
			roles += roleLetter(f, &p)
		}
		fmt.Fprintf(out, "%s %s\n", f.Name, roles+strings.Repeat("-", max(0, 1-len(roles))))
	}
	return out.Bytes()
}

// roleLetter is the letter for one parameter.
func roleLetter(f *mpi.Function, p *mpi.Param) string {
	param := p.Type + " " + p.Name
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(param, w) })
	}
	pointer := has("*", "[")
	switch {
	case f.Class == mpi.ClassInit, has("(", "_fn", "_function", "errhandler"),
		!pointer && has("MPI_Datatype", "MPI_Op ", "MPI_Info"):
		return "."
	case has("MPI_Status"):
		if has("const") || !isCompletion(f.Class) && strings.HasPrefix(f.Name, "MPI_Get") {
			return "S"
		}
		return "s"
	case has("MPI_Request") && pointer:
		if isCompletion(f.Class) || f.Class.StartsRequests() || f.InClass(mpi.ClassCancel, mpi.ClassRequestFree) {
			return "Q"
		}
		return "q"
	case has("MPI_Message *"):
		if f.InClass(mpi.ClassMrecv, mpi.ClassImrecv) {
			return "Q"
		}
		return "q"
	case has("const void *"):
		return "b"
	case has("void *"):
		return payloadRole(f, p)
	case pointer && has("const"):
		return "a"
	case pointer:
		return "o"
	}
	return "v"
}

func isCompletion(class mpi.Class) bool {
	return class.CompletesRequests() || class == mpi.ClassGetStatus
}

// payloadRole is the role of memory that is not constant: data arrive in it, or go out
// of it as well, or MPI puts an address there.
func payloadRole(f *mpi.Function, p *mpi.Param) string {
	switch {
	case p.Kind == mpi.Buffer && p.Dir == mpi.Out, f.InClass(mpi.ClassLocal) && p.Name == "inoutbuf":
		return "r"
	case p.Kind == mpi.Buffer && f.HasTrait(mpi.Sends):
		return "x"
	case p.Kind == mpi.Pointer, p.Name == "attribute_val" && f.ParamIndex("flag") >= 0:
		return "o"
	}
	return "."
}
