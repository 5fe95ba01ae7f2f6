package values

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"laggard/internal/regular"
)

// File is what was seen on one node.
type File struct {
	SchemaVersion int    `json:"schema_version"`
	Ranks         []Rank `json:"ranks"`
}

// Rank is what the variables of one rank held.
type Rank struct {
	Rank   int     `json:"rank"`
	Frames []Frame `json:"frames"` // innermost first, inlined calls are frames of their own
	// Static has the variables outside of functions that a source file can see.
	Static map[string][]Value `json:"static,omitempty"`
}

// Frame is one logical level of a stack.
type Frame struct {
	Function string  `json:"function"` // for display, as symbol.Call has it
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Values   []Value `json:"values,omitempty"` // of two with one name the first is meant
	// Unknown are the names of variables of the function that have no value here.
	Unknown []string `json:"unknown,omitempty"`
}

// Value is what a name stood for.
type Value struct {
	// as the source writes it: "n", "grid.n", "mesh->part"; in Fortran "grid%n"
	Name  string `json:"name"`
	Value string `json:"value"` // the value, as text
	// others than the call of the function can reach it: it is outside of functions, a pointer leads to it, or a method was called for it
	Shared bool `json:"shared,omitempty"`
}

const version = 1

// Files is the pattern of the names of such files in a run directory; in place of the star is the host.
const Files = "values-*.json"

// Limits of what is read.
const (
	maxFile  = 64 << 20 // bytes
	maxFiles = 1024     // nodes
)

// ErrValues is wrapped by every error about such a file.
var ErrValues = errors.New("bad file of values")

// Write writes the file of a node into a run directory. Readers see all of it or none.
func Write(dir, host string, ranks []Rank) error {
	text, err := json.Marshal(File{version, ranks})
	if err != nil {
		return fmt.Errorf("values: %w", err)
	}
	path := filepath.Join(dir, strings.Replace(Files, "*", strings.ReplaceAll(host, "/", "_"), 1))
	if err := regular.ReplaceFile(path, append(text, '\n')); err != nil {
		return fmt.Errorf("values: %w", err)
	}
	return nil
}

// Read returns the ranks of all nodes, and what could not be read.
func Read(dir string) (ranks []Rank, problems []error) {
	names, _ := filepath.Glob(filepath.Join(dir, Files))
	for _, name := range names[:min(len(names), maxFiles)] {
		text, err := regular.Read(name, maxFile)
		var f *File
		if err == nil {
			f, err = Parse(text)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", filepath.Base(name), err))
			continue
		}
		ranks = append(ranks, f.Ranks...)
	}
	slices.SortStableFunc(ranks, func(a, b Rank) int { return cmp.Compare(a.Rank, b.Rank) })
	return ranks, problems
}

// Parse reads a file. Errors wrap ErrValues.
func Parse(text []byte) (*File, error) {
	f := new(File)
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrValues, err)
	}
	if f.SchemaVersion != version {
		return nil, fmt.Errorf("%w: schema_version %d, this program reads %d", ErrValues, f.SchemaVersion, version)
	}
	return f, nil
}
