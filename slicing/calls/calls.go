package calls

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed mpi.tbl
var mpiTable string

//go:embed libc.tbl
var libcTable string

// Model is what a function does with its arguments.
type Model struct {
	Name string // such as "MPI_Recv", for every binding of it
	// ByReference: all arguments are addresses, as in Fortran, and an error
	// code comes behind those of C.
	ByReference bool
	Result      bool // what it returns depends on what it reads
	First       bool // it returns its first argument
	NoReturn    bool
	Throws      bool // it may throw an exception that the program may expect
	MPI         bool
	roles       string
	more        bool // the last role is for all further arguments
}

// tables are what is known of functions, read when the first one is asked for.
var tables = sync.OnceValue(parse)

type known struct {
	byName  map[string]Model
	byLower map[string]Model // of MPI, by the name in lower case
	wild    []Model          // those with a % in their name, which come after
}

func parse() known {
	out := known{byName: map[string]Model{}, byLower: map[string]Model{}}
	for i, table := range []string{mpiTable, libcTable} {
		for _, line := range strings.Split(table, "\n") {
			name, roles, ok := strings.Cut(line, " ")
			if !ok || strings.HasPrefix(name, "#") {
				continue
			}
			m := Model{Name: name, MPI: i == 0}
			m.roles = strings.TrimRight(roles, "=&!*^")
			flags := roles[len(m.roles):]
			m.Result, m.NoReturn = strings.Contains(flags, "="), strings.Contains(flags, "!")
			m.First, m.Throws = strings.Contains(flags, "&"), strings.Contains(flags, "^")
			m.more = strings.Contains(flags, "*")
			if strings.Contains(name, "%") {
				out.wild = append(out.wild, m)
				continue
			}
			out.byName[name] = m
			if m.MPI {
				out.byLower[strings.ToLower(name)] = m
			}
		}
	}
	return out
}

// Lookup finds the model of a function by its linker name: of the C binding,
// of its PMPI entry, or of one of the Fortran bindings. C library functions are
// also found under the names of their checked forms.
func Lookup(linker string) (Model, bool) {
	name, _, _ := strings.Cut(linker, "@")
	if rest, ok := strings.CutPrefix(name, "PMPI"); ok {
		name = "MPI" + rest
	}
	if m, ok := tables().byName[name]; ok {
		return m, true
	}
	if m, ok := fortran(name); ok {
		return m, true
	}
	plain := strings.TrimSuffix(strings.TrimLeft(name, "_"), "_chk")
	for _, prefix := range []string{"isoc99_", "isoc23_", "GI_", "libc_"} {
		plain = strings.TrimPrefix(plain, prefix)
	}
	if m, ok := tables().byName[plain]; ok && !m.MPI && (plain != name) {
		return checked(m, strings.HasSuffix(name, "_chk")), true
	}
	for _, m := range tables().wild {
		if matches(m.Name, name) {
			return m, true
		}
	}
	return Model{}, false
}

// checked is the form with the sizes of objects, which differ in where the
// further arguments stand.
func checked(m Model, chk bool) Model {
	if chk && strings.Contains(m.Name, "printf") {
		m.roles = map[string]string{"snprintf": "wvvvcv", "vsnprintf": "wvvvcv", "sprintf": "wvvcv",
			"vsprintf": "wvvcv"}[m.Name]
		if m.roles == "" {
			m.roles = "."
		}
		m.more = true
	}
	return m
}

// matches compares a name with a pattern in which % stands for anything.
func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "%")
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	for i, part := range parts[1:] {
		if last := i == len(parts)-2; last {
			return strings.HasSuffix(name, part)
		}
		at := strings.Index(name, part)
		if at < 0 {
			return false
		}
		name = name[at+len(part):]
	}
	return name == ""
}

func fortran(name string) (Model, bool) {
	lower := strings.TrimRight(strings.ToLower(name), "_")
	for _, suffix := range []string{"_f08ts", "_f08", ""} {
		base, ok := strings.CutSuffix(lower, suffix)
		if !ok {
			continue
		}
		if rest, ok := strings.CutPrefix(base, "pmpi"); ok {
			base = "mpi" + rest
		}
		if m, ok := tables().byLower[base]; ok {
			m.ByReference = true
			m.roles += string(Out)
			return m, true
		}
	}
	return Model{}, false
}

// Args is the number of arguments that the model has a role for.
func (m Model) Args() int { return len(strings.Trim(m.roles, string(NoArg))) }

