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

// allWrappers are the wrappers of all functions.
func allWrappers(functions []*mpi.Function) []wrapper {
	large := map[*mpi.Function]int{} // by the function with int counts
	for i, f := range functions {
		if f.HasTrait(mpi.Large) {
			large[f.Narrow] = i
		}
	}
	var out []wrapper
	for i, f := range functions {
		out = append(out, wrapper{f.Name, "P" + f.Name, f, i, "LG_BIND_C", len(f.Params), nil})
		if f.HasTrait(mpi.Large) {
			continue
		}
		withLarge, ok := large[f]
		if !ok {
			withLarge = i
		}
		out = append(out, fortranWrappers(f, i, withLarge)...)
	}
	return out
}

// fortranWrappers are the wrappers of the Fortran bindings. A Fortran caller passes one
// argument more (ierror) and the lengths of its strings; handing on more than was
// passed is harmless.
func fortranWrappers(f *mpi.Function, desc, large int) []wrapper {
	n := len(f.Params) + 1 + countStrings(f)
	lower := strings.ToLower(f.Name)
	var aliases []string
	for _, alias := range []string{lower, lower + "__", strings.ToUpper(f.Name)} {
		if alias != f.Name {
			aliases = append(aliases, alias)
		}
	}
	if f.HasCPointerForm() {
		form := lower + mpi.CPointerForm
		aliases = append(aliases, form, form+"_", form+"__", strings.ToUpper(form))
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

// countStrings counts the strings, whose hidden lengths a Fortran caller appends.
func countStrings(f *mpi.Function) int {
	n := 0
	for _, p := range f.Params {
		if strings.HasPrefix(strings.TrimPrefix(p.Type, "const "), "char") {
			n++
		}
	}
	return n
}

// writeWrappers writes them, by the macros of recorder/start/wrap.h.
func writeWrappers(b *bytes.Buffer, wrapped []wrapper) {
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
			joinNumbered(w.args, "long a%d", "void"), joinNumbered(w.args, "a%d", "0"), joinNumbered(w.args, "a[%d]", ""))
		for _, alias := range w.aliases {
			fmt.Fprintf(b, "LG_ALIAS(%s, %s)\n", alias, w.symbol)
		}
	}
}

// joinNumbered is the form for each of n numbers, or empty.
func joinNumbered(n int, form, empty string) string {
	if n == 0 {
		return empty
	}
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(form, i)
	}
	return strings.Join(parts, ", ")
}
