package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"laggard/reduce"
	"laggard/symbol"
)

// analysisFlags are the flags of every analysis.
type analysisFlags struct {
	analysts         int
	roots, debugDirs []string
}

func (f *analysisFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&f.analysts, "analysts", 0,
		"how many analysis ranks to use in this process (default: one per core)")
	flags.StringSliceVar(&f.roots, "root", nil, "`DIR` with the files of the machine the job ran on; may be repeated")
	flags.StringSliceVar(&f.debugDirs, "debug-dir", nil, "`DIR` with separate debug files; may be repeated")
}

func (f *analysisFlags) check() error {
	if f.analysts < 0 {
		return usageError{fmt.Errorf("--analysts %d: it is a number of ranks", f.analysts)}
	}
	return nil
}

// symbols says where executables and debug information of a run are.
func (f *analysisFlags) symbols(a *app, dir string) symbol.Config {
	return symbol.Config{
		RunDir:    dir,
		Roots:     append(f.roots, a.settings.Symbols.Roots...),
		DebugDirs: append(f.debugDirs, a.settings.Symbols.DebugDirs...),
	}
}

// A world runs a body on analysis ranks: inWorld, or [reduce.Run] where they are
// to be in this process.
type world func(ranks int, body func(reduce.Comm) error) error

// concluded puts the question to the analysis ranks of a world, one per core if
// analysts is 0, and returns the result of the one that has it, the first; nil
// where that one is another process.
func concluded[Q, R any](
	ctx context.Context, in world, analysts int, q Q, run func(context.Context, Q, reduce.Comm) (*R, error),
) (*R, error) {
	var result *R
	err := in(cmp.Or(analysts, runtime.NumCPU()), func(c reduce.Comm) error {
		r, err := run(ctx, q, c)
		if r != nil {
			result = r // one rank alone has any
		}
		return err
	})
	return result, aboutFlags(err)
}
