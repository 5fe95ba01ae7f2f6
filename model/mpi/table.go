package mpi

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed functions.tbl
var text string

// Function is an MPI function.
type Function struct {
	Name   string // of its C binding, such as MPI_Send
	Class  Class
	Return string // C type
	Params []Param
}

// Plain is the name of a function without what marks its prefix and its variant with
// large counts: Bcast_init of MPI_Bcast_init_c, and of MPIX_Bcast_init, which is how
// Open MPI 4 calls the same.
func Plain(name string) string {
	for _, prefix := range []string{"MPI_", "MPIX_"} {
		name = strings.TrimPrefix(name, prefix)
	}
	return strings.TrimSuffix(name, "_c")
}

// Param is a parameter of a Function.
type Param struct {
	Type string // C type, an array as in "const int []"
	Name string // as in the standard: buf, count, datatype, dest, ...
	Kind Kind
	Dir  Direction
	Ref  bool // passed by pointer in C though it is a number or handle; an array too
	Len  Length
	// FortranInt: an INTEGER in Fortran, though C has an address.
	FortranInt bool
}

// Functions returns all functions, in the order of the table. They are shared: do
// not change them.
func Functions() []*Function { return load().functions }

// table is what functions.tbl says.
type table struct {
	functions []*Function
	classes   []string // by Class
}

var load = sync.OnceValue(func() *table {
	t, err := parseTable(text)
	if err != nil {
		panic(err) // a test reads the table too
	}
	return t
})

var byName = sync.OnceValue(func() map[string]*Function {
	out := map[string]*Function{}
	for _, f := range Functions() {
		out[f.Name] = f
	}
	return out
})

// Find returns the function of that name, nil if there is none.
func Find(name string) *Function { return byName()[name] }

var lineForm = regexp.MustCompile(`^(\w+)\s+(\w+) (\w+)\((.*)\)$`)
var paramForm = regexp.MustCompile(`^(.*?[ *])(\w+)((?:\[.*\])?)$`)

// parseTable reads lines «class type name(parameters)»; an error names the line.
func parseTable(text string) (*table, error) {
	t := &table{}
	var classes []string // by function
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		class, f, err := parse(line)
		if err != nil {
			return nil, fmt.Errorf("functions.tbl:%d: %w", i+1, err)
		}
		t.functions, classes = append(t.functions, f), append(classes, class)
	}
	t.classes = slices.Compact(slices.Sorted(slices.Values(classes)))
	for i, f := range t.functions {
		class, _ := slices.BinarySearch(t.classes, classes[i])
		f.Class = Class(class)
		f.describe()
	}
	return t, nil
}

func parse(line string) (class string, f *Function, err error) {
	m := lineForm.FindStringSubmatch(line)
	if m == nil {
		return "", nil, fmt.Errorf("not «class type name(parameters)»: %q", line)
	}
	f = &Function{Return: m[2], Name: m[3]}
	if m[4] == "" {
		return m[1], f, nil
	}
	for _, p := range splitParams(m[4]) {
		p = strings.TrimSpace(p)
		if p == "..." {
			// Only MPI_Pcontrol: what follows its level fits three registers or is ignored.
			for i := range 3 {
				f.Params = append(f.Params, Param{Type: "long", Name: fmt.Sprintf("extra%d", i)})
			}
			continue
		}
		q := paramForm.FindStringSubmatch(p)
		if q == nil {
			return "", nil, fmt.Errorf("%s: parameter %q has no name", f.Name, p)
		}
		f.Params = append(f.Params, Param{Type: strings.TrimSpace(strings.TrimSpace(q[1]) + " " + q[3]), Name: q[2]})
	}
	return m[1], f, nil
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
