package mpi

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"laggard/internal/lateregexp"
)

//go:embed functions.tbl
var text string

// Function is an MPI function.
type Function struct {
	Name   string // of its C binding, such as MPI_Send
	Class  Class
	Traits Trait // those of Operation included
	// Choices are what a perturbed run may choose otherwise.
	Choices Choice
	// Alike are parameters that all members of a collective must give alike, besides
	// those that its traits name; those of Operation.
	Alike []string
	// Gives is whether its results, not its error code, can differ between the members of a communicator; that of Operation.
	Gives Gives
	// NeedsLower: each rank needs data of all lower ranks of the communicator, and may leave before the higher ones come; that of
	// Operation.
	NeedsLower bool
	// Operation is the blocking function with int counts that this one is another
	// form of: MPI_Bcast for MPI_Ibcast, MPI_Bcast_init_c and itself.
	Operation *Function
	// Narrow is the same function with int counts: MPI_Ibcast for MPI_Ibcast_c and itself.
	Narrow *Function
	Return string // C type
	Params []Param
}

// HasTrait reports whether a function has one of the traits. A nil function, one that is
// not in the table, has none.
func (f *Function) HasTrait(traits Trait) bool { return f != nil && f.Traits&traits != 0 }

// InClass reports whether a function is in one of the classes. A nil function is in none.
func (f *Function) InClass(classes ...Class) bool { return f != nil && f.Class.isOneOf(classes...) }

// IsFormOf reports whether a function is a form of the one of that name.
func (f *Function) IsFormOf(operation string) bool { return f != nil && f.Operation.Name == operation }

// Param is a parameter of a Function.
type Param struct {
	Type string // C type, an array as in "const int []"
	Name string // as in the standard: buf, count, datatype, dest, ...
	Kind Kind
	Dir  Direction
	Ref  bool // passed by pointer in C though it is a number or handle; an array too
	Len  Length
	// MayBeNull: a null handle is a legal argument.
	MayBeNull bool
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

// FindFunction returns the function of that name, nil if there is none.
func FindFunction(name string) *Function { return byName()[name] }

var lineForm = lateregexp.New(`^(\w+)\s+(\S+)\s+(\S+)\s+(\w+) (\w+)\((.*)\)$`)
var paramForm = lateregexp.New(`^(.*?[ *])(\w+)((?:\[.*\])?)$`)

// parseTable reads lines "class traits choices type name(parameters)"; an error names the line.
func parseTable(text string) (*table, error) {
	t := &table{}
	var lines []line
	for i, text := range strings.Split(text, "\n") {
		text = strings.TrimSpace(text)
		if text == "" || text[0] == '#' {
			continue
		}
		l, err := parseLine(text)
		if err != nil {
			return nil, fmt.Errorf("functions.tbl:%d: %w", i+1, err)
		}
		t.functions, lines = append(t.functions, l.function), append(lines, l)
	}
	if err := joinForms(lines); err != nil {
		return nil, fmt.Errorf("functions.tbl: %w", err)
	}
	for _, l := range lines {
		t.classes = append(t.classes, l.class)
	}
	t.classes = slices.Compact(slices.Sorted(slices.Values(t.classes)))
	for _, l := range lines {
		class, _ := slices.BinarySearch(t.classes, l.class)
		l.function.Class = Class(class)
		l.function.describeParams()
	}
	return t, nil
}

// line is a line of the table.
type line struct {
	class    string
	formOf   string // the function that this one is another form of, "" none
	null     []string
	function *Function
}

// joinForms gives each function its operation, with the traits of that, and its narrow form.
func joinForms(lines []line) error {
	byName := map[string]*line{}
	for i, l := range lines {
		byName[l.function.Name] = &lines[i]
	}
	for _, l := range lines {
		operation := &l
		if l.formOf != "" {
			operation = byName[l.formOf]
		}
		if operation == nil || operation.formOf != "" {
			return fmt.Errorf("%s is a form of %s, which is not there or is a form itself", l.function.Name, l.formOf)
		}
		l.function.Operation, l.function.Narrow = operation.function, l.function
		l.function.Traits |= operation.function.Traits
		l.function.Alike, l.function.Gives = operation.function.Alike, operation.function.Gives
		l.function.NeedsLower = operation.function.NeedsLower
		l.function.allowNull(operation.null)
		if missing := l.function.allowNull(l.null); missing != "" {
			return fmt.Errorf("%s has no parameter %s that could be null", l.function.Name, missing)
		}
		if !l.function.HasTrait(Large) {
			continue
		}
		narrow := byName[strings.TrimSuffix(l.function.Name, "_c")]
		if narrow == nil || narrow.class != l.class {
			return fmt.Errorf("%s has no form of class %s with int counts", l.function.Name, l.class)
		}
		l.function.Narrow = narrow.function
	}
	return nil
}

// allowNull marks the parameters of some names, and returns the first name that no parameter has.
func (f *Function) allowNull(names []string) (missing string) {
	for _, name := range names {
		i := slices.IndexFunc(f.Params, func(p Param) bool { return p.Name == name })
		if i >= 0 {
			f.Params[i].MayBeNull = true
		} else if missing == "" {
			missing = name
		}
	}
	return missing
}

func parseLine(text string) (line, error) {
	m := lineForm.FindStringSubmatch(text)
	if m == nil {
		return line{}, fmt.Errorf("not \"class traits choices type name(parameters)\": %q", text)
	}
	column, err := parseTraits(m[2])
	if err != nil {
		return line{}, fmt.Errorf("%s: %w", m[5], err)
	}
	choices, err := parseChoices(m[3])
	if err != nil {
		return line{}, fmt.Errorf("%s: %w", m[5], err)
	}
	l := line{m[1], column.formOf, column.null,
		&Function{Return: m[4], Name: m[5], Traits: column.traits, Choices: choices, Alike: column.alike,
			Gives: column.gives, NeedsLower: column.lower}}
	if m[6] == "" {
		return l, nil
	}
	for _, p := range splitParams(m[6]) {
		p = strings.TrimSpace(p)
		if p == "..." {
			// Only MPI_Pcontrol: what follows its level fits three registers or is ignored.
			for i := range 3 {
				l.function.Params = append(l.function.Params, Param{Type: "long", Name: fmt.Sprintf("extra%d", i)})
			}
			continue
		}
		q := paramForm.FindStringSubmatch(p)
		if q == nil {
			return line{}, fmt.Errorf("%s: parameter %q has no name", l.function.Name, p)
		}
		l.function.Params = append(l.function.Params,
			Param{Type: strings.TrimSpace(strings.TrimSpace(q[1]) + " " + q[3]), Name: q[2]})
	}
	return l, nil
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
