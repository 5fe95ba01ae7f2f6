package cpython

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// Text is layouts.tbl, the table that all layouts come from: those of this package and those of the recorder.
//
//go:embed layouts.tbl
var Text string

// Table is what such a text says.
type Table struct {
	Minors  []int // the versions, of 3.minor
	Members []Member
}

// Member is a member of CPython's structures, and where it is.
type Member struct {
	Name, Doc string
	Offsets   []uint32 // by version: bytes, [Absent], or [Stated] and the number of a word
}

const (
	// Absent is the offset of a member that a version does not have, or whose place is not known.
	Absent = ^uint32(0)
	// Stated marks the number of a word of _Py_DebugOffsets, which states the offset.
	Stated = 1 << 31
)

// ParseTable reads a text such as [Text]. The error names the line.
func ParseTable(text string) (t Table, err error) {
	for i, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		n := len(t.Minors)
		switch {
		case len(fields) == 0 || fields[0] == "#":
		case n == 0:
			for _, f := range fields[1:] {
				minor, err := strconv.Atoi(strings.TrimPrefix(f, "3."))
				if err != nil {
					return t, fmt.Errorf("layouts.tbl:%d: version %q", i+1, f)
				}
				t.Minors = append(t.Minors, minor)
			}
		case len(fields) < 2+n:
			return t, fmt.Errorf("layouts.tbl:%d: want a value for each version, and a comment", i+1)
		default:
			m := Member{Name: fields[0], Doc: strings.Join(fields[1+n:], " ")}
			for _, f := range fields[1 : 1+n] {
				offset, err := parseOffset(f)
				if err != nil {
					return t, fmt.Errorf("layouts.tbl:%d: offset %q", i+1, f)
				}
				m.Offsets = append(m.Offsets, offset)
			}
			t.Members = append(t.Members, m)
		}
	}
	return t, nil
}

func parseOffset(text string) (uint32, error) {
	if text == "-" {
		return Absent, nil
	}
	digits, stated := strings.CutPrefix(text, "@")
	n, err := strconv.ParseUint(digits, 10, 16)
	if stated {
		n |= Stated
	}
	return uint32(n), err
}
