package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"laggard/analysis/known"
	"laggard/analysis/progress"
	"laggard/analysis/progress/inference"
	"laggard/analysis/slice"
	"laggard/analysis/usage"
	"laggard/analysis/usage/finding"
	"laggard/internal/heap"
	"laggard/model"
	"laggard/model/values"
	"laggard/report"
	"laggard/report/diagnosis"
	slicereport "laggard/report/slice"
	"laggard/report/source"
	usagereport "laggard/report/usage"
	"laggard/slicing"
	"laggard/symbol"
)

const diagnoseLong = `Read a run directory and say which rank is least progressed, where it is, who
waits for it, and how sure that is. The directory may be that of a job that
hangs now, or of one that ended in any way.

Exit status: 0 done, 1 failed, 2 usage, 3 a hang or a lost rank (only with
--exit-code), 4 done but data was missing or damaged.`

const diagnoseExample = `  laggard diagnose laggard-20260312-031502-4711
  laggard diagnose --json RUNDIR | jq .least_progressed.set
  laggard diagnose --dot RUNDIR | dot -Tsvg > pdg.svg
  laggard diagnose --html report.html RUNDIR
  laggard diagnose --stacks RUNDIR
  srun -n 64 laggard-mpi diagnose RUNDIR`

type diagnoseFlags struct {
	analysisFlags
	json, dot, stacks            bool
	exitCode, noSlice            bool
	html, algorithm, ranks, comm string
}

