package known

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/BurntSushi/toml"

	"laggard/internal/tomlfile"
	"laggard/model/mpi"
)

//go:embed issues.toml
var builtIn string

// Issue is a known hang. A hang meets a condition if one of its values applies; an
// empty condition is met by all.
type Issue struct {
	Title      string `toml:"title"`      // what goes wrong
	Reference  string `toml:"reference"`  // address of the public issue
	Workaround string `toml:"workaround"` // what to do

	MPI      mpi.Family `toml:"mpi"`      // "openmpi" or "mpich" and what is made from it
	Versions []string   `toml:"versions"` // "4.1" (all 4.1.x), "4.0.2", or a range such as "4.0-4.1.4"
	Calls    []string   `toml:"calls"`    // all ranks are in these MPI functions
	Frames   []string   `toml:"frames"`   // parts of names of functions, or of modules, inside the library
	Modules  []string   `toml:"modules"`  // parts of names of modules that are seen inside the library
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
		t, err := parseTable(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, t...)
	}
	t, err := parseTable(builtIn)
	if err != nil {
		return nil, err // a test reads it too
	}
	return append(all, t...), nil
}

func parseTable(text string) (Table, error) {
	var doc struct {
		Issues Table `toml:"issue"`
	}
	meta, err := toml.Decode(text, &doc)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%w: line %d: unknown key %q", ErrTable, tomlfile.KeyLine(text, unknown[0]), unknown[0])
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
		return errors.New("title and reference are required")
	case i.MPI != "" && i.MPI != mpi.OpenMPI && i.MPI != mpi.MPICH:
		return fmt.Errorf("mpi %q: must be openmpi or mpich", i.MPI)
	case len(i.Calls) == 0 && len(i.Frames) == 0 && len(i.Modules) == 0:
		return errors.New("one of calls, frames or modules is required, or it would match any hang")
	case len(i.Versions) > 0 && i.MPI == "":
		return errors.New("versions requires mpi")
	}
	for _, v := range i.Versions {
		lo, hi, _ := strings.Cut(v, "-")
		if versionNumbers(lo) == nil || hi != "" && versionNumbers(hi) == nil {
			return fmt.Errorf("version %q: expected the form 4.1, 4.0.2 or 4.0-4.1.4", v)
		}
	}
	return nil
}
