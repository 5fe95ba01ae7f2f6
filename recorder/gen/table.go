package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"laggard/model/mpi"
)

// roles lists the fields of struct lg_desc with the parameters that fill them:
// the first parameter whose name, or whose type, is in the list.
var roles = []struct {
	field string
	names []string
	types []string
}{
	{"comm", nil, []string{"MPI_Comm"}},
	{"peer", []string{"dest", "source", "root", "rank", "target_rank"}, nil},
	{"tag", []string{"tag", "sendtag"}, nil},
	{"tag2", []string{"recvtag"}, nil},
	{"count", []string{"count", "incount"}, nil},
	{"request", nil, []string{"MPI_Request", "MPI_Request *", "MPI_Request []", "const MPI_Request []"}},
	{"status", nil, []string{"MPI_Status *", "MPI_Status []"}},
	{"flag", []string{"flag"}, nil},
	{"index", []string{"indx", "index"}, nil},
	{"outcount", []string{"outcount"}, nil},
	{"indices", []string{"array_of_indices"}, nil},
	{"newcomm", nil, []string{"MPI_Comm *"}},
	{"win", nil, []string{"MPI_Win", "MPI_Win *"}},
	{"file", nil, []string{"MPI_File", "MPI_File *"}},
	{"message", nil, []string{"MPI_Message *"}},
	{"group", nil, []string{"MPI_Group"}},
	{"group2", []string{"remote_group"}, nil},
	{"recv_buf", []string{"recvbuf", "buf"}, nil},
	{"recv_count", []string{"recvcount", "count"}, nil},
	{"recv_type", []string{"recvtype", "datatype"}, nil},
	{"partitions", []string{"partitions"}, nil},
}

// sendRoles are those of what a call sends, for functions that send (sends):
// buffer, count and type, and those of the receiving side, which MPI_IN_PLACE
// puts in their place.
var sendRoles = []struct {
	field string
	names []string
}{
	{"send_buf", []string{"sendbuf", "buf", "buffer", "origin_addr"}},
	{"send_count", []string{"sendcount", "sendcounts", "count", "origin_count", "recvcount", "recvcounts"}},
	{"send_type", []string{"sendtype", "sendtypes", "datatype", "origin_datatype"}},
	{"in_place_count", []string{"recvcount", "recvcounts"}},
	{"in_place_type", []string{"recvtype", "recvtypes"}},
	{"op", []string{"op"}},
}

// displacements is the position of the displacements that follow the counts of that name, -1 none.
func displacements(f *mpi.Function, counts string) int {
	i := paramPosition(f, []string{counts}, nil) + 1
	if i > 0 && i < len(f.Params) && slices.Contains([]string{"displs", "sdispls", "rdispls"}, f.Params[i].Name) {
		return i
	}
	return -1
}

// paramPosition is that of the first parameter with one of the names or types, -1 none.
func paramPosition(f *mpi.Function, names, types []string) int {
	return slices.IndexFunc(f.Params, func(p mpi.Param) bool {
		return slices.Contains(names, p.Name) || slices.Contains(types, p.Type)
	})
}

// writeTable writes struct lg_param and lg_desc of every function, and the entries that
// the wrappers forward to.
func writeTable(b *bytes.Buffer, functions []*mpi.Function, wrapped []wrapper) {
	b.WriteString("#include \"mpi/table.h\"\n\n")
	for _, f := range functions {
		writeParams(b, f)
	}
	b.WriteString("\nconst struct lg_desc lg_descs[] = {\n")
	for _, f := range functions {
		writeDesc(b, f)
		writeForms(b, f, functions, wrapped)
	}
	b.WriteString("  {.name = NULL},\n};\n\nconst char *const lg_entry_names[] = {\n")
	for _, w := range wrapped {
		fmt.Fprintf(b, "  %q,\n", w.next)
	}
	b.WriteString("};\nvoid *lg_real[sizeof lg_entry_names / sizeof *lg_entry_names];\n")
}