func (a *app) diagnoseCommand() *cobra.Command {
	var f diagnoseFlags
	cmd := &cobra.Command{
		Use:     "diagnose [flags] RUNDIR",
		Short:   "Name the least-progressed rank of a recorded job",
		Long:    diagnoseLong,
		Example: diagnoseExample,
		Args:    oneRunDir,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.diagnose(cmd.Context(), f, args[0]) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVar(&f.dot, "dot", false, "print the progress dependence graph for Graphviz")
	flags.BoolVar(&f.stacks, "stacks", false, "print the prefix tree of the ranks' stacks; with --dot, for Graphviz")
	flags.StringVar(&f.html, "html", "",
		"write the report as one page to `FILE`, - for the output; it needs a browser and nothing else")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit with 3 if something hangs or is lost")
	questionFlags(cmd, &f)
	return cmd
}

// questionFlags are the flags that say what is asked, whatever the form of the answer.
func questionFlags(cmd *cobra.Command, f *diagnoseFlags) {
	flags := cmd.Flags()
	flags.StringVar(&f.algorithm, "algorithm", "",
		"`NAME` of the inference used where evidence leaves the order open: "+
			"loop-aware, pdi (LAGGARD_ALGORITHM; default loop-aware)")
	flags.StringVar(&f.ranks, "ranks", "", "report only groups and edges with the ranks of `SET`, such as 0-3,7")
	flags.StringVar(&f.comm, "comm", "",
		"report only groups and edges with members of this communicator, by its `ID` as reported")
	flags.BoolVar(&f.noSlice, "no-slice", false, "leave out the slice of the code")
	f.register(cmd)
}

// forms lists the forms of the report that were asked for.
func (f diagnoseFlags) forms() []string {
	var out []string
	for _, form := range []struct {
		name  string
		asked bool
	}{{"--json", f.json}, {"--dot", f.dot}, {"--html", f.html != ""}, {"--stacks", f.stacks && !f.dot}} {
		if form.asked {
			out = append(out, form.name)
		}
	}
	return out
}

// question is what diagnose, view and slice ask.
type question struct {
	slice.Question
	known    known.Table
	ignore   []finding.Ignore // findings that do not count
	memory   int64            // see usage.Question
	analysts int
	backend  string // of the slices, "": there are none
	loops    bool   // slices are termination-sensitive
}

// asked turns flags and settings into the question.
func (a *app) asked(f diagnoseFlags, dir string) (question, error) {
	algorithm := f.algorithm
	if algorithm == "" {
		algorithm = a.settings.Diagnose.Algorithm
	}
	if _, err := inference.NewAlgorithm(algorithm); err != nil {
		return question{}, usageError{err}
	}
	if forms := f.forms(); len(forms) > 1 {
		return question{}, usageError{fmt.Errorf("%s: it is one or the other", strings.Join(forms, " and "))}
	}
	if err := f.check(); err != nil {
		return question{}, err
	}
	ranks, err := parseRanks(f.ranks)
	if err != nil {
		return question{}, err
	}
	comm, err := parseComm(f.comm)
	if err != nil {
		return question{}, err
	}
	table, err := known.Load(a.settings.Diagnose.Known...)
	if err != nil {
		return question{}, usageError{err}
	}
	q := question{analysts: f.analysts, known: table, ignore: a.settings.Usage.Ignore,
		memory: a.settings.memory()}
	q.Question.Question = progress.Question{
		Dir: dir, Algorithm: algorithm, Compare: f.html != "", Ranks: ranks, Comm: comm, Symbols: f.symbols(a, dir),
	}
	if !f.noSlice {
		q.backend, q.Rank, q.Groups, q.Optional = "native", -1, quickGroups, true
		q.Budget = slicing.Budget{Time: quickTime}
	}
	return q, nil
}

// misuseTime is how long a diagnosis may read recorded calls; laggard usage reads all.
const misuseTime = 30 * time.Second

// answer puts the question to the analysis ranks of a world, and names to what they
// found; nil where another process has that.
func (q question) answer(ctx context.Context, in world) (*diagnosis.Result, error) {
	resolver := symbol.New(q.Symbols)
	defer resolver.Close()
	var result *diagnosis.Result
	var source diagnosis.Source
	named := func(found *progress.Result) (*diagnosis.Result, diagnosis.Source) {
		s := diagnosis.Source{Run: report.NewRun(found.Index), Result: found, Resolver: resolver, Known: q.known}
		return diagnosis.New(s), s
	}
	note := ""
	if q.backend != "" {
		q.Slicer = func(found *progress.Result) (s slicing.Slicer) {
			result, source = named(found) // first, so that reading symbols takes no time from the slices
			s, note = q.slicer(resolver, q.finder(found.Index))
			return s
		}
	}
	found, err := concluded(ctx, in, q.analysts, q.Question, slice.Run)
	beside := usage.Question{Dir: q.Dir, Within: misuseTime, Memory: q.memory}
	wrong, _ := concluded(ctx, in, q.analysts, beside, usage.Run) // nil: no calls, or too many
	if err != nil || found == nil {
		return nil, err
	}
	begun, finder := time.Now(), q.finder(found.Index)
	if result == nil {
		result, source = named(found.Result)
	}
	diagnosis.AddBranch(result, source, found.Branch, finder)
	addSlices(result, found, slicereport.Source{Resolver: resolver, Finder: finder, Around: aroundLine, Note: note})
	if wrong != nil {
		diagnosis.Explain(result, wrong.Findings, usagereport.Source{Resolver: resolver, Ignore: q.ignore})
	}
	if found.Shown != nil {
		if err := diagnosis.Filter(result, *found.Shown); err != nil {
			return nil, err
		}
	}
	if q.Compare {
		diagnosis.AddSources(result, finder)
	}
	found.Seconds[progress.StepOutput] += time.Since(begun).Seconds()
	result.Analysis = diagnosis.NewAnalysis(found.Result)
	return result, nil
}

// addSlices adds the slices that were made, with what the names in their lines held.
func addSlices(r *diagnosis.Result, found *slice.Result, s slicereport.Source) {
	if len(found.Steps) == 0 {
		return
	}
	var problems []error
	s.Values, problems = values.Read(model.Record(found.Index.Dir))
	if err := errors.Join(problems...); err != nil {
		s.Note = strings.TrimPrefix(s.Note+"; "+err.Error(), "; ")
	}
	for _, s.Step = range found.Steps {
		r.Slices = append(r.Slices, slicereport.New(s))
	}
}

// finder finds the source files of a run.
func (q question) finder(x *model.Index) source.Finder {
	f := source.Finder{RunDir: q.Dir, Roots: q.Symbols.Roots}
	if x.Manifest != nil {
		f.Started = x.Manifest.Created
	}
	return f
}

func (a *app) diagnose(ctx context.Context, f diagnoseFlags, dir string) error {
	q, err := a.asked(f, dir)
	if err != nil {
		return err
	}
	if err := isDir(dir); err != nil {
		return err
	}
	heap.Spare()
	result, err := q.answer(ctx, inWorld)
	if err != nil || result == nil {
		return err
	}
	if f.html != "" {
		err = a.writePage(f.html, func(w io.Writer) error { return diagnosis.HTML(w, result) })
	} else {
		err = write(a.out, f, result)
	}
	if err != nil {
		return err
	}
	return verdict(f.exitCode, result)
}

func isDir(dir string) error {
	switch info, err := os.Stat(dir); {
	case err != nil:
		return usageError{fmt.Errorf("run directory: %w", err)}
	case !info.IsDir():
		return usageError{fmt.Errorf("%s is not a run directory: laggard run and exec make them", dir)}
	}
	return nil
}

func write(w io.Writer, f diagnoseFlags, r *diagnosis.Result) error {
	switch {
	case f.stacks && f.dot:
		return diagnosis.StacksDOT(w, r)
	case f.stacks:
		return diagnosis.Stacks(w, r)
	case f.json:
		return report.JSON(w, r)
	case f.dot:
		return diagnosis.DOT(w, r)
	}
	return diagnosis.Text(w, r)
}

// verdict turns a result into an exit status. Damage weighs less than a finding that was asked for.
func verdict(exitCode bool, r *diagnosis.Result) error {
	switch {
	case exitCode && (r.Hang || len(r.LostRanks) > 0):
		return exitError{exitFindings}
	case len(r.Problems) > 0 || len(r.DamagedRanks) > 0:
		return exitError{exitDamaged}
	}
	return nil
}
