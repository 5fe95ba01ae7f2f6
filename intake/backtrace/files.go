package backtrace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"laggard/internal/regular"
)

// Gathered is what some files hold.
type Gathered struct {
	Stacks         []Stack
	Files, Skipped int // how many were looked at; of those of directories, how many hold no backtrace
}

// ReadFiles reads files, and those of directories in the order of their names. What is wrong
// with a file goes to problem, and the rest is read; read is told how many have been
// looked at, after each. An error means that a path is not there.
func ReadFiles(paths []string, problem func(error), read func(files int)) (*Gathered, error) {
	g := &Gathered{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("import: %w", err)
		}
		if !info.IsDir() {
			g.addFile(path, false, problem, read)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			problem(fmt.Errorf("import: %w", err))
		}
		for _, e := range entries {
			if e.Type().IsRegular() {
				g.addFile(filepath.Join(path, e.Name()), true, problem, read)
			}
		}
	}
	return g, nil
}

// addFile reads one. A directory may hold other things as well, which are no problem.
func (g *Gathered) addFile(path string, found bool, problem func(error), read func(files int)) {
	stacks, problems, err := readFile(path)
	g.Files++
	read(g.Files)
	if found && errors.Is(err, ErrFormat) {
		g.Skipped++
		return
	}
	for _, p := range problems {
		problem(p)
	}
	if err != nil {
		problem(err)
	}
	g.Stacks = append(g.Stacks, stacks...)
}

func readFile(path string) ([]Stack, []*Problem, error) {
	file, _, err := regular.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("import: %w", err)
	}
	defer file.Close()
	return Read(path, file)
}
