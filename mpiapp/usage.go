package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"laggard/analysis/share"
	"laggard/analysis/usage/between"
	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/replay"
	"laggard/model"
	"laggard/reduce"
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
	json, exitCode   bool
	html             string
	ignore, files    []string
	analysts         int
	roots, debugDirs []string
}

func (a *app) usageCommand() *cobra.Command {
	var f usageFlags
	cmd := &cobra.Command{
		Use:     "usage [flags] RUNDIR",
		Short:   "Say where the program uses MPI wrongly",
		Long:    usageLong,
		Example: usageExample,
		Args:    oneRunDir,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.usage(f, args[0]) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.StringVar(&f.html, "html", "", "write the findings as one page to `FILE`, - for the output")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit with 3 if something is found")
	flags.StringSliceVar(&f.ignore, "ignore", nil, "leave out findings of `CLASS`, CLASS@FILE, CLASS@FILE:LINE or CLASS@FUNCTION(); may be repeated")
	flags.StringSliceVar(&f.files, "ignore-file", nil, "`FILE` with a line for each such; may be repeated")
	flags.IntVar(&f.analysts, "analysts", 0, "how many analysis ranks to use in this process (default: one per core)")
	flags.StringSliceVar(&f.roots, "root", nil, "`DIR` with the files of the machine the job ran on; may be repeated")
	flags.StringSliceVar(&f.debugDirs, "debug-dir", nil, "`DIR` with separate debug files; may be repeated")
	return cmd
}

// usageQuestion is what is asked of the findings.
type usageQuestion struct {
	dir      string
	ignore   []finding.Ignore
	symbols  symbol.Config
	analysts int
	page     bool
}

func (a *app) askedUsage(f usageFlags, dir string) (usageQuestion, error) {
	if f.json && f.html != "" {
		return usageQuestion{}, usageError{fmt.Errorf("--json and --html: it is one or the other")}
	}
	if f.analysts < 0 {
		return usageQuestion{}, usageError{fmt.Errorf("--analysts %d: it is a number of ranks", f.analysts)}
	}
	ignore, err := a.ignores(f)
	if err != nil {
		return usageQuestion{}, usageError{err}
	}
	q := usageQuestion{
		dir: dir, ignore: ignore, analysts: f.analysts, page: f.html != "",
		symbols: symbol.Config{
			RunDir:    dir,
			Roots:     append(f.roots, a.settings.Symbols.Roots...),
			DebugDirs: append(f.debugDirs, a.settings.Symbols.DebugDirs...),
		},
	}
	if q.analysts == 0 {
		q.analysts = runtime.NumCPU()
	}
	return q, nil
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

func (a *app) usage(f usageFlags, dir string) error {
	q, err := a.askedUsage(f, dir)
	if err != nil {
		return err
	}
	if err := isDir(dir); err != nil {
		return err
	}
	var result *usagereport.Result
	err = inWorld(q.analysts, func(c reduce.Comm) error {
		u, err := findUsage(q, c)
		if u != nil {
			result = u
		}
		return err
	})
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
	if err != nil {
		return err
	}
	switch {
	case f.exitCode && len(result.Findings) > 0:
		return exitError{exitFindings}
	case !result.Complete:
		return exitError{exitDamaged}
	}
	return nil
}

// wrongUse prints what usage finds beside the job's own output, and reports whether
// that was anything.
func (a *app) wrongUse(dir string) (found bool, err error) {
	sub := *a
	sub.out = a.err
	err = sub.usage(usageFlags{exitCode: true}, dir)
	var exit exitError
	if errors.As(err, &exit) {
		return exit.code == exitFindings, nil // missing data is said, and no failure of the job
	}
	return false, err
}

var (
	findingsMonoid = reduce.Monoid[*finding.Group]{
		Codec: reduce.Codec[*finding.Group]{Encode: finding.EncodeGroup, Decode: finding.DecodeGroup},
		Merge: finding.MergeGroups,
	}
	evidenceMonoid = reduce.Monoid[*between.Evidence]{
		Codec: reduce.Codec[*between.Evidence]{Encode: between.Encode, Decode: between.Decode},
		Merge: between.Merge,
	}
)

// usageSource is how many source lines the page has on each side of a call.
const usageSource = 3

// findUsage is one analysis rank's part of the findings; the result is at rank 0. It
// replays its share of the recorded ranks, each by itself; what several ranks show
// together comes out at rank 0.
func findUsage(q usageQuestion, c reduce.Comm) (*usagereport.Result, error) {
	s, err := share.Find(q.dir, c, reduce.NewTree(c))
	if err != nil {
		return nil, err
	}
	found, evidence, known, err := replayShare(s.Index)
	if found, err = reduce.Reduce(s.Tree, findingsMonoid, found, err); err != nil {
		return nil, err
	}
	if evidence, err = reduce.Reduce(s.Tree, evidenceMonoid, evidence, nil); err != nil {
		return nil, err
	}
	if known, err = reduce.Reduce(s.Tree, share.ProblemsMonoid, known, nil); err != nil || c.Rank() != 0 {
		return nil, err
	}
	found.Merge(between.Judge(evidence))
	resolver := symbol.New(q.symbols)
	defer resolver.Close()
	in := usagereport.Source{
		Run: report.NewRun(s.Index), Ranks: s.Index.Size, Findings: found.List(), Ignore: q.ignore, Incomplete: known.Lines(), Resolver: resolver,
	}
	if s.Index.Seen.Len() == 0 {
		in.Incomplete = append(in.Incomplete, "no rank left anything in the run directory")
	}
	if missing := s.Index.Missing(); missing.Len() > 0 {
		in.Incomplete = append(in.Incomplete, fmt.Sprintf("rank %s: no data in the run directory", missing))
	}
	if q.page {
		in.Finder, in.Around = &source.Finder{RunDir: q.dir, Roots: q.symbols.Roots, Started: in.Run.Created}, usageSource
	}
	return usagereport.New(in), nil
}

// replayShare follows the ranks of the share, and tells what each shows by itself, what it
// has for the others, and what is missing of it.
func replayShare(x *model.Index) (found *finding.Group, evidence *between.Evidence, known share.Problems, err error) {
	found, evidence, known = finding.NewGroup(), between.NewEvidence(), share.NewProblems(x.Problems)
	if slices.ContainsFunc(x.Slots, func(s model.SlotInfo) bool { return s.Spawned }) { // of another world: its ranks are not these
		known.Note("spawned", -1, "processes that MPI_Comm_spawn started are not checked")
	}
	x.Each(func(run *model.Run) {
		known.Add(run.Problems)
		for _, rank := range run.Ranks {
			t := recorded.Load(x, rank)
			r := replay.Run(t)
			for _, f := range r.Findings {
				found.Add(f)
			}
			if err == nil {
				evidence, err = between.Merge(evidence, between.NewEvidence(between.NewDigest(r)))
			}
			if !t.Complete {
				kind, _, _ := strings.Cut(t.Why, ":")
				known.Note(kind, t.Rank, fmt.Sprintf("rank %d: %s", t.Rank, t.Why))
			}
		}
	})
	return found, evidence, known, err
}
