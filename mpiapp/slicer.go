package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"laggard/model"
	"laggard/report/source"
	"laggard/slicing"
	"laggard/slicing/cached"
	"laggard/slicing/dyninst"
	"laggard/slicing/isolated"
	"laggard/slicing/native"
	"laggard/slicing/python"
	"laggard/symbol"
)

// What the process that makes slices may use. It collects memory eagerly above sliceMemory bytes, and
// is ended above maxSliceMemory bytes of memory or maxSliceStack bytes of stack.
const (
	sliceMemory    = 448 << 20
	maxSliceMemory = 1 << 30
	maxSliceStack  = 256 << 20
)

// slicerSetup tells the process that makes slices what to make them with.
type slicerSetup struct {
	Backend    string
	Loops      bool // slices are termination-sensitive
	Symbols    symbol.Config
	Debuginfod bool // Symbols asks debuginfod
	Finder     source.Finder
	CacheMB    int // of slices that are kept; 0: none are
}

// newSlicer returns a Slicer of the backend that was asked for, or of native, with a note that says why. It works in
// a process of its own.
func (q question) newSlicer(finder source.Finder) (s slicing.Slicer, note string) {
	setup := slicerSetup{Backend: q.backend, Loops: q.loops, Symbols: q.Symbols, Finder: finder, CacheMB: q.cacheMB}
	setup.Symbols.Debuginfod, setup.Debuginfod = nil, q.Symbols.Debuginfod != nil
	if q.backend == "dyninst" {
		if _, err := dyninstHelper(); err != nil {
			setup.Backend, note = "native", fmt.Sprintf("the slice was made by native: %v", err)
		}
	}
	child := func() *exec.Cmd {
		text, err := json.Marshal(setup)
		cmd := q.self(context.Background(), "slicer", string(text))
		cmd.Err = errors.Join(cmd.Err, err)
		return cmd
	}
	return python.New(isolated.New(setup.Backend, child), finder.Text), note
}

// selfCommand is this program with other arguments, killed when ctx is done.
func selfCommand(ctx context.Context, args ...string) *exec.Cmd {
	self, err := os.Executable()
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Args[0] = os.Args[0]
	cmd.Err = errors.Join(cmd.Err, err)
	return cmd
}

// slicerCommand is the process that makes the slices of another one, see package isolated.
func (a *app) slicerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "slicer SETUP",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var setup slicerSetup
			if err := json.Unmarshal([]byte(args[0]), &setup); err != nil {
				return usageError{err}
			}
			if err := limitSlicer(); err != nil {
				return err
			}
			if setup.Debuginfod {
				setup.Symbols.Debuginfod = symbol.NewDebuginfod(a.err)
			}
			resolver := symbol.New(setup.Symbols)
			defer resolver.Close()
			s, finish, err := setup.newSlicer(resolver)
			if err != nil {
				return err
			}
			defer finish()
			return isolated.Serve(s, func(stack []model.Frame) { resolver.ResolveProgramStack(stack, false) }, os.Stdin, a.raw)
		},
	}
}

// limitSlicer bounds what this process may use. It leaves no core file: what it dies of is a slice that is too
// large, and not a fault of the program that is diagnosed.
func limitSlicer() error {
	debug.SetMemoryLimit(sliceMemory)
	debug.SetMaxStack(maxSliceStack)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // not a rank, where memory runs out
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return err
	}
	return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: maxSliceMemory, Max: maxSliceMemory})
}

// newSlicer is the Slicer that works in this process.
func (setup slicerSetup) newSlicer(resolver *symbol.Resolver) (s slicing.Slicer, finish func(), err error) {
	options := native.Options{TerminationSensitive: setup.Loops, Source: setup.Finder.Text}
	if setup.Backend != "dyninst" {
		return setup.keepAnswers(native.New(resolver, options), resolver), func() {}, nil
	}
	path, err := dyninstHelper()
	if err != nil {
		return nil, nil, err
	}
	d := dyninst.New(path, resolver, options)
	return d, func() { _ = d.Close() }, nil
}

// keepAnswers returns a Slicer that keeps the answers of s on disk, or s where that is not possible.
func (setup slicerSetup) keepAnswers(s slicing.Slicer, resolver *symbol.Resolver) slicing.Slicer {
	dir, err := os.UserCacheDir()
	maker, known := identifySelf()
	if setup.CacheMB == 0 || err != nil || !known {
		return s
	}
	return cached.New(s, cached.Config{
		Dir: filepath.Join(dir, "laggard", "slices"), MaxBytes: int64(setup.CacheMB) << 20,
		Maker:          fmt.Sprintf("%s loops=%t", maker, setup.Loops),
		IdentifyModule: resolver.Identify, IdentifySource: setup.Finder.Identify,
	})
}

// identifySelf identifies this program, so that another build of it makes its own answers.
func identifySelf() (identity string, known bool) {
	self, err := os.Executable()
	if err != nil {
		return "", false
	}
	info, err := os.Stat(self)
	if err != nil {
		return "", false
	}
	return fmt.Sprintf("%s, %d bytes, %d", version, info.Size(), info.ModTime().UnixNano()), true
}

// dyninstHelper is the path of the Dyninst helper that belongs to this program.
func dyninstHelper() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	return dyninst.Find(filepath.Dir(self))
}
