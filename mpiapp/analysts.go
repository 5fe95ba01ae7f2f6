package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"laggard/analysis/progress"
	"laggard/analysis/share"
	"laggard/analysis/slice"
	"laggard/model"
	"laggard/model/process"
	"laggard/reduce"
	"laggard/symbol"
)

// symbolFlags say where executables and debug information are looked for.
type symbolFlags struct {
	roots, debugDirs []string
	debuginfod       bool
}

func (f *symbolFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.roots, "root", nil, "`DIR` with the files of the machine the job ran on; may be repeated")
	flags.StringSliceVar(&f.debugDirs, "debug-dir", nil, "`DIR` with separate debug files; may be repeated")
	flags.BoolVar(&f.debuginfod, "debuginfod", false, "fetch missing debug files from the servers of DEBUGINFOD_URLS")
}

// symbolsOfLocalRanks looks also where ranks that run on this host have their files, in containers.
func symbolsOfLocalRanks(dir string) *symbolFlags {
	return &symbolFlags{roots: process.ContainerRoots(dir)}
}

// symbolConfig adds the places of the settings, and the directory of the run, "" none.
func (f *symbolFlags) symbolConfig(a *app, dir string) symbol.Config {
	c := symbol.Config{
		RunDir:    dir,
		Roots:     append(f.roots, a.settings.Symbols.Roots...),
		DebugDirs: append(f.debugDirs, a.settings.Symbols.DebugDirs...),
		Library:   a.settings.Symbols.Library,
	}
	if f.debuginfod || a.settings.Symbols.Debuginfod {
		c.Debuginfod = symbol.NewDebuginfod(a.err)
	}
	return c
}

// analysisFlags are the flags of every analysis.
type analysisFlags struct {
	analysts int
	symbolFlags
}

func (f *analysisFlags) register(cmd *cobra.Command) {
	f.symbolFlags.register(cmd)
	cmd.Flags().IntVar(&f.analysts, "analysts", 0,
		"number of analysis ranks in this process (default: one per core)")
}

func (f *analysisFlags) check() error {
	if f.analysts < 0 {
		return usageError{fmt.Errorf("--analysts must be a number of ranks, not %d", f.analysts)}
	}
	return nil
}

// A world runs a body on analysis ranks: runInWorld, or [reduce.Run] where they are to be in this process.
type worldRunner func(ranks int, body func(reduce.Comm) error) error

// runAnalysis puts the question to the analysis ranks of a world, one per core if analysts is 0, and returns the
// result of the one that has it, the first; nil where that one is another process.
func runAnalysis[Q, R any](
	ctx context.Context, in worldRunner, analysts int, q Q, run func(context.Context, Q, reduce.Comm) (*R, error),
) (*R, error) {
	var result *R
	err := in(cmp.Or(analysts, runtime.NumCPU()), func(c reduce.Comm) error {
		r, err := run(ctx, q, c)
		if r != nil {
			result = r // one rank alone has any
		}
		return err
	})
	return result, asFlagError(err)
}

// progressInterval is how often a long analysis says what it does.
const progressInterval = 2 * time.Second

// delayedProgress prints lines of progress once the work has taken two seconds, at most one in an interval.
func (a *app) delayedProgress(interval time.Duration) func(format string, args ...any) {
	next := time.Now().Add(progressInterval)
	return func(format string, args ...any) {
		if now := time.Now(); now.After(next) {
			next = now.Add(interval)
			fmt.Fprintf(a.err, "laggard: "+format+"\n", args...)
		}
	}
}

// parseRanks reads the value of --ranks, nil if there is none.
func parseRanks(text string) (*model.RankSet, error) {
	if text == "" {
		return nil, nil
	}
	set, err := model.ParseRankSet(text)
	if err != nil {
		return nil, usageError{fmt.Errorf("--ranks: %w", err)}
	}
	return &set, nil
}

// parseComm reads the value of --comm, 0 if there is none.
func parseComm(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64)
	if err != nil || id == 0 {
		return 0, usageError{fmt.Errorf("--comm must be a hexadecimal number as in the report, not %q", text)}
	}
	return id, nil
}

// asFlagError makes an error about what a flag asks for a wrong command line. It
// stays one of all analysis ranks, so that only one of them prints it.
func asFlagError(err error) error {
	shared, ok := errors.AsType[*reduce.RankError](err)
	if !ok {
		return err
	}
	flag := func(text string) error {
		return usageError{&reduce.RankError{Rank: shared.Rank, Err: fmt.Errorf(text, shared.Err)}}
	}
	if _, ok := errors.AsType[*share.RanksError](err); ok {
		return flag("--ranks: %w")
	}
	if _, ok := errors.AsType[*progress.CommError](err); ok {
		return flag("--comm %w")
	}
	if _, ok := errors.AsType[*slice.RankError](err); ok {
		return flag("--rank %w")
	}
	return err
}
