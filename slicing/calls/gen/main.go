// Command gen derives the roles of the arguments of all MPI functions from
// their prototypes: from the types, and from the parameter names of the MPI
// standard. Usage: gen MPI.tbl
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"laggard/model/mpi"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: gen MPI.tbl")
	}
	return os.WriteFile(args[0], derive(mpi.Functions()), 0o666)
}

const head = `# Made by go generate from the table of model/mpi: the role of each argument
# of the MPI functions. The letters are those of role.go.
`

// derive gives each function a line "name roles".
func derive(functions []*mpi.Function) []byte {
	out := bytes.NewBufferString(head)
	for _, f := range functions {
		roles := ""
		for _, p := range f.Params {
			roles += role(f.Class, f.Name, p.Type+" "+p.Name)
		}
		fmt.Fprintf(out, "%s %s\n", f.Name, roles+strings.Repeat("-", max(0, 1-len(roles))))
	}
	return out.Bytes()
}

// role is the letter for one parameter.
func role(class mpi.Class, function, param string) string {
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(param, w) {
				return true
			}
		}
		return false
	}
	pointer := has("*", "[")
	switch {
	case class == mpi.ClassInit, has("(", "_fn", "_function", "errhandler"),
		!pointer && has("MPI_Datatype", "MPI_Op ", "MPI_Info"):
		return "."
	case has("MPI_Status"):
		if has("const") || !waits(class) && strings.HasPrefix(function, "MPI_Get") {
			return "S"
		}
		return "s"
	case has("MPI_Request") && pointer:
		if waits(class) || starts[class] {
			return "Q"
		}
		return "q"
	case has("MPI_Message *"):
		if class == mpi.ClassMrecv || class == mpi.ClassImrecv {
			return "Q"
		}
		return "q"
	case has("const void *"):
		return "b"
	case has("void *"):
		return payload(class, function)
	case pointer && has("const"):
		return "a"
	case pointer:
		return "o"
	}
	return "v"
}

func waits(class mpi.Class) bool { return class.Completes() || class == mpi.ClassGetStatus }

// starts are the classes that read the requests that they are given.
var starts = map[mpi.Class]bool{
	mpi.ClassStart: true, mpi.ClassStartall: true, mpi.ClassCancel: true, mpi.ClassRequestFree: true,
}

// payload is the role of a buffer that is not constant: data arrive in it, or
// go out of it as well.
func payload(class mpi.Class, function string) string {
	switch {
	case strings.Contains(function, "cast"), strings.HasSuffix(function, "_replace"):
		return "x"
	case strings.Contains(class.String(), "coll"), strings.Contains(class.String(), "recv"),
		strings.HasPrefix(function, "MPI_Reduce_local"):
		return "r"
	case strings.Contains(function, "ead"), strings.HasPrefix(function, "MPI_Get"), strings.HasPrefix(function,
		"MPI_Rget"),
		strings.Contains(function, "etch"), strings.Contains(function, "ompare"):
		return "r"
	case strings.Contains(function, "get_attr"), strings.Contains(function, "alloc"), strings.Contains(function,
		"Alloc"):
		return "o"
	}
	return "."
}
