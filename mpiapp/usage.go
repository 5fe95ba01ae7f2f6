package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"laggard/analysis/usage"
	"laggard/analysis/usage/finding"
	"laggard/report"
	"laggard/report/source"
	usagereport "laggard/report/usage"
	"laggard/symbol"
)

const usageLong = `Read a run that was recorded with --record usage and say where the program uses
MPI wrongly: deadlocks and what only buffering hides, collectives, messages and
types that do not match, invalid arguments, lost requests, leaks, writes to send
buffers, overlapping buffers, one-sided access out of its epoch, and more. Each
finding names the ranks, the calls of both sides, the section of the standard,
and what to change. docs/usage.md lists the classes.

A finding that is known is left out by --ignore, by a file of such lines, or by
[[usage.ignore]] in the settings. Between MPI_Pcontrol(0) and MPI_Pcontrol(1) the
program itself asks for silence.

Exit status: 0 done, 1 failed, 2 usage, 3 something was found (only with
--exit-code), 4 done but data was missing or damaged.`

const usageExample = `  laggard run --record usage -- mpirun -np 4 ./app && laggard usage RUNDIR
  laggard usage --json RUNDIR | jq -r '.findings[] | "\(.class): \(.message)"'
  laggard usage --exit-code --ignore leak --ignore potential_deadlock@halo.c:120 RUNDIR
  laggard usage --ignore-file known.txt --html usage.html RUNDIR`

type usageFlags struct {
	analysisFlags
	json, exitCode bool
	html           string
	ignore, files  []string
}

func (a *app) usageCommand() *cobra.Command {
	var f usageFlags
	cmd := &cobra.Command{
		Use:     "usage [flags] RUNDIR",
		Short:   "Say where the program uses MPI wrongly",
		Long:    usageLong,
		Example: usageExample,
		Args:    oneRunDir,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.usage(cmd.Context(), f, args[0]) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.StringVar(&f.html, "html", "", "write the findings as one page to `FILE`, - for the output")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit with 3 if something is found")
	flags.StringSliceVar(&f.ignore, "ignore", nil,
		"leave out findings of `CLASS`, CLASS@FILE, CLASS@FILE:LINE or CLASS@FUNCTION(); may be repeated")
	flags.StringSliceVar(&f.files, "ignore-file", nil, "`FILE` with a line for each such; may be repeated")
	f.analysisFlags.register(cmd)
	return cmd
}

// ignores are those of the settings, the files and the flags.
func (a *app) ignores(f usageFlags) ([]finding.Ignore, error) {
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

func (a *app) usage(ctx context.Context, f usageFlags, dir string) error {
	if f.json && f.html != "" {
		return usageError{errors.New("--json and --html: it is one or the other")}
	}
	if err := f.check(); err != nil {
		return err
	}
	if err := isDir(dir); err != nil {
		return err
	}
	result, err := a.used(ctx, f, dir)
	if err != nil || result == nil {
		return err
	}
	switch {
	case f.html != "":
		err = a.writePage(f.html, func(w io.Writer) error { return usagereport.HTML(w, result) })
	case f.json:
		err = report.JSON(a.out, result)
	default:
		err = usagereport.Text(a.out, result)
	}
	switch {
	case err != nil:
		return err
	case f.exitCode && len(result.Findings) > 0:
		return exitError{exitFindings}
	case !result.Complete:
		return exitError{exitDamaged}
	}
	return nil
}

// used is what usage finds; nil: another process has it.
func (a *app) used(ctx context.Context, f usageFlags, dir string) (*usagereport.Result, error) {
	ignore, err := a.ignores(f)
	if err != nil {
		return nil, usageError{err}
	}
	found, err := concluded(ctx, inWorld, f.analysts, usage.Question{Dir: dir, Memory: a.settings.memory()}, usage.Run)
	if err != nil || found == nil {
		return nil, err
	}
	return a.namedUsage(f, dir, found, ignore), nil
}

// usageSource is how many source lines the page has on each side of a call.
const usageSource = 3

// namedUsage puts functions and lines to the findings, and source lines if a page shows them.
func (a *app) namedUsage(f usageFlags, dir string, found *usage.Result, ignore []finding.Ignore) *usagereport.Result {
	symbols := f.symbols(a, dir)
	resolver := symbol.New(symbols)
	defer resolver.Close()
	in := usagereport.Source{
		Run: report.NewRun(found.Index), Ranks: found.Index.Size, Findings: found.Findings, Ignore: ignore,
		Incomplete: found.Incomplete, Resolver: resolver,
	}
	if f.html != "" {
		in.Finder = &source.Finder{RunDir: dir, Roots: symbols.Roots, Started: in.Run.Created}
		in.Around = usageSource
	}
	return usagereport.New(in)
}

// wrongUse prints what usage finds beside the job's own output, and reports whether that was anything.
func (a *app) wrongUse(dir string) (found bool, err error) {
	sub := *a
	sub.out = a.err
	err = sub.usage(context.Background(), usageFlags{exitCode: true}, dir)
	var exit exitError
	if errors.As(err, &exit) {
		return exit.code == exitFindings, nil // missing data is reported, and is no failure of the job
	}
	return false, err
}
