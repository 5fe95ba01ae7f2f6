// Command gen writes the recorder's wrappers from recorder/functions.tbl:
// classes.inc (the classes that occur), and wrappers.c (the table of argument
// roles and one wrapper per function and language binding).
//
// A wrapper takes every argument as a register-wide integer and hands it on
// untouched; no MPI function takes a floating-point argument and every handle
// fits a register, so one library serves every MPI without its mpi.h.
//
// Usage: gen functions.tbl outdir
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

type param struct{ ctype, name string }

type function struct {
	class, ret, name string
	params           []param
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: gen functions.tbl outdir")
	}
	functions, err := readTable(args[0])
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(args[1], "classes.inc"), classes(functions), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(args[1], "wrappers.c"), wrappers(functions), 0o644)
}

var lineForm = regexp.MustCompile(`^(\w+)\s+(\w+) (\w+)\((.*)\)$`)
var paramForm = regexp.MustCompile(`^(.*?[ *])(\w+)((?:\[.*\])?)$`)

// readTable reads functions.tbl; an error names the file and line.
func readTable(name string) ([]function, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []function
	scan := bufio.NewScanner(f)
	for n := 1; scan.Scan(); n++ {
		line := strings.TrimSpace(scan.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		fn, err := parse(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		out = append(out, fn)
	}
	return out, scan.Err()
}

func parse(line string) (function, error) {
	m := lineForm.FindStringSubmatch(line)
	if m == nil {
		return function{}, fmt.Errorf("not «class type name(parameters)»: %q", line)
	}
	fn := function{class: m[1], ret: m[2], name: m[3]}
	if m[4] == "" {
		return fn, nil
	}
	for _, p := range splitParams(m[4]) {
		p = strings.TrimSpace(p)
		if p == "..." {
			// Only MPI_Pcontrol: what follows its level fits three registers or is ignored.
			for i := range 3 {
				fn.params = append(fn.params, param{"long", fmt.Sprintf("extra%d", i)})
			}
			continue
		}
		q := paramForm.FindStringSubmatch(p)
		if q == nil {
			return function{}, fmt.Errorf("%s: parameter %q has no name", fn.name, p)
		}
		fn.params = append(fn.params, param{strings.ReplaceAll(q[1]+q[3], " ", ""), q[2]})
	}
	return fn, nil
}

// splitParams splits at commas outside parentheses and brackets.
func splitParams(s string) []string {
	var out []string
	depth, start := 0, 0
	for i, r := range s {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, s[start:i])
				start = i + 1
			}
		}
	}
	return append(out, s[start:])
}

func classes(functions []function) []byte {
	seen := map[string]bool{}
	for _, f := range functions {
		seen[f.class] = true
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
	{"request", nil, []string{"MPI_Request", "MPI_Request*", "MPI_Request[]"}},
	{"status", nil, []string{"MPI_Status*", "MPI_Status[]"}},
	{"flag", []string{"flag"}, nil},
	{"index", []string{"indx", "index"}, nil},
	{"outcount", []string{"outcount"}, nil},
	{"indices", []string{"array_of_indices"}, nil},
	{"newcomm", nil, []string{"MPI_Comm*"}},
	{"win", nil, []string{"MPI_Win", "MPI_Win*"}},
	{"file", nil, []string{"MPI_File", "MPI_File*"}},
	{"message", nil, []string{"MPI_Message*"}},
	{"group", nil, []string{"MPI_Group"}},
	{"group2", []string{"remote_group"}, nil},
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func position(f function, names, types []string) int {
	for i, p := range f.params {
		if contains(names, p.name) || contains(types, p.ctype) {
			return i
		}
	}
	return -1
}

func desc(f function) string {
	var b strings.Builder
	fmt.Fprintf(&b, "{.name = %q, .cls = CLS_%s, .nargs = %d", f.name, f.class, len(f.params))
	for _, r := range roles {
		fmt.Fprintf(&b, ", .%s = %d", r.field, position(f, r.names, r.types))
	}
	source := -1
	if position(f, []string{"dest"}, nil) >= 0 {
		source = position(f, []string{"source"}, nil)
	}
	fmt.Fprintf(&b, ", .peer2 = %d}", source)
	return b.String()
}

// strings with hidden lengths that a Fortran caller appends.
func characters(f function) int {
	n := 0
	for _, p := range f.params {
		if strings.HasPrefix(strings.TrimPrefix(p.ctype, "const"), "char") {
			n++
		}
	}
	return n
}

type entry struct{ symbol, next string }

type writer struct {
	bytes.Buffer
	entries []entry
}

func wrappers(functions []function) []byte {
	w := &writer{}
	fmt.Fprintf(w, "/* Generated from functions.tbl by recorder/gen. */\n#include \"core.h\"\n#include \"wrap.h\"\n\n")
	fmt.Fprintf(w, "const struct lg_desc lg_descs[] = {\n")
	for _, f := range functions {
		fmt.Fprintf(w, "  %s,\n", desc(f))
	}
	fmt.Fprintf(w, "};\n\n")
	for i, f := range functions {
		w.wrap(f, i, f.name, "P"+f.name, "LG_BIND_C", len(f.params))
		if !strings.HasSuffix(f.name, "_c") {
			w.fortran(f, i)
		}
	}
	w.names()
	return w.Bytes()
}

// wrap writes one wrapper and notes the entry it forwards to.
func (w *writer) wrap(f function, desc int, symbol, next, binding string, n int) {
	w.entries = append(w.entries, entry{symbol, next})
	ret := "long"
	if f.ret == "double" {
		ret = "double"
	}
	kind := "LG_WRAP"
	if f.class == "light" {
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
func (w *writer) fortran(f function, desc int) {
	n := len(f.params) + 1 + characters(f)
	lower := strings.ToLower(f.name)
	w.wrap(f, desc, lower+"_", "p"+lower+"_", "LG_BIND_F", n)
	for _, alias := range []string{lower, lower + "__", strings.ToUpper(f.name)} {
		if alias != f.name {
			fmt.Fprintf(w, "LG_ALIAS(%s, %s_)\n", alias, lower)
		}
	}
	for _, suffix := range []string{"_f08_", "_f08ts_", "_f08_large_", "_f08ts_large_"} {
		w.wrap(f, desc, lower+suffix, "p"+lower+suffix, "LG_BIND_F08", n)
	}
}

func (w *writer) names() {
	fmt.Fprintf(w, "\nconst char *const lg_entry_names[] = {\n")
	for _, e := range w.entries {
		fmt.Fprintf(w, "  %q,\n", e.next)
	}
	fmt.Fprintf(w, "};\nvoid *lg_real[sizeof lg_entry_names / sizeof *lg_entry_names];\n")
}
