package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"laggard/analysis/compare"
	comparereport "laggard/report/compare"
)

const compareLong = `Compare a bad run with a good run of the same program, and list what the bad run did
that the good one never did: calls, their order, iterations, messages, collectives,
errors. The likeliest cause comes first. The runs may be of different builds: calls
are matched by the functions that lead to them, also when lines have moved. The
numbers of ranks may differ, too; then less is compared.

A bad run that hung or was killed is judged by what it did, and not by what it had
still to do. Several good runs, with --good, show what varies by itself.

Exit status: 0 done, 1 failed, 2 usage, 3 a difference was found (only with
--exit-code), 4 done but data was missing or damaged.`

const compareExample = `  laggard run -o good -- mpirun -np 4 ./app-1.2
  laggard run -o bad -- mpirun -np 4 ./app-1.3
  laggard compare good bad
  laggard compare --html compare.html good bad
  laggard compare --good good2 --good good3 good1 bad
  laggard diagnose --against good bad`

type compareFlags struct {
	analysisFlags
	output outputFlags
	all    bool
	good   []string
}

// runComparison lists what a bad run did otherwise than good ones.
type runComparison struct{ *app }

func (a runComparison) command() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:     "compare [flags] GOOD BAD",
		Short:   "List what a bad run did that a good run of the same program never did",
		Long:    compareLong,
		Example: compareExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return usageError{fmt.Errorf("expected the run directories GOOD and BAD, got %d; see %s --help", len(args), cmd.CommandPath())}
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.reportComparison(cmd.Context(), f, args[0], args[1])
		},
		ValidArgsFunction: completeRunDirs,
	}
	f.output.register(cmd, "the differences", "a difference is found")
	flags := cmd.Flags()
	flags.BoolVar(&f.all, "all", false, "list all differences")
	flags.StringArrayVar(&f.good, "good", nil, "another good `RUNDIR`; may be repeated")
	f.register(cmd)
	return cmd
}

// newCompareQuestion asks how a run differs from good ones.
func (a *app) newCompareQuestion(f *symbolFlags, good []string, bad string) (compare.Question, error) {
	q := compare.Question{Good: good, Bad: bad, BadSymbols: f.symbolConfig(a, bad)}
	if err := checkDirs(append(good, bad)...); err != nil {
		return q, err
	}
	for _, dir := range good {
		q.GoodSymbols = append(q.GoodSymbols, f.symbolConfig(a, dir))
	}
	return q, nil
}

func (a runComparison) reportComparison(ctx context.Context, f compareFlags, good, bad string) error {
	if err := errors.Join(f.check(), f.output.check()); err != nil {
		return err
	}
	q, err := a.newCompareQuestion(&f.symbolFlags, append([]string{good}, f.good...), bad)
	if err != nil {
		return err
	}
	found, err := runAnalysis(ctx, runInWorld, f.analysts, q, compare.Run)
	if err != nil || found == nil {
		return err
	}
	result := comparereport.New(found)
	return a.print(f.output, output{
		result: result,
		text:   func(w io.Writer) error { return comparereport.Text(w, result, f.all) },
		page:   func(w io.Writer) error { return comparereport.HTML(w, result) },
		found:  len(result.Differences) > 0, damaged: len(result.Problems) > 0,
	})
}
