package replay

import (
	"fmt"
	"strings"

	"laggard/analysis/usage/recorded"
	"laggard/model/mpi"
)

// handleKind returns the type of the handles that a parameter has, "" if it has none.
func handleKind(ctype string) string {
	name := strings.TrimRight(strings.TrimPrefix(ctype, "const "), " *[]")
	switch name {
	case "MPI_Comm", "MPI_Group", "MPI_Datatype", "MPI_Win", "MPI_File", "MPI_Op", "MPI_Info", "MPI_Errhandler",
		"MPI_Request", "MPI_Message":
		return name
	}
	return ""
}

// words are what the kinds of handle name.
var words = map[string]string{
	"MPI_Comm": "communicator", "MPI_Group": "group", "MPI_Datatype": "datatype", "MPI_Win": "window",
	"MPI_File": "file", "MPI_Op": "operation",
	"MPI_Info": "info object", "MPI_Errhandler": "error handler", "MPI_Request": "request", "MPI_Message": "message",
}

// checkHandle checks a handle that a call is given.
func (s *arguments) checkHandle(a args, kind string, p mpi.Param, v int64) *wrongArgument {
	class := "invalid_argument"
	if kind == "MPI_Datatype" && a.c.Func.Name != "MPI_Type_free" {
		class = "invalid_type"
	}
	switch {
	case v == recorded.Null && mayBeNull(a.c.Func, kind, p), kind == "MPI_Request" && v != recorded.Null:
		return nil // requests are judged where they are used
	case v == recorded.Null:
		w := invalidArgument("§2.5.1", "is null: it refers to no %s", words[kind])
		w.class = class
		w.change = "pass one that was created and not freed; a handle is set to null when its object is freed"
		return w
	case v == recorded.Invalid:
		w := invalidArgument("§2.5.1", "refers to no %s: it was freed or never created", words[kind])
		w.class, w.change = class, "pass one that was created and not freed"
		return w
	case isFree(a.c.Func) && isPermanent(a.t, kind, v):
		return invalidArgument("§2.5.1", "is a predefined object (%s), which must not be freed", words[kind]).
			withChange("free only what the program made; a duplicate may be freed")
	}
	if freed, was := s.objects.freed[objectKey{kind, v}]; was && s.t.Complete {
		w := invalidArgument("§2.5.1", "was freed before: it refers to no %s", words[kind])
		w.class, w.other, w.role = class, freed, "free"
		w.change = fmt.Sprintf("free the %s after its last use", words[kind])
		if !isFree(a.c.Func) {
			w.early = words[kind]
		}
		return w
	}
	if maker, uncommitted := s.datatypes.uncommitted[v]; uncommitted && kind == "MPI_Datatype" && communicates(a) && s.t.Complete {
		return notCommitted(maker)
	}
	return nil
}

// checkKeyval checks the key of an attribute that a call frees or sets. Attributes
// that are there may still be read by a key that was freed (MPI-3.1 §6.7.2).
func (s *arguments) checkKeyval(a args, v int64) *wrongArgument {
	name := a.c.Func.Name
	freed, was := s.objects.freed[objectKey{"keyval", v}]
	if !was || !s.t.Complete || !isFree(a.c.Func) && !strings.HasSuffix(name, "_set_attr") && name != "MPI_Attr_put" {
		return nil
	}
	w := invalidArgument("§6.7.2", "was freed before: it refers to no attribute key")
	w.other, w.role, w.change = freed, "free", "free the key after its last use"
	if !isFree(a.c.Func) {
		w.early = "key of attributes"
	}
	return w
}

func notCommitted(maker int) *wrongArgument {
	w := invalidArgument("§4.1.9", "was not committed")
	w.class, w.change = "invalid_type", "call MPI_Type_commit once after making the type"
	w.other, w.role = maker, "creation"
	return w
}

// communicates reports whether the datatypes of a call must be committed.
func communicates(a args) bool {
	return movesData(a.c.Func) || a.c.Func.HasTrait(mpi.Committed)
}

// isFree reports whether a function frees the object that it is given.
func isFree(f *mpi.Function) bool { return f.HasTrait(mpi.Frees) && f.Class != mpi.ClassFileFree }

// isPermanent reports whether MPI made the object and keeps it. An empty group, or an
// error handler that a function returned, may be freed: the function that returned
// it counted it.
func isPermanent(t *recorded.Trace, kind string, handle int64) bool {
	return kind != "MPI_Group" && kind != "MPI_Errhandler" && predefined(t, kind, handle)
}

// mayBeNull reports whether a parameter takes a null handle of its kind.
func mayBeNull(f *mpi.Function, kind string, p mpi.Param) bool {
	if kind == "MPI_Request" {
		return f.Class.CompletesRequests() || f.Class == mpi.ClassGetStatus
	}
	return p.MayBeNull
}
