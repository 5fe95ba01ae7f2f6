package known

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/BurntSushi/toml"

	"laggard/internal/tomlfile"
)

//go:embed issues.toml
var builtIn string

// Issue is a known hang. A hang meets a condition if one of its values applies; an
// empty condition is met by all.
type Issue struct {
	Title      string `toml:"title"`      // what goes wrong
	Reference  string `toml:"reference"`  // address of the public issue
	Workaround string `toml:"workaround"` // what to do

	MPI      string   `toml:"mpi"`      // "openmpi" or "mpich" and what is made from it
	Versions []string `toml:"versions"` // "4.1" (all 4.1.x), "4.0.2", or a range such as "4.0-4.1.4"
	Calls    []string `toml:"calls"`    // all ranks are in these MPI functions
	Frames   []string `toml:"frames"`   // parts of names of functions, or of modules, inside the library
	Modules  []string `toml:"modules"`  // parts of names of modules that are seen inside the library
}

// Table is a list of issues.
type Table []Issue

// ErrTable is wrapped by every error about a table of issues.
var ErrTable = errors.New("bad table of known issues")

// Load returns the issues that come with the program, behind those of the files.
func Load(files ...string) (Table, error) {
	var all Table
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("known issues: %w", err)
		}
		t, err := parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, t...)
	}
	t, err := parse(builtIn)
	if err != nil {
		return nil, err // a test reads it too
	}
	return append(all, t...), nil
}

func parse(text string) (Table, error) {
	var doc struct {
		Issues Table `toml:"issue"`
	}
	meta, err := toml.Decode(text, &doc)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%w: line %d: unknown key %q", ErrTable, tomlfile.Line(text, unknown[0]), unknown[0])
	}
	for i, one := range doc.Issues {
		if err := one.check(); err != nil {
			return nil, fmt.Errorf("%w: issue %d: %w", ErrTable, i+1, err)
		}
	}
	return doc.Issues, nil
}

// check refuses issues that would say nothing, or match every hang.
func (i *Issue) check() error {
	switch {
	case i.Title == "" || i.Reference == "":
		return errors.New("it needs a title and a reference")
	case i.MPI != "" && i.MPI != "openmpi" && i.MPI != "mpich":
		return fmt.Errorf("mpi %q: it is openmpi or mpich", i.MPI)
	case len(i.Calls) == 0 && len(i.Frames) == 0 && len(i.Modules) == 0:
		return errors.New("it needs calls, frames or modules, or it would match any hang")
	case len(i.Versions) > 0 && i.MPI == "":
		return errors.New("versions are those of an mpi, which it needs")
	}
	for _, v := range i.Versions {
		lo, hi, _ := strings.Cut(v, "-")
		if numbers(lo) == nil || hi != "" && numbers(hi) == nil {
			return fmt.Errorf("version %q: it is like 4.1, 4.0.2 or 4.0-4.1.4", v)
		}
	}
	return nil
}
