package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"laggard/analysis/usage"
	"laggard/analysis/usage/finding"
	"laggard/internal/heap"
	"laggard/report"
	"laggard/report/source"
	usagereport "laggard/report/usage"
	"laggard/symbol"
)

const usageLong = `Read a run that was recorded with --record usage and report where the program uses
MPI wrongly: deadlocks, including those hidden by buffering; collectives, messages
and types that do not match; invalid arguments; lost requests; leaks; writes to send
buffers; overlapping buffers; one-sided access outside its epoch; and more. Each
finding names the ranks, the calls of both sides, the section of the standard,
and what to change. docs/manual/usage.md lists the classes.

Calls that returned an error to a program that asked for that with MPI_ERRORS_RETURN
are counted, and listed with --refused.

A known finding is suppressed by --ignore, by a file of such lines, or by
[[usage.ignore]] in the settings. Between MPI_Pcontrol(0) and MPI_Pcontrol(1) the
program itself suppresses findings.

Exit status: 0 done, 1 failed, 2 usage, 3 something was found (only with
--exit-code), 4 done but data was missing or damaged.`

const usageExample = `  laggard run --record usage -- mpirun -np 4 ./app && laggard usage RUNDIR
  laggard usage --json RUNDIR | jq -r '.findings[] | "\(.class): \(.message)"'
  laggard usage --exit-code --ignore leak --ignore potential_deadlock@halo.c:120 RUNDIR
  laggard usage --ignore-file known.txt --html usage.html RUNDIR`

type usageFlags struct {
	analysisFlags
	output        outputFlags
	ignore, files []string
	refused       bool
	time          time.Duration
}

// usageAnalysis reports where a program uses MPI wrongly.
type usageAnalysis struct{ *app }

func (a usageAnalysis) command() *cobra.Command {
	var f usageFlags
	cmd := a.runDirCommand(&cobra.Command{
		Use: "usage [flags] RUNDIR", Short: "Report where the program uses MPI wrongly",
		Long: usageLong, Example: usageExample,
	}, func(ctx context.Context, dir string) error { return a.reportUsage(ctx, f, dir) })
	f.output.register(cmd, "the findings", "something is found")
	flags := cmd.Flags()
	flags.StringSliceVar(&f.ignore, "ignore", nil,
		"suppress findings of `CLASS`, CLASS@FILE, CLASS@FILE:LINE or CLASS@FUNCTION(); may be repeated")
	flags.StringSliceVar(&f.files, "ignore-file", nil, "`FILE` of findings to suppress, one a line; may be repeated")
	flags.BoolVar(&f.refused, "refused", false,
		"also report calls that returned an error to the program by MPI_ERRORS_RETURN")
	durationVar(flags, &f.time, "time", 0, "report after `D` what was found until then (default: no limit)")
	f.analysisFlags.register(cmd)
	return cmd
}

// ignoredFindings are those of the settings, the files and the flags.
func (a usageAnalysis) ignoredFindings(f usageFlags) ([]finding.Ignore, error) {
	out := slices.Clone(a.settings.Usage.Ignore)
	for _, name := range slices.Concat(a.settings.Usage.IgnoreFiles, f.files) {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("what to ignore: %w", err)
		}
		list, err := finding.ParseIgnores(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, list...)
	}
	for _, text := range f.ignore {
		i, err := finding.ParseIgnore(text)
		if err != nil {
			return nil, fmt.Errorf("--ignore: %w", err)
		}
		out = append(out, i)
	}
	return out, nil
}

func (a usageAnalysis) reportUsage(ctx context.Context, f usageFlags, dir string) error {
	if err := f.output.check(); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	if f.time < 0 {
		return usageError{fmt.Errorf("--time must be positive, not %s", f.time)}
	}
	if err := checkDirs(dir); err != nil {
		return err
	}
	heap.TuneGC(heap.Little)
	result, err := a.findUsage(ctx, f, dir)
	if err != nil || result == nil {
		return err
	}
	return a.print(f.output, output{
		result: result,
		text:   func(w io.Writer) error { return usagereport.Text(w, result) },
		page:   func(w io.Writer) error { return usagereport.HTML(w, result) },
		found:  len(result.Findings) > 0, damaged: !result.Complete,
	})
}

// findUsage is what usage finds; nil: another process has it.
func (a usageAnalysis) findUsage(ctx context.Context, f usageFlags, dir string) (*usagereport.Result, error) {
	ignore, err := a.ignoredFindings(f)
	if err != nil {
		return nil, usageError{err}
	}
	q := usage.Question{Dir: dir, Memory: a.settings.eventMemory(), Time: f.time, Progress: a.delayedProgress(progressInterval)}
	found, err := runAnalysis(ctx, runInWorld, f.analysts, q, usage.Run)
	if err != nil || found == nil {
		return nil, err
	}
	return a.newUsageReport(f, dir, found, ignore), nil
}

// usageSource is how many source lines the page has on each side of a call.
const usageSource = 3

// newUsageReport puts functions and lines to the findings, and source lines if a page shows them.
func (a usageAnalysis) newUsageReport(f usageFlags, dir string, found *usage.Result, ignore []finding.Ignore) *usagereport.Result {
	symbols := f.symbolConfig(a.app, dir)
	resolver := symbol.New(symbols)
	defer resolver.Close()
	in := usagereport.Source{
		Run: report.NewRun(found.Index), Ranks: found.Index.Size, Findings: found.Findings, Ignore: ignore,
		Refused: f.refused || a.settings.Usage.Refused, Incomplete: found.Incomplete, Resolver: resolver,
	}
	if f.output.html != "" {
		in.Finder = &source.Finder{RunDir: dir, Roots: symbols.Roots, Started: in.Run.Created}
		in.Around = usageSource
	}
	return usagereport.New(in)
}

// printUsageFindings prints what usage finds beside the job's own output, and reports whether that was anything.
func (a usageAnalysis) printUsageFindings(dir string) (found bool, err error) {
	sub := *a.app
	sub.out = a.err
	err = usageAnalysis{&sub}.reportUsage(context.Background(), usageFlags{output: outputFlags{exitCode: true}}, dir)
	var exit exitError
	if errors.As(err, &exit) {
		return exit.code == exitFindings, nil // missing data is reported, and is no failure of the job
	}
	return false, err
}
