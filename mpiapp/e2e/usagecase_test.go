//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"laggard/internal/musttest"
)

const usagePrograms = "../testdata/usage"

// usageCase is a faulty program and its correct twin in one source of
// testdata/usage, which the argument chooses. Its first comment says
//
//	usage: class=CLASS[|CLASS…] ranks=N [hangs | may-hang] [patience=DURATION]
//
// The class is that of the error, or one of several that name it as well; the
// comment ERROR stands on its lines.
type usageCase struct {
	source   string
	classes  []string // the first is the one it counts for
	ranks    int
	hangs    bool          // the faulty program hangs with every MPI
	mayHang  bool          // with some
	patience time.Duration // without progress before the faulty program counts as hung
	lines    []int         // of the error
	heldOut  bool          // not looked at while the checks were made
}

// The standstill after which a program here hangs, if it does not say another:
// those that wait, wait for less than half a second. One that must not hang gets
// more, so that a busy machine, where MPI_Init takes its time, is no hang.
const (
	usagePatience  = 3 * time.Second
	longerPatience = 20 * time.Second
)

// usageCases reads all programs, sorted by name.
func usageCases(t *testing.T) []usageCase {
	t.Helper()
	files := musttest.Get(os.ReadDir(usagePrograms))(t)
	heldOut := heldOutCases(t)
	var cases []usageCase
	for _, f := range files {
		if !slices.Contains([]string{".c", ".f", ".f90"}, filepath.Ext(f.Name())) {
			continue
		}
		c := musttest.Get(readUsageCase(f.Name()))(t)
		if c.heldOut = heldOut[c.source]; c.heldOut != reportedByHash(c.source) {
			t.Fatalf("%s: held-out.txt does not hold what the hash of the names says", c.source)
		}
		delete(heldOut, c.source)
		cases = append(cases, c)
	}
	if len(heldOut) > 0 {
		t.Fatalf("held-out.txt names programs that are not there: %v", slices.Sorted(maps.Keys(heldOut)))
	}
	return cases
}

// reportedByHash halves the programs for good: a new one cannot be put on either
// side by choice.
func reportedByHash(name string) bool {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()%2 == 1
}

func heldOutCases(t *testing.T) map[string]bool {
	t.Helper()
	text := musttest.Get(os.ReadFile(filepath.Join(usagePrograms, "held-out.txt")))(t)
	names := map[string]bool{}
	for name := range strings.FieldsSeq(string(text)) {
		names[name] = true
	}
	return names
}

func readUsageCase(name string) (usageCase, error) {
	c := usageCase{source: name, patience: usagePatience}
	text, err := os.ReadFile(filepath.Join(usagePrograms, name))
	if err != nil {
		return c, err
	}
	for i, line := range bytes.Split(text, []byte("\n")) {
		if bytes.Contains(line, []byte("/* ERROR")) || bytes.Contains(line, []byte("! ERROR")) {
			c.lines = append(c.lines, i+1)
		}
	}
	first, _, _ := strings.Cut(string(text), "\n")
	_, keys, ok := strings.Cut(first, "usage: ")
	if !ok || len(c.lines) == 0 {
		return c, fmt.Errorf("%s: no first line with usage:, or no line with ERROR", name)
	}
	for word := range strings.FieldsSeq(keys) {
		if err := c.setAttribute(word); err != nil {
			return c, fmt.Errorf("%s: %q: %w", name, word, err)
		}
	}
	if len(c.classes) == 0 || c.ranks < 1 {
		return c, fmt.Errorf("%s: no class or no ranks", name)
	}
	return c, nil
}

// hangPatience is after how long without progress the faulty or the correct program
// counts as hung.
func (c *usageCase) hangPatience(faulty bool) time.Duration {
	if faulty && (c.hangs || c.mayHang) {
		return c.patience
	}
	return max(c.patience, longerPatience)
}

func (c *usageCase) setAttribute(word string) (err error) {
	key, value, _ := strings.Cut(word, "=")
	switch key {
	case "class":
		c.classes = strings.Split(value, "|")
	case "ranks":
		c.ranks, err = strconv.Atoi(value)
	case "hangs":
		c.hangs = true
	case "may-hang":
		c.mayHang = true
	case "patience":
		c.patience, err = time.ParseDuration(value)
	default:
		err = fmt.Errorf("no such word")
	}
	return err
}

// buildUsage compiles a program of testdata/usage; a warning is an error.
func (f family) buildUsage(c usageCase) (string, error) {
	dir := filepath.Join(workDir, f.String(), "usage", c.source)
	out := filepath.Join(dir, "program")
	flags := []string{"-Wall", "-Werror",
		"-O0"} // some compilers of an MPI optimise, and leave out writes that nothing reads
	if filepath.Ext(c.source) == ".c" {
		// MPICH's header gives MPI_STATUSES_IGNORE an address that gcc takes for an array of none.
		flags = append(flags, "-Wextra", "-Wno-stringop-overflow")
	}
	return out, f.compileProgram(filepath.Join("..", "usage", c.source), dir, out, flags)
}
