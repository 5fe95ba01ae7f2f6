package mpi

import (
	"slices"
	"strings"

	"laggard/internal/lateregexp"
)

// ErrorClass returns the name of the class of an error code of the family, such as MPI_ERR_TRUNCATE; "": it is not in the table.
func (f Family) ErrorClass(code int) string {
	if f == MPICH {
		code &= mpichClassMask
	}
	column := f.tableColumn()
	for _, c := range constants() {
		if column >= 0 && c.Set == Errors && c.Numbers[column] == int64(code) {
			return "MPI_" + strings.ToUpper(c.Name)
		}
	}
	return ""
}

// mpichClassMask are the bits of an error code of MPICH that are its class.
const mpichClassMask = 0x7f

// mpichPlace is the function of MPICH and its line before what is said there, as in "MPIR_Send(63)....: ".
var mpichPlace = lateregexp.New(`^\S+\(\d*\)\.*: `)

// DescribeError is the class of an error and what MPI says of it, in one line. MPICH adds a line for each of its functions that the error
// came through, of which the last says most and the first only what its class is.
func (f Family) DescribeError(code int, text string) string {
	isEmpty := func(line string) bool { return strings.TrimSpace(line) == "" }
	lines := slices.DeleteFunc(strings.Split(text, "\n"), isEmpty)
	class := f.ErrorClass(code)
	if len(lines) == 0 {
		return class
	}
	says := sayOnce(strings.TrimSpace(mpichPlace.ReplaceAllString(lines[len(lines)-1], "")))
	if class == "" && len(lines) > 1 {
		class = sayOnce(strings.TrimSpace(strings.TrimSuffix(lines[0], ", error stack:")))
	}
	if class == "" || strings.HasPrefix(says, class) {
		return says
	}
	return class + ": " + says
}

// sayOnce is a text without its second half, if that repeats the first behind a colon: MPICH says "Wrong synchronization of RMA calls :
// Wrong synchronization of RMA calls".
func sayOnce(text string) string {
	for i := range text {
		if text[i] == ':' && strings.TrimSpace(text[:i]) == strings.TrimSpace(text[i+1:]) {
			return strings.TrimSpace(text[:i])
		}
	}
	return text
}

// exhausted matches what libraries say when they have no more of something.
var exhausted = lateregexp.New(`(?i)too many|out of memory|unable to allocate|no space|not enough`)

// MayFollowLoss reports whether an error, of which MPI said that, may follow from the end of another process or from a lost
// connection. Errors of the arguments of a call do not, nor does one of a message that is too long, or of what there is no more of.
func (f Family) MayFollowLoss(code int, text string) bool {
	switch f.ErrorClass(code) {
	case "", "MPI_ERR_UNKNOWN", "MPI_ERR_OTHER", "MPI_ERR_INTERN":
		return !exhausted.MatchString(text)
	}
	return false
}
