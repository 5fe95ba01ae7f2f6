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

// writeNumbers writes the enums.
func writeNumbers(b *bytes.Buffer) {
	b.WriteString("#pragma once\n\n")
	writeEnum(b, "lg_class", numbersOf("CLS_", mpi.AllClasses()...))
	writeEnum(b, "lg_param_kind", numbersOf("P_", mpi.AllKinds()...))
	writeEnum(b, "lg_trait", append([]named{{"TRAIT_sends", int(mpi.Sends)}}, numbersOf("TRAIT_", mpi.AllTraits()...)...))
	writeEnum(b, "lg_choice", numbersOf("CHOICE_", mpi.AllChoices()...))
	writeChoiceNames(b)
	for _, e := range enums {
		writeEnum(b, e.name, e.values)
	}
	writeConstants(b)
}

// writeConstants writes the constants of the families of MPI as a list of calls of a macro.
func writeConstants(b *bytes.Buffer) {
	var sets []named
	b.WriteString("/* X(set, name, number in Open MPI, in MPICH, in the standard ABI) for each constant. */\n")
	b.WriteString("#define LG_CONSTANTS(X)")
	for _, c := range mpi.Constants() {
		fmt.Fprintf(b, " \\\n  X(%s, %s, %d, %d, %d)", c.Set, c.Name, c.Numbers[0], c.Numbers[1], c.Numbers[2])
		set := named{"SET_" + string(c.Set), len(sets)}
		if len(sets) == 0 || sets[len(sets)-1].name != set.name {
			sets = append(sets, set)
		}
	}
	b.WriteString("\n\n")
	writeEnum(b, "lg_set", sets)
}

// goConstants writes the constants of package mpi, with Open MPI's numbers, such as LockExclusive.
func goConstants(b *bytes.Buffer) {
	b.WriteString("\npackage mpi\n\n// The constants of MPI by the numbers that a run directory has for them.\nconst (\n")
	width := 0
	for _, c := range mpi.Constants() {
		width = max(width, len(camelCase(c.Name)))
	}
	for _, c := range mpi.Constants() {
		fmt.Fprintf(b, "\t%-*s = %d\n", width, camelCase(c.Name), c.Numbers[0])
	}
	b.WriteString(")\n")
}

// camelCase is the name in Go of a word of a table, such as SendInit for send_init.
func camelCase(name string) string {
	out := ""
	for _, word := range strings.Split(name, "_") {
		out += strings.ToUpper(word[:1]) + word[1:]
	}
	return out
}

func writeEnum(b *bytes.Buffer, name string, values []named) {
	fmt.Fprintf(b, "enum %s {\n", name)
	for _, v := range values {
		fmt.Fprintf(b, "  %s = %d,\n", v.name, v.value)
	}
	b.WriteString("};\n\n")
}

// numbersOf are values of a numbered type of package mpi, by their words in its tables.
func numbersOf[T interface {
	~uint8 | ~uint16 | ~uint32
	String() string
}](prefix string, values ...T) (out []named) {
	for _, v := range values {
		out = append(out, named{prefix + v.String(), int(v)})
	}
	return out
}

// writeChoiceNames writes the choices with their names, as the initializers of a list.
func writeChoiceNames(b *bytes.Buffer) {
	b.WriteString("#define LG_CHOICES")
	for _, c := range mpi.AllChoices() {
		fmt.Fprintf(b, " \\\n  {%q, CHOICE_%s},", c.String(), c)
	}
	b.WriteString("\n\n")
}

// goClasses writes the constants of package mpi, such as ClassSendInit.
func goClasses(b *bytes.Buffer) {
	b.WriteString("\npackage mpi\n\n// The classes.\nconst (\n")
	for i, c := range mpi.AllClasses() {
		name := "Class" + camelCase(c.String())
		if i == 0 {
			name += " Class = iota"
		}
		fmt.Fprintf(b, "\t%s\n", name)
	}
	b.WriteString(")\n")
}
