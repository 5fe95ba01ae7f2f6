package calls

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"laggard/model/mpi"
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
	ByReference  bool
	Result       bool // what it returns depends on what it reads
	ReturnsFirst bool // it returns its first argument
	NoReturn     bool
	Throws       bool // it may throw an exception that the program may expect
	Own          bool // what it gives is the process's own: its number, host or time
	Outside      bool // what it gives comes from files, devices, the environment or other threads
	MPI          bool
	function     *mpi.Function // of MPI; nil for any other
	roles        string
	more         bool // the last role is for all further arguments
}

// tables are what is known of functions, read when the first one is asked for.
var tables = sync.OnceValue(parseTables)

type known struct {
	byName map[string]Model
	wild   []Model // those with a % in their name, which come after
}

func parseTables() known {
	out := known{byName: map[string]Model{}}
	for i, table := range []string{mpiTable, libcTable} {
		for _, line := range strings.Split(table, "\n") {
			name, roles, ok := strings.Cut(line, " ")
			if !ok || strings.HasPrefix(name, "#") {
				continue
			}
			m := Model{Name: name, MPI: i == 0}
			if m.MPI {
				m.function = mpi.FindFunction(name)
			}
			m.roles = strings.TrimRight(roles, "=&!*^~?")
			flags := roles[len(m.roles):]
			m.Result, m.NoReturn = strings.Contains(flags, "="), strings.Contains(flags, "!")
			m.ReturnsFirst, m.Throws = strings.Contains(flags, "&"), strings.Contains(flags, "^")
			m.more = strings.Contains(flags, "*")
			m.Own, m.Outside = strings.Contains(flags, "~"), strings.Contains(flags, "?")
			if strings.Contains(name, "%") {
				out.wild = append(out.wild, m)
				continue
			}
			out.byName[name] = m
		}
	}
	return out
}

// Lookup finds the model of a function by its linker name: of the C binding,
// of its PMPI entry, or of one of the Fortran bindings. C library functions are
// also found under the names of their checked forms.
func Lookup(linker string) (Model, bool) {
	name, _, _ := strings.Cut(linker, "@")
	if f, ok := mpi.FindSymbol(name); ok {
		return mpiModel(f), true
	}
	if m, ok := tables().byName[name]; ok {
		return m, true
	}
	plain := strings.TrimSuffix(strings.TrimLeft(name, "_"), "_chk")
	for _, prefix := range []string{"isoc99_", "isoc23_", "GI_", "libc_"} {
		plain = strings.TrimPrefix(plain, prefix)
	}
	if m, ok := tables().byName[plain]; ok && !m.MPI && (plain != name) {
		return fortifiedModel(m, strings.HasSuffix(name, "_chk")), true
	}
	for _, m := range tables().wild {
		if matchesPattern(m.Name, name) {
			return m, true
		}
	}
	return Model{}, false
}

