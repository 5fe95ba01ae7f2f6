package mpi

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Family is a kind of MPI library: one of the binary interfaces that libraries have.
type Family string

// The families, "" if it is not known.
const (
	OpenMPI  Family = "openmpi" // Open MPI's own
	MPICH    Family = "mpich"   // that of MPICH, Intel MPI, MVAPICH and Cray MPICH
	Standard Family = "abi"     // the standard one of MPI-5
)

// Families are the families in the order of the columns of constants.tbl.
var Families = [...]Family{OpenMPI, MPICH, Standard}

//go:generate go run ../../recorder/gen constants.go

//go:embed constants.tbl
var constantsText string

// Set is constants of which an argument is one, or, of the sets amode and assert, a sum.
type Set string

// The sets of constants.
const (
	Locks         Set = "lock"
	AccessModes   Set = "amode"
	Assertions    Set = "assert"
	Peers         Set = "peer"
	Tags          Set = "tag"
	Orders        Set = "order"
	Distributions Set = "distribution"
	Errors        Set = "error" // classes, not codes
)

// Constant is a row of constants.tbl.
type Constant struct {
	Set     Set
	Name    string // as in the standard, in lower case and without MPI_
	Numbers [len(Families)]int64
}

// IsBitmask reports whether an argument may be the sum of several constants of the set.
func (s Set) IsBitmask() bool { return s == AccessModes || s == Assertions }

// Constants returns all constants, in the order of the table. They are shared: do not
// change them.
func Constants() []Constant { return constants() }

var constants = sync.OnceValue(func() []Constant {
	out, err := parseConstants(constantsText)
	if err != nil {
		panic(err) // a test reads the table too
	}
	return out
})

// parseConstants reads lines "set name number number number"; an error names the line.
func parseConstants(text string) (out []Constant, err error) {
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		var c Constant
		n := &c.Numbers
		if _, err := fmt.Sscan(line, &c.Set, &c.Name, &n[0], &n[1], &n[2]); err != nil {
			return nil, fmt.Errorf("constants.tbl:%d: %q: %w", i+1, line, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// tableColumn is that of the family in the table, -1 if it is not known.
func (f Family) tableColumn() int { return slices.Index(Families[:], f) }

// RecordedNumber returns the number by which a run directory has a constant, that of Open MPI,
// for a number of the family; ok is false for a number that is none of the set. Of a sum,
// what is none of the set is left out.
func (f Family) RecordedNumber(set Set, number int64) (recorded int64, ok bool) {
	column := f.tableColumn()
	if column < 0 {
		return 0, false
	}
	for _, c := range constants() {
		switch {
		case c.Set != set:
		case set.IsBitmask() && number&c.Numbers[column] != 0:
			recorded |= c.Numbers[0]
		case !set.IsBitmask() && number == c.Numbers[column]:
			return c.Numbers[0], true
		}
	}
	return recorded, set.IsBitmask()
}

// NumberOf returns the family's own number of a constant, by its name in the table; ok is
// false if the family is not known.
func (f Family) NumberOf(name string) (number int64, ok bool) {
	column := f.tableColumn()
	i := slices.IndexFunc(constants(), func(c Constant) bool { return c.Name == name })
	if column < 0 || i < 0 {
		return 0, false
	}
	return constants()[i].Numbers[column], true
}
