package finding

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Ignore is a kind of finding that is not to be reported: a class, everywhere or
// only at one place of the program.
type Ignore struct {
	Class    string `toml:"class"`    // * stands for all
	File     string `toml:"file"`     // end of the name of a source file, from a slash on; "" any
	Line     int    `toml:"line"`     // 0 any
	Function string `toml:"function"` // "" any
}

// SourcePlace is where a call of a finding stands in the source.
type SourcePlace struct {
	Function, File string
	Line           int
}

// ErrIgnore is wrapped by errors about what is to be ignored.
var ErrIgnore = errors.New("no finding to ignore")

// ParseIgnore reads CLASS, CLASS@FILE, CLASS@FILE:LINE or CLASS@FUNCTION().
func ParseIgnore(text string) (Ignore, error) {
	class, place, placed := strings.Cut(strings.TrimSpace(text), "@")
	i := Ignore{Class: class}
	switch name, isFunction := strings.CutSuffix(place, "()"); {
	case placed && place == "":
		return i, fmt.Errorf("%w: %q has no place after the @", ErrIgnore, text)
	case isFunction:
		i.Function = name
	default:
		i.File = place
		if file, line, ok := strings.Cut(place, ":"); ok {
			n, err := strconv.Atoi(line)
			if err != nil || n < 1 {
				return i, fmt.Errorf("%w: %q: %q is not a line", ErrIgnore, text, line)
			}
			i.File, i.Line = file, n
		}
	}
	return i, i.CheckFields()
}

// ParseIgnores reads one ignore a line; what follows # is a remark. An error names
// the line.
func ParseIgnores(text string) ([]Ignore, error) {
	var out []Ignore
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		i, err := ParseIgnore(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		out = append(out, i)
	}
	return out, nil
}

// CheckFields returns an error if the class does not exist or the place makes no sense.
func (i Ignore) CheckFields() error {
	if _, known := ClassNamed(i.Class); !known && i.Class != "*" {
		return fmt.Errorf("%w: class %q: must be one of %s, or *", ErrIgnore, i.Class, strings.Join(classNames(), ", "))
	}
	if i.Line < 0 || i.Line > 0 && i.File == "" {
		return fmt.Errorf("%w: line %d of no file", ErrIgnore, i.Line)
	}
	return nil
}

func classNames() []string {
	out := make([]string, len(Classes))
	for i, c := range Classes {
		out[i] = c.Name
	}
	return out
}

// Covers reports whether a finding of a class with calls at these places is ignored.
func (i Ignore) Covers(class string, places []SourcePlace) bool {
	if i.Class != "*" && i.Class != class {
		return false
	}
	if i.File == "" && i.Function == "" {
		return true
	}
	for _, p := range places {
		file := i.File == "" || p.File == i.File || strings.HasSuffix(p.File, "/"+i.File)
		if file && (i.Line == 0 || p.Line == i.Line) && (i.Function == "" || p.Function == i.Function) {
			return true
		}
	}
	return false
}