// Role is that of argument i, from 0.
func (m Model) Role(i int) Role {
	switch {
	case i < 0 || m.roles == "":
		return NoArg
	case i < len(m.roles):
		return Role(m.roles[i])
	case m.more:
		return Role(m.roles[len(m.roles)-1])
	}
	return NoArg
}

// Allocates tells whether the result is a new object on the heap.
func (m Model) Allocates() bool {
	return strings.HasSuffix(m.Name, "alloc") || strings.HasPrefix(m.Name, "_Zn") ||
		strings.HasSuffix(m.Name, "memalign") || strings.HasSuffix(m.Name, "dup") ||
		m.Name == "__cxa_allocate_exception"
}

// Moves tells whether the result is the object of the first argument, wherever it is now.
func (m Model) Moves() bool { return strings.HasPrefix(m.Name, "realloc") }

// Throws tells whether a function of which nothing but the linker name is known may throw an
// exception that a program may expect. Those of C do not, nor destructors; of the standard
// library of C++ only some do.
func Throws(linker string) bool {
	if m, ok := Lookup(linker); ok {
		return m.Throws
	}
	for _, prefix := range []string{"_ZNS", "_ZNKS", "_ZS"} {
		if strings.HasPrefix(linker, prefix) {
			return strings.Contains(linker, "6substrE") || strings.Contains(linker, "2atE")
		}
	}
	name := strings.TrimRight(linker, "v")
	return strings.HasPrefix(linker, "_Z") && !strings.HasPrefix(linker, "_Zd") &&
		!slices.ContainsFunc([]string{"D0E", "D1E", "D2E"}, func(d string) bool { return strings.HasSuffix(name, d) })
}

// Communicates tells whether what an MPI call does, or when it is done, depends
// on other ranks.
func (m Model) Communicates() bool {
	if !m.MPI {
		return false
	}
	if strings.ContainsAny(m.roles, string(RecvData)+string(SendData)+string(BothData)+string(Request)) {
		return true
	}
	for _, part := range []string{"robe", "arrier", "ence", "Test", "Wait"} {
		if strings.Contains(m.Name, part) {
			return true
		}
	}
	return false
}

// Variadic tells whether further arguments have the last one's role.
func (m Model) Variadic() bool { return m.more }

// Receives tells whether data of other ranks come in through it.
func (m Model) Receives() bool {
	return m.MPI && strings.ContainsAny(m.roles, string(RecvData)+string(BothData))
}

// Delivers tells whether what a rank sends through the MPI function send may
// be what another one gets from the function recv.
func Delivers(send, recv string) bool {
	s, r := family(send), family(recv)
	if s == "send" || r == "recv" {
		return (s == "send" || s == "sendrecv") && (r == "recv" || r == "sendrecv")
	}
	return s == r && s != ""
}

// family is what calls that can match have in common.
func family(name string) string {
	m, ok := Lookup(name)
	if !ok || !m.MPI || !strings.ContainsAny(m.roles, "brx") {
		return ""
	}
	n := strings.TrimPrefix(strings.ToLower(m.Name), "mpi_")
	for _, suffix := range []string{"_c", "_init"} {
		n = strings.TrimSuffix(n, suffix)
	}
	switch {
	case strings.Contains(n, "sendrecv"):
		return "sendrecv"
	case strings.HasSuffix(n, "send"):
		return "send"
	case strings.HasSuffix(n, "recv"):
		return "recv"
	}
	if collective := strings.TrimPrefix(n, "i"); slices.Contains(collectives, collective) {
		return collective
	}
	return n
}

// collectives have a form with an i before their name.
var collectives = []string{
	"allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "bcast", "exscan", "gather",
	"gatherv",
	"reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter", "scatterv",
	"neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw",
}

// PointToPoint tells whether a function sends to or receives from one peer.
func PointToPoint(name string) bool {
	switch family(name) {
	case "send", "recv", "sendrecv":
		return true
	}
	return false
}

// Tag is the number of the argument that holds the tag of what a function
// sends, or of what it receives, -1 if there is none.
func Tag(name string, sent bool) int {
	switch n := strings.ToLower(name); family(name) {
	case "send", "recv":
		if !strings.Contains(n, "mrecv") && !strings.HasPrefix(n, "mpi_p") {
			return 4
		}
	case "sendrecv":
		switch replaces := strings.Contains(n, "replace"); {
		case replaces && sent:
			return 4
		case replaces:
			return 6
		case sent:
			return 4
		}
		return 9
	}
	return -1
}

// Sends tells whether data of this rank go out through an MPI function.
func Sends(name string) bool {
	m, ok := Lookup(name)
	return ok && m.MPI && family(name) != "" && strings.ContainsAny(m.roles, string(SendData)+string(BothData))
}
