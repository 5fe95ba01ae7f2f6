// Command gen writes the recorder's wrappers from the table of model/mpi:
// classes.inc (the classes that occur), params.inc (what a parameter can be), and
// wrappers.c (the tables of argument roles and parameters, and one wrapper per
// function and language binding).
//
// A wrapper takes every argument as a register-wide integer and hands it on
// untouched; no MPI function takes a floating-point argument and every handle
// fits a register, so one library serves every MPI without its mpi.h.
//
// Usage: gen outdir
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sort"
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
		return fmt.Errorf("usage: gen outdir")
	}
	functions := mpi.Functions()
	if err := os.WriteFile(filepath.Join(args[0], "classes.inc"), classes(functions), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(args[0], "params.inc"), kinds(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(args[0], "wrappers.c"), wrappers(functions), 0o644)
}

func classes(functions []*mpi.Function) []byte {
	seen := map[string]bool{}
	for _, f := range functions {
		seen[f.Class] = true
	}
	names := make([]string, 0, len(seen))
	for n := range seen {
		names = append(names, n)
	}
	sort.Strings(names)
	var b bytes.Buffer
	for _, n := range names {
		fmt.Fprintf(&b, "LG_CLASS(%s)\n", n)
	}
	return b.Bytes()
}

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
	{"request", nil, []string{"MPI_Request", "MPI_Request *", "MPI_Request []"}},
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
	{"partitions", []string{"partitions"}},
	{"op", []string{"op"}},
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func position(f *mpi.Function, names, types []string) int {
	for i, p := range f.Params {
		if contains(names, p.Name) || contains(types, p.Type) {
			return i
		}
	}
	return -1
}

func desc(f *mpi.Function) string {
	var b strings.Builder
	fmt.Fprintf(&b, "{.name = %q, .cls = CLS_%s, .nargs = %d", f.Name, f.Class, len(f.Params))
	for _, r := range roles {
		fmt.Fprintf(&b, ", .%s = %d", r.field, position(f, r.names, r.types))
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
	fmt.Fprintf(&b, ", .by_value = %d, .results = %d", bit(byValue), bit(results))
	fmt.Fprintf(&b, ", .peer2 = %d, .params = params_%s", source, f.Name)
	if how := sends(f); how != "" {
		fmt.Fprintf(&b, ", .sends = %s", how)
		for _, r := range sendRoles {
			fmt.Fprintf(&b, ", .%s = %d", r.field, position(f, r.names, nil))
		}
	}
	if i := position(f, sendRoles[1].names, nil); i >= 0 && strings.Contains(f.Params[i].Type, "MPI_Count") {
		b.WriteString(", .wide = true")
	}
	b.WriteString("}")
	return b.String()
}

// strings with hidden lengths that a Fortran caller appends.
func characters(f *mpi.Function) int {
	n := 0
	for _, p := range f.Params {
		if strings.HasPrefix(strings.TrimPrefix(p.Type, "const "), "char") {
			n++
		}
	}
	return n
}

// kinds names what is in struct lg_param, in the order of package mpi.
func kinds() []byte {
	var b bytes.Buffer
	for _, k := range mpi.Kinds() {
		fmt.Fprintf(&b, "LG_PARAM(%s, %d)\n", k, k)
	}
	return b.Bytes()
}

// params writes the parameters of f. Fortran has no argc and argv.
func (w *writer) params(f *mpi.Function) {
	fmt.Fprintf(w, "static const struct lg_param params_%s[] = {", f.Name)
	for i, p := range f.Params {
		fmt.Fprintf(w, "{P_%s, %d, %d, %d, %d, %d, %d, %d}, ", p.Kind, p.Dir, bit(p.Ref), bit(p.FortranInt), p.Len.Kind, p.Len.By, p.Len.Only,
			bit(f.Recorded(i, false))+2*bit(f.Recorded(i, true)))
	}
	fmt.Fprintf(w, "{0}};\n")
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

type entry struct{ symbol, next string }

type writer struct {
	bytes.Buffer
	entries []entry
}

func wrappers(functions []*mpi.Function) []byte {
	w := &writer{}
	fmt.Fprintf(w, "/* Generated from model/mpi/functions.tbl by recorder/gen. */\n#include \"core.h\"\n#include \"wrap.h\"\n\n")
	for _, f := range functions {
		w.params(f)
	}
	fmt.Fprintf(w, "\nconst struct lg_desc lg_descs[] = {\n")
	for _, f := range functions {
		fmt.Fprintf(w, "  %s,\n", desc(f))
	}
	fmt.Fprintf(w, "};\n\n")
	index := map[string]int{}
	for i, f := range functions {
		index[f.Name] = i
	}
	for i, f := range functions {
		w.wrap(f, i, f.Name, "P"+f.Name, "LG_BIND_C", len(f.Params))
		if !strings.HasSuffix(f.Name, "_c") {
			large, ok := index[f.Name+"_c"]
			if !ok {
				large = i
			}
			w.fortran(f, i, large)
		}
	}
	w.names()
	return w.Bytes()
}

// wrap writes one wrapper and notes the entry it forwards to.
func (w *writer) wrap(f *mpi.Function, desc int, symbol, next, binding string, n int) {
	w.entries = append(w.entries, entry{symbol, next})
	ret := "long"
	if f.Return == "double" {
		ret = "double"
	}
	kind := "LG_WRAP"
	if f.Class == "light" {
		kind = "LG_WRAP_LIGHT"
	}
	fmt.Fprintf(w, "%s(%s, %s, %d, %d, %s, (%s), (%s), (%s))\n", kind, ret, symbol, len(w.entries)-1, desc, binding,
		list(n, "long a%d", "void"), list(n, "a%d", "0"), list(n, "a[%d]", ""))
}

func list(n int, form, empty string) string {
	if n == 0 {
		return empty
	}
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(form, i)
	}
	return strings.Join(parts, ", ")
}

// fortran writes the wrappers of the Fortran bindings. A Fortran caller passes
// one argument more (ierror) and the lengths of its strings; handing on more
// than was passed is harmless.
func (w *writer) fortran(f *mpi.Function, desc, large int) {
	n := len(f.Params) + 1 + characters(f)
	lower := strings.ToLower(f.Name)
	w.wrap(f, desc, lower+"_", "p"+lower+"_", "LG_BIND_F", n)
	for _, alias := range []string{lower, lower + "__", strings.ToUpper(f.Name)} {
		if alias != f.Name {
			fmt.Fprintf(w, "LG_ALIAS(%s, %s_)\n", alias, lower)
		}
	}
	w.wrap(f, desc, lower+"_f08_", "p"+lower+"_f08_", "LG_BIND_F08", n)
	w.wrap(f, desc, lower+"_f08ts_", "p"+lower+"_f08ts_", "LG_BIND_F08TS", n)
	w.wrap(f, large, lower+"_f08_large_", "p"+lower+"_f08_large_", "LG_BIND_F08", n)
	w.wrap(f, large, lower+"_f08ts_large_", "p"+lower+"_f08ts_large_", "LG_BIND_F08TS", n)
}

func (w *writer) names() {
	fmt.Fprintf(w, "\nconst char *const lg_entry_names[] = {\n")
	for _, e := range w.entries {
		fmt.Fprintf(w, "  %q,\n", e.next)
	}
	fmt.Fprintf(w, "};\nvoid *lg_real[sizeof lg_entry_names / sizeof *lg_entry_names];\n")
}
