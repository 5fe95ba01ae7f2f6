package main

import (
	"bytes"
	"fmt"
	"strings"

	"laggard/model/mpi"
)

// wrapper is one function that the recorder defines, in one language binding.
type wrapper struct {
	symbol, next string // what it is called, and what it forwards to
	f            *mpi.Function
	desc         int // index of f, or of its form with large counts
	binding      string
	args         int
	aliases      []string
}

// wraps are the wrappers of all functions.
func wraps(functions []*mpi.Function) []wrapper {
	index := map[string]int{}
	for i, f := range functions {
		index[f.Name] = i
	}
	var out []wrapper
	for i, f := range functions {
		out = append(out, wrapper{f.Name, "P" + f.Name, f, i, "LG_BIND_C", len(f.Params), nil})
		if strings.HasSuffix(f.Name, "_c") {
			continue
		}
		large, ok := index[f.Name+"_c"]
		if !ok {
			large = i
		}
		out = append(out, fortran(f, i, large)...)
	}
	return out
}

// fortran are the wrappers of the Fortran bindings. A Fortran caller passes one
// argument more (ierror) and the lengths of its strings; handing on more than was
// passed is harmless.
func fortran(f *mpi.Function, desc, large int) []wrapper {
	n := len(f.Params) + 1 + characters(f)
	lower := strings.ToLower(f.Name)
	var aliases []string
	for _, alias := range []string{lower, lower + "__", strings.ToUpper(f.Name)} {
		if alias != f.Name {
			aliases = append(aliases, alias)
		}
	}
	of := func(suffix, binding string, desc int, aliases []string) wrapper {
		return wrapper{lower + suffix, "p" + lower + suffix, f, desc, binding, n, aliases}
	}
	return []wrapper{
		of("_", "LG_BIND_F", desc, aliases),
		of("_f08_", "LG_BIND_F08", desc, nil),
		of("_f08ts_", "LG_BIND_F08TS", desc, nil),
		of("_f08_large_", "LG_BIND_F08", large, nil),
		of("_f08ts_large_", "LG_BIND_F08TS", large, nil),
	}
}

// characters counts the strings, whose hidden lengths a Fortran caller appends.
func characters(f *mpi.Function) int {
	n := 0
	for _, p := range f.Params {
		if strings.HasPrefix(strings.TrimPrefix(p.Type, "const "), "char") {
			n++
		}
	}
	return n
}

// wrappers writes them, by the macros of recorder/start/wrap.h.
func wrappers(b *bytes.Buffer, wrapped []wrapper) {
	b.WriteString("#include \"start/wrap.h\"\n\n")
	for entry, w := range wrapped {
		ret, kind := "long", "LG_WRAP"
		if w.f.Return == "double" {
			ret = "double"
		}
		if w.f.Class == mpi.ClassLight {
			kind = "LG_WRAP_LIGHT"
		}
		fmt.Fprintf(b, "%s(%s, %s, %d, %d, %s, (%s), (%s), (%s))\n", kind, ret, w.symbol, entry, w.desc, w.binding,
			list(w.args, "long a%d", "void"), list(w.args, "a%d", "0"), list(w.args, "a[%d]", ""))
		for _, alias := range w.aliases {
			fmt.Fprintf(b, "LG_ALIAS(%s, %s)\n", alias, w.symbol)
		}
	}
}

// list is the form for each of n numbers, or empty.
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
