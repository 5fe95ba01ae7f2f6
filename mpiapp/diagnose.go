package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"laggard/analysis/compare"
	"laggard/analysis/known"
	"laggard/analysis/progress"
	"laggard/analysis/progress/inference"
	"laggard/analysis/slice"
	"laggard/analysis/slowness"
	"laggard/analysis/usage"
	"laggard/analysis/usage/finding"
	"laggard/internal/bound"
	"laggard/internal/heap"
	"laggard/internal/regular"
	"laggard/model"
	"laggard/model/runfiles"
	"laggard/model/values"
	"laggard/report"
	"laggard/report/diagnosis"
	slicereport "laggard/report/slice"
	"laggard/report/source"
	usagereport "laggard/report/usage"
	"laggard/report/words"
	"laggard/slicing"
	"laggard/symbol"
)

const diagnoseLong = `Read a run directory and report which rank is least progressed, where it is, who
waits for it, and with what confidence. The job may hang now, or may have ended in
any way.

Exit status: 0 done, 1 failed, 2 usage, 3 a hang or a lost rank (only with
--exit-code), 4 done but data was missing or damaged.`

const diagnoseExample = `  laggard diagnose laggard-20260312-031502-4711
  laggard diagnose --json RUNDIR | jq .least_progressed.set
  laggard diagnose --dot RUNDIR | dot -Tsvg > pdg.svg
  laggard diagnose --html report.html RUNDIR
  laggard diagnose --stacks RUNDIR
  laggard diagnose --against GOOD RUNDIR
  srun -n 64 laggard-mpi diagnose RUNDIR`

type diagnoseFlags struct {
	analysisFlags
	json, dot, stacks            bool
	exitCode, noSlice, stepwise  bool
	ending                       bool // the job is ended behind the diagnosis
	html, algorithm, ranks, comm string
	against                      []string
	jsonCopy                     string // a file that gets the JSON form beside the one that is printed
}

func (a *app) diagnoseCommand() *cobra.Command {
	var f diagnoseFlags
	cmd := a.runDirCommand(&cobra.Command{
		Use: "diagnose [flags] RUNDIR", Short: "Name the least-progressed rank of a recorded job",
		Long: diagnoseLong, Example: diagnoseExample,
	}, func(ctx context.Context, dir string) error { return a.diagnose(ctx, f, dir) })
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVar(&f.dot, "dot", false, "print the progress dependence graph for Graphviz")
	flags.BoolVar(&f.stacks, "stacks", false, "print the prefix tree of the ranks' stacks; with --dot, for Graphviz")
	flags.StringVar(&f.html, "html", "",
		"write the report as one page to `FILE`, - for standard output; the page is self-contained")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit with 3 if something hangs or is lost")
	flags.StringArrayVar(&f.against, "against", nil,
		"compare with a good run of the program, `GOOD`, as laggard compare does; may be repeated")
	flags.StringVar(&f.jsonCopy, "json-copy", "", "write the JSON form to `FILE` as well")
	flags.BoolVar(&f.stepwise, "stepwise", false, "close descriptor 3 after the diagnosis, then await the end of input")
	flags.BoolVar(&f.ending, "ending", false, "the job is ended behind the diagnosis")
	_, _, _ = flags.MarkHidden("json-copy"), flags.MarkHidden("stepwise"), flags.MarkHidden("ending")
	registerQuestionFlags(cmd, &f)
	return cmd
}

// registerQuestionFlags are the flags that say what is asked, whatever the form of the answer.
func registerQuestionFlags(cmd *cobra.Command, f *diagnoseFlags) {
	flags := cmd.Flags()
	flags.StringVar(&f.algorithm, "algorithm", "",
		"`NAME` of the inference used where evidence leaves the order open: "+
			"loop-aware, pdi (LAGGARD_ALGORITHM; default loop-aware)")
	flags.StringVar(&f.ranks, "ranks", "", "report only groups and edges with the ranks of `SET`, such as 0-3,7")
	flags.StringVar(&f.comm, "comm", "",
		"report only groups and edges with members of this communicator, by its `ID` as reported")
	flags.BoolVar(&f.noSlice, "no-slice", false, "skip the slice of the code")
	f.register(cmd)
}

// requestedForms lists the forms of the report that were asked for.
func (f diagnoseFlags) requestedForms() []string {
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
	cacheMB  int    // of slices that are kept, see slice.cache_mb
	// self is this program with other arguments, for the process that makes the slices.
	self     func(ctx context.Context, args ...string) *exec.Cmd
	ending   bool              // see diagnoseFlags
	stepwise bool              // wait between the diagnosis and the optional steps, see awaitNextStep
	against  *compare.Question // nil: the run is compared with no good one
}