// writeParams writes the parameters of f.
func writeParams(b *bytes.Buffer, f *mpi.Function) {
	fmt.Fprintf(b, "static const struct lg_param params_%s[] = {", f.Name)
	for i, p := range f.Params {
		fmt.Fprintf(b, "{P_%s, %d, %d, %d, %d, %d, %d, %d}, ", p.Kind, p.Dir, boolBit(p.Ref), boolBit(p.FortranInt),
			p.Len.Kind, p.Len.By, p.Len.Only, before*boolBit(f.IsRecorded(i, false))+after*boolBit(f.IsRecorded(i, true)))
	}
	b.WriteString("{0}};\n")
}

func boolBit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// alikeArguments lists the arguments of which what all members must give alike is made.
func alikeArguments(f *mpi.Function) string {
	count, kind := []string{}, []string{}
	switch {
	case f.HasTrait(mpi.AlikeSent):
		count, kind = sendRoles[1].names, sendRoles[2].names
	case f.HasTrait(mpi.AlikeReceived):
		count, kind = []string{"recvcount"}, []string{"recvtype"}
	}
	var out []string
	for _, names := range [][]string{count, kind, {"op"}, {"root"}} {
		out = append(out, fmt.Sprint(max(paramPosition(f, names, nil), 0)))
	}
	return strings.Join(out, ", ")
}

// writeDesc writes where f has its arguments.
func writeDesc(b *bytes.Buffer, f *mpi.Function) {
	fmt.Fprintf(b, "  {.name = %q, .cls = CLS_%s, .nargs = %d", f.Name, f.Class, len(f.Params))
	for _, r := range roles {
		fmt.Fprintf(b, ", .%s = %d", r.field, paramPosition(f, r.names, r.types))
	}
	source := -1
	if paramPosition(f, []string{"dest"}, nil) >= 0 {
		source = paramPosition(f, []string{"source"}, nil)
	}
	byValue, results := true, false
	for i, p := range f.Params {
		byValue = byValue && !(f.IsRecorded(i, false) && (p.Ref || p.Kind == mpi.Request))
		results = results || f.IsRecorded(i, true)
	}
	fmt.Fprintf(b, ", .by_value = %d, .results = %d", boolBit(byValue), boolBit(results))
	fmt.Fprintf(b, ", .peer2 = %d, .params = params_%s", source, f.Name)
	fmt.Fprintf(b, ", .traits = %d", f.Traits)
	if f.HasTrait(mpi.Sends) {
		for _, r := range sendRoles {
			fmt.Fprintf(b, ", .%s = %d", r.field, paramPosition(f, r.names, nil))
		}
	}
	fmt.Fprintf(b, ", .send_displs = %d, .recv_displs = %d", displacements(f, "sendcounts"), displacements(f, "recvcounts"))
	inPlace := paramPosition(f, []string{"sendcount"}, nil) >= 0 && paramPosition(f, []string{"recvcount"}, nil) >= 0
	if len(f.Params) > 0 {
		fmt.Fprintf(b, ", .told = {%s}, .told_more = %v", alikeArguments(f), inPlace || f.HasTrait(mpi.Large))
	}
	if i := paramPosition(f, sendRoles[1].names, nil); i >= 0 && strings.Contains(f.Params[i].Type, "MPI_Count") {
		b.WriteString(", .wide = true")
	}
}

// bindings are the names in C of the language bindings, in the order of their numbers.
var bindings = []string{"LG_BIND_C", "LG_BIND_F", "LG_BIND_F08", "LG_BIND_F08TS"}

// writeForms ends the description of f with what may be chosen at its calls, and with where its
// other forms are.
func writeForms(b *bytes.Buffer, f *mpi.Function, functions []*mpi.Function, wrapped []wrapper) {
	self := slices.Index(functions, f)
	entries := make([]string, len(bindings))
	for i, binding := range bindings {
		entries[i] = fmt.Sprint(slices.IndexFunc(wrapped, func(w wrapper) bool { return w.desc == self && w.binding == binding }))
	}
	fmt.Fprintf(b, ", .choices = %d, .synchronous = %d, .entries = {%s}},\n", f.Choices,
		slices.Index(functions, f.SynchronousForm()), strings.Join(entries, ", "))
}
