package preload

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"laggard/internal/procfs"
)

// Kinds are the things that can be recorded, in the order they are named.
var Kinds = []string{"progress", "usage", "movement", "volume"}

// belowMPI tells what can be seen only by interposing C library functions.
func belowMPI(kind string) bool { return kind == "movement" || kind == "volume" }

// OrderKinds brings a list of things to record into order, each once; progress is
// always among them.
func OrderKinds(wanted []string) ([]string, error) {
	for _, w := range wanted {
		if !slices.Contains(Kinds, w) {
			return nil, fmt.Errorf("%q: must be one of %s", w, strings.Join(Kinds, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(Kinds), func(k string) bool {
		return k != "progress" && !slices.Contains(wanted, k)
	}), nil
}

// Names of the libraries. The second interposes C library functions and is
// preloaded only for what needs that. The others make a rank slow.
const (
	library     = "liblaggard.so"
	libcLibrary = "liblaggard-libc.so"

	beforeLibrary = "liblaggard-before.so"
	behindLibrary = "liblaggard-behind.so"
)

// Libraries are those that record what is named, as LD_PRELOAD lists them. set is
// the path of the first; "" looks beside this program and where make install puts
// it.
func Libraries(set string, record []string) (string, error) {
	lib, err := findRecorder(set)
	if err != nil || !slices.ContainsFunc(record, belowMPI) {
		return lib, err
	}
	second := filepath.Join(filepath.Dir(lib), libcLibrary)
	if _, err := os.Stat(second); err != nil {
		return "", fmt.Errorf("recorder: to record %s: %w", strings.Join(record, ", "), err)
	}
	return lib + ":" + second, nil
}

// IsIn reports whether the recorder is in a process.
func IsIn(pid int) bool {
	maps, err := procfs.ReadMaps(pid)
	return err == nil && slices.ContainsFunc(maps, func(m procfs.Mapping) bool { return filepath.Base(m.Path) == library })
}

// SlowLibraries are those that make a rank slow, which lie beside the recorder: the one that is preloaded before it, and the
// one behind it.
func SlowLibraries(set string) (before, behind string, err error) {
	lib, err := findRecorder(set)
	if err != nil {
		return "", "", err
	}
	before, behind = filepath.Join(filepath.Dir(lib), beforeLibrary), filepath.Join(filepath.Dir(lib), behindLibrary)
	for _, path := range []string{before, behind} {
		if _, err := os.Stat(path); err != nil {
			return "", "", fmt.Errorf("to make a rank slow: %w", err)
		}
	}
	return before, behind, nil
}

func findRecorder(set string) (string, error) {
	if set != "" {
		if _, err := os.Stat(set); err != nil {
			return "", fmt.Errorf("recorder: %w", err)
		}
		return filepath.Abs(set)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	bin := filepath.Dir(self)
	for _, dir := range []string{bin, filepath.Join(bin, "..", "lib", "laggard")} {
		path := filepath.Join(dir, library)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("recorder: %s is neither beside %s nor in ../lib/laggard; build it with make build", library, self)
}