// newQuestion turns flags and settings into the question.
func (a *app) newQuestion(f diagnoseFlags, dir string) (question, error) {
	algorithm := cmp.Or(f.algorithm, a.settings.Diagnose.Algorithm)
	if _, err := inference.NewAlgorithm(algorithm); err != nil {
		return question{}, usageError{err}
	}
	if forms := f.requestedForms(); len(forms) > 1 {
		return question{}, usageError{fmt.Errorf("%s cannot be combined", strings.Join(forms, " and "))}
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
		memory: a.settings.eventMemory(), stepwise: f.stepwise, ending: f.ending, self: selfCommand, cacheMB: a.settings.Slice.CacheMB}
	q.Question.Question = progress.Question{
		Dir: dir, Algorithm: algorithm, Compare: f.html != "", Ranks: ranks, Comm: comm, Symbols: f.symbolConfig(a, dir),
	}
	if f.against != nil {
		if f.html != "" || f.dot || f.stacks {
			return question{}, usageError{errors.New("--against is for the text and JSON forms: not with --html, --dot or --stacks")}
		}
		against, err := a.newCompareQuestion(&f.symbolFlags, f.against, dir)
		if err != nil {
			return question{}, err
		}
		q.against = &against
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
// found; nil where another process has that. text, if it is not nil, gets each part as soon as it is known: the
// diagnosis before any optional step runs, so that none of these can lose it.
func (q question) answer(ctx context.Context, in worldRunner, text *diagnosis.TextReport) (*diagnosis.Result, error) {
	resolver := symbol.New(q.Symbols)
	defer resolver.Close()
	q.Found = func(found *progress.Result) error {
		if text == nil {
			return nil
		}
		if q.backend != "" {
			found = found.Observed() // the code may say more
		}
		first := diagnosis.New(sourceOf(found, resolver))
		err := errors.Join(q.filterShownRanks(first, found), text.Diagnosis(first))
		if q.stepwise {
			awaitNextStep()
		}
		return err
	}
	note := ""
	if q.backend != "" {
		q.Slicer = func(found *progress.Result) (s slicing.Slicer) {
			s, note = q.newSlicer(q.sourceFinder(found.Index))
			return s
		}
	}
	found, err := runAnalysis(ctx, in, q.analysts, q.Question, slice.Run)
	compared, notCompared := q.compareWithGood(ctx, in)
	var result *diagnosis.Result
	var hanging model.RankSet
	if err == nil && found != nil {
		begun := time.Now()
		result = q.resultWithOptionalSteps(found, resolver, note)
		diagnosis.AddComparison(result, compared, notCompared)
		if result.Ended != nil || result.Hang {
			runOptionalStep(result, "the search for changes of the speed", func() { addSpeed(result, found.Index, compared) })
		}
		hanging = diagnosis.Hanging(result)
		err = q.filterShownRanks(result, found.Result)
		if err == nil && text != nil {
			err = errors.Join(text.Code(result), text.Speed(result), text.Details(result))
		}
		found.Seconds[progress.StepOutput] += time.Since(begun).Seconds()
	}
	beside := usage.Question{Dir: q.Dir, Within: misuseTime, Memory: q.memory}
	wrong, _ := runAnalysis(ctx, in, q.analysts, beside, usage.Run) // nil: no calls, or too many

	if q.Compare { // it is for a page
		q.addTimeline(ctx, in, result, resolver)
	}
	if err != nil || found == nil {
		return nil, err
	}
	if wrong != nil {
		runOptionalStep(result, "the search for wrong use of MPI", func() {
			diagnosis.Explain(result, hanging, wrong.Findings, usagereport.Source{Resolver: resolver, Ignore: q.ignore})
		})
		if text != nil {
			err = text.Misuse(result)
		}
	}
	if text != nil {
		err = errors.Join(err, text.Comparison(result))
	}
	result.Analysis = diagnosis.NewAnalysis(found.Result)
	return result, err
}

// compareWithGood compares the run with the good ones that were named; nil: there are none, or another process has the result.
func (q question) compareWithGood(ctx context.Context, in worldRunner) (*compare.Result, error) {
	if q.against == nil {
		return nil, nil
	}
	return runAnalysis(ctx, in, q.analysts, *q.against, compare.Run)
}

func sourceOf(found *progress.Result, resolver *symbol.Resolver) diagnosis.Source {
	return diagnosis.Source{Run: report.NewRun(found.Index), Result: found, Resolver: resolver}
}

// filterShownRanks leaves in a result what was asked for.
func (q question) filterShownRanks(r *diagnosis.Result, found *progress.Result) error {
	if found.Shown == nil {
		return nil
	}
	return diagnosis.Filter(r, *found.Shown)
}

// resultWithOptionalSteps is the result with what the optional steps add to the diagnosis. note is about the slices.
func (q question) resultWithOptionalSteps(found *slice.Result, resolver *symbol.Resolver, note string) *diagnosis.Result {
	source, finder := sourceOf(found.Result, resolver), q.sourceFinder(found.Index)
	r := diagnosis.New(source)
	r.Ending = q.ending
	for _, err := range found.Failed {
		r.Notes = append(r.Notes, words.Printable(err.Error()))
	}
	runOptionalStep(r, "the comparison with known issues", func() { diagnosis.AddKnownIssues(r, q.known) })
	runOptionalStep(r, "the search for the branch that decided", func() {
		diagnosis.AddBranch(r, source, found.Branch, finder)
		diagnosis.AddSkips(r, source, found.Skips, finder)
		diagnosis.AddPassedBranch(r, source, found.Passed, finder)
		diagnosis.AddPassed(r, source, finder)
		diagnosis.AddPythonSkips(r, source, finder)
	})
	runOptionalStep(r, "the slice", func() {
		addSlices(r, found, slicereport.Source{Resolver: resolver, Finder: finder, Around: aroundLine, Note: note})
	})
	if q.Compare {
		runOptionalStep(r, "the excerpts of source files", func() { diagnosis.AddSources(r, finder) })
	}
	return r
}

// runOptionalStep runs a step that the diagnosis does not need. If it panics, as it may on hostile data, a note says so.
func runOptionalStep(r *diagnosis.Result, what string, step func()) {
	err := bound.CatchPanic(func() error {
		step()
		return nil
	})
	if err != nil {
		r.Notes = append(r.Notes, words.Printable(fmt.Sprintf("%s failed: %v", what, err)))
	}
}

// addSpeed adds how the speed of the job developed, and what the first good run, if one was compared, says of the rest.
func addSpeed(r *diagnosis.Result, x *runfiles.Index, compared *compare.Result) {
	d, err := slowness.Develop(x)
	switch {
	case err != nil:
		r.Notes = append(r.Notes, words.Printable("how the speed developed is not known: "+err.Error()))
	case d == nil:
	case compared == nil:
		diagnosis.AddSpeed(r, d, 0)
	default:
		diagnosis.AddSpeed(r, d, d.IterationsIn(compared.Good[0]))
	}
}

// addSlices adds the slices that were made, with what the names in their lines held.
func addSlices(r *diagnosis.Result, found *slice.Result, s slicereport.Source) {
	if len(found.Steps) == 0 {
		return
	}
	var problems []error
	s.Values, problems = values.Read(runfiles.RecordDir(found.Index.Dir))
	if err := errors.Join(problems...); err != nil {
		s.Note = strings.TrimPrefix(s.Note+"; "+err.Error(), "; ")
	}
	for _, s.Step = range found.Steps {
		r.Slices = append(r.Slices, slicereport.New(s))
	}
}

// sourceFinder finds the source files of a run.
func (q question) sourceFinder(x *runfiles.Index) source.Finder {
	f := source.Finder{RunDir: q.Dir, Roots: q.Symbols.Roots}
	if x.Manifest != nil {
		f.Started = x.Manifest.Created
	}
	return f
}

func (a *app) diagnose(ctx context.Context, f diagnoseFlags, dir string) error {
	q, err := a.newQuestion(f, dir)
	if err != nil {
		return err
	}
	if err := checkDirs(dir); err != nil {
		return err
	}
	heap.TuneGC(heap.Usual)
	var text *diagnosis.TextReport
	if len(f.requestedForms()) == 0 {
		text = diagnosis.NewTextReport(a.out)
	}
	result, err := q.answer(ctx, runInWorld, text)
	if err != nil || result == nil {
		return err
	}
	if f.html != "" {
		err = a.writePage(f.html, func(w io.Writer) error { return diagnosis.HTML(w, result) })
	} else {
		err = writeReport(a.out, f, result)
	}
	if err == nil && f.jsonCopy != "" {
		err = writeJSON(f.jsonCopy, result)
	}
	if err != nil {
		return err
	}
	return statusError(f.exitCode, result)
}

// checkDirs says which of run directories is none.
func checkDirs(dirs ...string) error {
	for _, dir := range dirs {
		switch info, err := os.Stat(dir); {
		case err != nil:
			return noSuchRun(dir, err)
		case !info.IsDir():
			return usageError{fmt.Errorf("%s is not a run directory: laggard run and exec create them", dir)}
		}
	}
	return nil
}

// noSuchRun says why a run directory cannot be looked at.
func noSuchRun(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return usageError{fmt.Errorf("%s: no such run directory", name)}
	}
	return usageError{fmt.Errorf("%s: %w", name, errors.Unwrap(err))}
}

func writeReport(w io.Writer, f diagnoseFlags, r *diagnosis.Result) error {
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
	return nil // the text was written as it came to be known
}

// writeJSON writes the result to a file, for the process that asked for it.
func writeJSON(name string, r *diagnosis.Result) error {
	var b bytes.Buffer
	if err := report.JSON(&b, r); err != nil {
		return err
	}
	return regular.ReplaceFile(name, b.Bytes())
}

// statusError turns a result into an exit status. Damage weighs less than a finding that was asked for.
func statusError(exitCode bool, r *diagnosis.Result) error {
	switch {
	case exitCode && (r.Hang || len(r.LostRanks) > 0):
		return exitError{exitFindings}
	case len(r.Problems) > 0 || len(r.DamagedRanks) > 0 || r.UncollectedDir != "":
		return exitError{exitDamaged}
	}
	return nil
}
