package main

import (
	"bytes"
	"fmt"
	"strings"

	"laggard/model/mpi"
)

// named is a number of package mpi with its name in C.
type named struct {
	name  string
	value int
}

// enums are the numbered types of package mpi that the tables use, by their names
// in C; the classes and kinds come from the package itself.
var enums = []struct {
	name   string
	values []named
}{
	{"lg_direction", []named{{"LG_IN", int(mpi.In)}, {"LG_OUT", int(mpi.Out)}, {"LG_INOUT", int(mpi.InOut)}}},
	{"lg_length_kind", []named{
		{"LG_ONE", int(mpi.One)}, {"LG_UNRECORDED", int(mpi.Unrecorded)}, {"LG_BY_PARAM", int(mpi.ByParam)},
		{"LG_TRIPLES", int(mpi.Triples)}, {"LG_SUM_OF", int(mpi.SumOf)}, {"LG_LAST_OF", int(mpi.LastOf)},
		{"LG_GROUP_SIZE", int(mpi.GroupSize)}, {"LG_LOCAL_SIZE", int(mpi.LocalSize)},
		{"LG_SOURCES", int(mpi.Sources)}, {"LG_DESTINATIONS", int(mpi.Destinations)},
		{"LG_DIMS", int(mpi.Dims)}, {"LG_CONTENTS", int(mpi.Contents)},
	}},
	{"lg_condition", []named{
		{"LG_ALWAYS", int(mpi.Always)}, {"LG_AT_ROOT", int(mpi.AtRoot)}, {"LG_UNLESS_IN_PLACE", int(mpi.UnlessInPlace)},
	}},
	{"lg_recorded", []named{{"LG_BEFORE", before}, {"LG_AFTER", after}}},
}

// When a recording of usage has a parameter: bits of lg_param.recorded.
const (
	before = 1
	after  = 2
)

// numbers writes the enums.
func numbers(b *bytes.Buffer) {
	b.WriteString("#ifndef LAGGARD_NUMBERS_H\n#define LAGGARD_NUMBERS_H\n\n")
	enum(b, "lg_class", classes())
	enum(b, "lg_param_kind", kinds())
	for _, e := range enums {
		enum(b, e.name, e.values)
	}
	b.WriteString("#endif\n")
}

func enum(b *bytes.Buffer, name string, values []named) {
	fmt.Fprintf(b, "enum %s {\n", name)
	for _, v := range values {
		fmt.Fprintf(b, "  %s = %d,\n", v.name, v.value)
	}
	b.WriteString("};\n\n")
}

func classes() []named {
	var out []named
	for _, c := range mpi.Classes() {
		out = append(out, named{"CLS_" + c.String(), int(c)})
	}
	return out
}

// goClasses writes the constants of package mpi, such as ClassSendInit.
func goClasses(b *bytes.Buffer) {
	b.WriteString("\npackage mpi\n\n// The classes.\nconst (\n")
	for i, c := range mpi.Classes() {
		name := "Class"
		for _, word := range strings.Split(c.String(), "_") {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
		if i == 0 {
			name += " Class = iota"
		}
		fmt.Fprintf(b, "\t%s\n", name)
	}
	b.WriteString(")\n")
}

func kinds() []named {
	var out []named
	for _, k := range mpi.Kinds() {
		out = append(out, named{"P_" + k.String(), int(k)})
	}
	return out
}
