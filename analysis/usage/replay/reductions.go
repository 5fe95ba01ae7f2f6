package replay

import (
	"strings"

	"laggard/analysis/usage/recorded"
)

// The groups of basic types that predefined operations take (MPI-3.1 §5.9.2).
var typeGroups = map[string][]string{
	"integer": {"MPI_INT", "MPI_LONG", "MPI_SHORT", "MPI_UNSIGNED_SHORT", "MPI_UNSIGNED", "MPI_UNSIGNED_LONG",
		"MPI_LONG_LONG_INT", "MPI_LONG_LONG", "MPI_UNSIGNED_LONG_LONG", "MPI_SIGNED_CHAR", "MPI_UNSIGNED_CHAR",
		"MPI_INT8_T", "MPI_INT16_T", "MPI_INT32_T", "MPI_INT64_T", "MPI_UINT8_T", "MPI_UINT16_T", "MPI_UINT32_T",
		"MPI_UINT64_T"},
	"Fortran integer": {"MPI_INTEGER", "MPI_INTEGER1", "MPI_INTEGER2", "MPI_INTEGER4", "MPI_INTEGER8", "MPI_INTEGER16"},
	"address":         {"MPI_AINT", "MPI_OFFSET", "MPI_COUNT"},
	"floating-point": {"MPI_FLOAT", "MPI_DOUBLE", "MPI_REAL", "MPI_DOUBLE_PRECISION", "MPI_LONG_DOUBLE", "MPI_REAL2",
		"MPI_REAL4", "MPI_REAL8", "MPI_REAL16"},
	"logical": {"MPI_LOGICAL", "MPI_C_BOOL", "MPI_CXX_BOOL"},
	"complex": {"MPI_COMPLEX", "MPI_C_COMPLEX", "MPI_C_FLOAT_COMPLEX", "MPI_C_DOUBLE_COMPLEX",
		"MPI_C_LONG_DOUBLE_COMPLEX", "MPI_DOUBLE_COMPLEX", "MPI_COMPLEX4", "MPI_COMPLEX8", "MPI_COMPLEX16",
		"MPI_COMPLEX32", "MPI_CXX_FLOAT_COMPLEX", "MPI_CXX_DOUBLE_COMPLEX", "MPI_CXX_LONG_DOUBLE_COMPLEX"},
	"byte":      {"MPI_BYTE"},
	"character": {"MPI_CHAR", "MPI_WCHAR", "MPI_CHARACTER"},
	"packed":    {"MPI_PACKED"},
	"pair": {"MPI_FLOAT_INT", "MPI_DOUBLE_INT", "MPI_LONG_INT", "MPI_2INT", "MPI_SHORT_INT", "MPI_LONG_DOUBLE_INT",
		"MPI_2REAL", "MPI_2DOUBLE_PRECISION", "MPI_2INTEGER"},
}

// takes says which groups each predefined operation takes.
var takes = map[string][]string{
	"MPI_MAX":  {"integer", "Fortran integer", "address", "floating-point"},
	"MPI_MIN":  {"integer", "Fortran integer", "address", "floating-point"},
	"MPI_SUM":  {"integer", "Fortran integer", "address", "floating-point", "complex"},
	"MPI_PROD": {"integer", "Fortran integer", "address", "floating-point", "complex"},
	"MPI_LAND": {"integer", "logical"}, "MPI_LOR": {"integer", "logical"}, "MPI_LXOR": {"integer", "logical"},
	"MPI_BAND":   {"integer", "Fortran integer", "address", "byte"},
	"MPI_BOR":    {"integer", "Fortran integer", "address", "byte"},
	"MPI_BXOR":   {"integer", "Fortran integer", "address", "byte"},
	"MPI_MAXLOC": {"pair"}, "MPI_MINLOC": {"pair"},
}

// fortranKinds are the types that MPI has for the kinds of Fortran, by combiner: for the operations they are basic types
// (MPI-3.1 §5.9.2, §17.1.9).
var fortranKinds = map[string]struct{ name, group string }{
	"MPI_COMBINER_F90_INTEGER": {"a type of MPI_Type_create_f90_integer", "Fortran integer"},
	"MPI_COMBINER_F90_REAL":    {"a type of MPI_Type_create_f90_real", "floating-point"},
	"MPI_COMBINER_F90_COMPLEX": {"a type of MPI_Type_create_f90_complex", "complex"},
}

func groupOf(datatype string) string {
	for group, names := range typeGroups {
		for _, n := range names {
			if n == datatype {
				return group
			}
		}
	}
	return ""
}

// checkOp checks the operation of a reduction or an accumulate against its type.
func (s *arguments) checkOp(a args) *wrongArgument {
	handle, ok := a.int("op")
	if _, reduces := a.int("datatype", "origin_datatype"); !ok || !reduces {
		return nil // MPI_Op_commutative only asks
	}
	op, fixed := s.t.Predefined("MPI_Op", handle)
	onWindow := a.has("win")
	switch {
	case !fixed && onWindow && handle >= 0:
		return invalidArgument("§11.3.4",
			"the operation is user-defined: only predefined operations may be used on a window").
			withChange("use a predefined operation, or get, compute and put under an exclusive lock")
	case !fixed:
		return nil
	case onWindow && op == "MPI_REPLACE", op == "MPI_NO_OP" &&
		(strings.Contains(a.c.Func.Name, "et_accumulate") || strings.HasPrefix(a.c.Func.Name, "MPI_Fetch")):
		return nil
	case op == "MPI_REPLACE" || op == "MPI_NO_OP":
		return invalidArgument("§11.3.4", "the operation is %s, which is for windows", op).
			withChange("use an operation that computes, such as MPI_SUM; MPI_Bcast or MPI_Sendrecv replaces data")
	}
	datatype := s.t.Datatype(a.intOr(recorded.Invalid, "datatype", "origin_datatype"))
	if datatype == nil || len(takes[op]) == 0 {
		return nil
	}
	name, group := datatype.Name, groupOf(datatype.Name)
	if of, is := fortranKinds[datatype.Combiner]; is && name == "" {
		name, group = of.name, of.group
	}
	if name == "" && onWindow {
		name = s.layouts.OfType(a.handle("origin_datatype", "datatype")).OnlyType()
		group = groupOf(name)
	}
	if name == "" && !onWindow {
		return invalidArgument("§5.9.2", "%s cannot be used on a derived datatype", op).
			withChange("reduce elements of a basic type, or make an operation for the type with MPI_Op_create")
	}
	for _, g := range takes[op] {
		if g == group || group == "" {
			return nil
		}
	}
	return invalidArgument("§5.9.2", "%s cannot be used on %s", op, name).
		withChange("use a type that the operation takes, or another operation")
}