// fortifiedModel is the form with the sizes of objects, which differ in where the
// further arguments stand.
func fortifiedModel(m Model, chk bool) Model {
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

// matchesPattern compares a name with a pattern in which % stands for anything.
func matchesPattern(pattern, name string) bool {
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

// mpiModel is the model of an MPI function in one of its bindings.
func mpiModel(f mpi.Symbol) Model {
	m := tables().byName[f.Name]
	if f.Binding != mpi.C {
		m.ByReference = true
		m.roles += string(Out)
	}
	return m
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

// Allocates reports whether the result is a new object on the heap.
func (m Model) Allocates() bool {
	return strings.HasSuffix(m.Name, "alloc") || strings.HasPrefix(m.Name, "_Zn") ||
		strings.HasSuffix(m.Name, "memalign") || strings.HasSuffix(m.Name, "dup") ||
		m.Name == "__cxa_allocate_exception"
}

// Reallocates reports whether the result is the object of the first argument, wherever it is now.
func (m Model) Reallocates() bool { return strings.HasPrefix(m.Name, "realloc") }

// Throws reports whether a function of which nothing but the linker name is known may throw an
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

// Communicates reports whether what an MPI call does, or when it is done, depends
// on other ranks.
func (m Model) Communicates() bool {
	if !m.MPI {
		return false
	}
	if strings.ContainsAny(m.roles, string(RecvData)+string(SendData)+string(BothData)+string(Request)) {
		return true
	}
	c := m.function.Class
	return c.CompletesRequests() || c.IsProbe() || c == mpi.ClassWinColl || m.function.IsFormOf("MPI_Barrier")
}

// Gives says whether what an MPI call gives, but for its error code, can differ between ranks.
func (m Model) Gives() mpi.Gives {
	switch {
	case !m.MPI:
		return mpi.GivesUnknown
	case m.function.Gives == mpi.GivesUnknown && m.Communicates():
		return mpi.GivesOwn
	}
	return m.function.Gives
}

// IsErrorCode reports whether what comes back through an argument of an MPI call, -1 for its result, is its error code.
func (m Model) IsErrorCode(arg int) bool {
	if m.ByReference {
		return m.MPI && arg == len(m.roles)-1
	}
	return m.MPI && arg < 0 && m.function.Return == "int"
}

// CommIndex is the number of the argument that says for which ranks an MPI call is, -1: there is none.
func (m Model) CommIndex() int {
	if !m.MPI {
		return -1
	}
	return max(m.function.ParamIndex("comm"), m.function.ParamIndex("group"))
}

// CountIndex is the number of the argument that says how many elements an MPI call gives each rank, -1: there is none.
func (m Model) CountIndex() int {
	if !m.MPI {
		return -1
	}
	return max(m.function.ParamIndex("count"), m.function.ParamIndex("recvcount"))
}

// Variadic reports whether further arguments have the last one's role.
func (m Model) Variadic() bool { return m.more }

// Receives reports whether data of other ranks come in through it.
func (m Model) Receives() bool {
	return m.MPI && strings.ContainsAny(m.roles, string(RecvData)+string(BothData))
}

// Delivers reports whether what a rank sends through the MPI function send may
// be what another one gets from the function recv.
func Delivers(send, recv string) bool {
	s, r := matchFamily(send), matchFamily(recv)
	if s == "send" || r == "recv" {
		return (s == "send" || s == "sendrecv") && (r == "recv" || r == "sendrecv")
	}
	return s == r && s != ""
}

// SynchronisesWindow reports whether others may write to the memory of a window meanwhile.
func (m Model) SynchronisesWindow() bool {
	return m.function.OnWindow() && !m.function.Class.IsOneSided()
}

// matchFamily is what calls that can match have in common.
func matchFamily(name string) string {
	m, ok := Lookup(name)
	if !ok || !m.MPI || !strings.ContainsAny(m.roles, "brx") {
		return ""
	}
	switch c := m.function.Class; {
	case c.SendsMessage() && c.ReceivesMessage():
		return "sendrecv"
	case c.SendsMessage():
		return "send"
	case c.ReceivesMessage():
		return "recv"
	}
	return m.function.Operation.Name
}

// PointToPoint reports whether a function sends to or receives from one peer.
func PointToPoint(name string) bool {
	switch matchFamily(name) {
	case "send", "recv", "sendrecv":
		return true
	}
	return false
}

// TagIndex is the number of the argument that holds the tag of what a function
// sends, or of what it receives, -1 if there is none.
func TagIndex(name string, sent bool) int {
	m, ok := Lookup(name)
	if !ok || !m.MPI || !PointToPoint(name) {
		return -1
	}
	half := "recvtag"
	if sent {
		half = "sendtag"
	}
	return max(m.function.ParamIndex(half), m.function.ParamIndex("tag"))
}

// Sends reports whether data of this rank go out through an MPI function.
func Sends(name string) bool {
	m, ok := Lookup(name)
	return ok && m.MPI && matchFamily(name) != "" && strings.ContainsAny(m.roles, string(SendData)+string(BothData))
}
