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

// position is that of the first parameter with one of the names or types, -1 none.
func position(f *mpi.Function, names, types []string) int {
	return slices.IndexFunc(f.Params, func(p mpi.Param) bool {
		return slices.Contains(names, p.Name) || slices.Contains(types, p.Type)
	})
}

// table writes struct lg_param and lg_desc of every function, and the entries that
// the wrappers forward to.
func table(b *bytes.Buffer, functions []*mpi.Function, wrapped []wrapper) {
	b.WriteString("#include \"mpi/table.h\"\n\n")
	for _, f := range functions {
		params(b, f)
	}
	b.WriteString("\nconst struct lg_desc lg_descs[] = {\n")
	for _, f := range functions {
		desc(b, f)
	}
	b.WriteString("};\n\nconst char *const lg_entry_names[] = {\n")
	for _, w := range wrapped {
		fmt.Fprintf(b, "  %q,\n", w.next)
	}
	b.WriteString("};\nvoid *lg_real[sizeof lg_entry_names / sizeof *lg_entry_names];\n")
}

// params writes the parameters of f.
func params(b *bytes.Buffer, f *mpi.Function) {
	fmt.Fprintf(b, "static const struct lg_param params_%s[] = {", f.Name)
	for i, p := range f.Params {
		fmt.Fprintf(b, "{P_%s, %d, %d, %d, %d, %d, %d, %d}, ", p.Kind, p.Dir, bit(p.Ref), bit(p.FortranInt),
			p.Len.Kind, p.Len.By, p.Len.Only, before*bit(f.Recorded(i, false))+after*bit(f.Recorded(i, true)))
	}
	b.WriteString("{0}};\n")
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// told lists the arguments of which what all members must give alike is made.
func told(f *mpi.Function) string {
	count, kind := []string{}, []string{}
	switch alike[collective(f)] {
	case "LG_ALIKE_SENT":
		count, kind = sendRoles[1].names, sendRoles[2].names
	case "LG_ALIKE_RECEIVED":
		count, kind = []string{"recvcount"}, []string{"recvtype"}
	}
	var out []string
	for _, names := range [][]string{count, kind, {"op"}, {"root"}} {
		out = append(out, fmt.Sprint(max(position(f, names, nil), 0)))
	}
	return strings.Join(out, ", ")
}

// desc writes where f has its arguments.
func desc(b *bytes.Buffer, f *mpi.Function) {
	fmt.Fprintf(b, "  {.name = %q, .cls = CLS_%s, .nargs = %d", f.Name, f.Class, len(f.Params))
	for _, r := range roles {
		fmt.Fprintf(b, ", .%s = %d", r.field, position(f, r.names, r.types))
	}
	source := -1
	if position(f, []string{"dest"}, nil) >= 0 {
		source = position(f, []string{"source"}, nil)
	}
	byValue, results := true, false
	for i, p := range f.Params {
		byValue = byValue && !(f.Recorded(i, false) && (p.Ref || p.Kind == mpi.Request))
		results = results || f.Recorded(i, true)
	}
	fmt.Fprintf(b, ", .by_value = %d, .results = %d", bit(byValue), bit(results))
	fmt.Fprintf(b, ", .peer2 = %d, .params = params_%s", source, f.Name)
	if how := sends(f); how != "" {
		fmt.Fprintf(b, ", .sends = %s", how)
		for _, r := range sendRoles {
			fmt.Fprintf(b, ", .%s = %d", r.field, position(f, r.names, nil))
		}
	}
	if what := alike[collective(f)]; what != "" {
		fmt.Fprintf(b, ", .alike = %s", what)
	}
	inPlace := position(f, []string{"sendcount"}, nil) >= 0 && position(f, []string{"recvcount"}, nil) >= 0
	if len(f.Params) > 0 {
		fmt.Fprintf(b, ", .told = {%s}, .told_more = %v", told(f), inPlace || strings.HasSuffix(f.Name, "_c"))
	}
	if i := position(f, sendRoles[1].names, nil); i >= 0 && strings.Contains(f.Params[i].Type, "MPI_Count") {
		b.WriteString(", .wide = true")
	}
	b.WriteString("},\n")
}
