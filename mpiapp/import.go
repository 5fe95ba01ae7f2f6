package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"laggard/intake/backtrace"
	"laggard/job/attach"
	"laggard/job/rundir"
	"laggard/model"
	"laggard/model/runfiles"
	"laggard/symbol"
)

const importLong = `Make a run directory from what an unrecorded job left: core files (of Linux, also
compressed; lightweight ones of Blue Gene), or text backtraces by eu-stack or gdb,
one file per rank or several processes in one. All files of a directory are read.

The rank comes from the text (Rank: 3, a line "rank 3", or the labels of srun and
mpiexec), else from the last number in the file's name, such as core.17.

With --healthy, a run directory of the same program recorded while it worked, ranks
are placed in its Markov models, which gives an order of progress.

Exit status: 0 done, 1 failed, 2 usage, 4 done but something could not be read.`

const importExample = `  laggard import -o hung --program ./app core.*
  for p in $(pgrep app); do eu-stack -b -m -s -p $p; done > node17.txt
  laggard import -o hung --healthy laggard-20260312-031502-4711 node17.txt
  laggard diagnose hung
  laggard diagnose --stacks hung`

type importFlags struct {
	out, program, healthy string
	ranks                 int
	symbolFlags
}

// runImport makes run directories of backtraces, core files and living processes.
type runImport struct{ *app }

func (a runImport) command() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:     "import [flags] FILE|DIR...",
		Short:   "Make a run directory from core files or backtraces",
		Long:    importLong,
		Example: importExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return nil
			}
			return usageError{errors.New("no input files; see laggard import --help")}
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.importFiles(f, args) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "output", "o", "", "run `DIR`ectory to make (default laggard-DATE-TIME-PID)")
	flags.StringVar(&f.program, "program", "", "the program `FILE` that ran, to look up addresses in")
	flags.StringVar(&f.healthy, "healthy", "", "`RUNDIR` of an earlier run of the program, for the order of progress")
	flags.IntVar(&f.ranks, "ranks", 0,
		"`NUMBER` of ranks of the job (default: one more than the highest that left data)")
	f.symbolFlags.register(cmd)
	return cmd
}

// importer gathers what the files say, and what is wrong with them.
type importer struct {
	app   *app
	flags importFlags
	*backtrace.Gathered
	problems int
}

func (a runImport) importFiles(f importFlags, args []string) error {
	if f.ranks < 0 || f.ranks > model.MaxRanks {
		return usageError{fmt.Errorf("--ranks must be a number of ranks, not %d", f.ranks)}
	}
	if cores := attach.CoreFiles(args); len(cores) > 0 {
		return a.importCores(f, cores)
	}
	m := &importer{app: a.app, flags: f}
	options, closeAll, err := m.openOptions()
	if err != nil {
		return err
	}
	defer closeAll()
	if m.Gathered, err = backtrace.ReadFiles(args, m.reportProblem, m.printProgress); err != nil {
		return usageError{err}
	}
	if len(m.Stacks) == 0 {
		return fmt.Errorf("import: no backtrace in %d files: %w", m.Files, backtrace.ErrFormat)
	}
	if guessed := backtrace.AssignRanks(m.Stacks); guessed > 0 {
		fmt.Fprintf(a.err,
			"laggard: cannot determine the rank of %d processes; they are numbered in the order of the files\n", guessed)
	}
	job, problems := backtrace.BuildJob(m.Stacks, options)
	for _, p := range problems {
		m.reportProblem(p)
	}
	if job.Nameless.Len() > 0 {
		fmt.Fprintf(a.err, "laggard: the stacks of ranks %s have no function names; give the program they ran "+
			"with --program\n", job.Nameless)
	}
	dir, err := m.writeRunDir(job)
	if err != nil {
		return err
	}
	m.printSummary(job, dir)
	if m.problems > 0 {
		return exitError{exitDamaged}
	}
	return nil
}

func (a runImport) importCores(f importFlags, cores []string) error {
	resolver := symbol.New(f.symbolConfig(a.app, ""))
	defer resolver.Close()
	damaged, err := attach.ImportCores(cores, f.ranks, resolver, f.out, version, a.out, a.err)
	if err == nil && damaged {
		return exitError{exitDamaged}
	}
	return err
}

// reportProblem says what is wrong with the input; the rest is used.
func (m *importer) reportProblem(err error) {
	m.problems++
	fmt.Fprintf(m.app.err, "laggard: %v\n", err)
}

func (m *importer) printProgress(files int) {
	if files%1000 == 0 {
		fmt.Fprintf(m.app.err, "laggard: %d files\n", files)
	}
}

// openOptions opens the program and the earlier run.
func (m *importer) openOptions() (o backtrace.Options, closeAll func(), err error) {
	f := m.flags
	// Files may lie beside the data of the healthy run.
	o = backtrace.Options{Size: f.ranks, Resolver: symbol.New(f.symbolConfig(m.app, f.healthy))}
	if f.program != "" {
		if o.Program, err = symbol.OpenProgram(f.program); err != nil {
			return o, nil, usageError{fmt.Errorf("--program: %w", err)}
		}
	}
	if f.healthy != "" {
		run, err := runfiles.Open(f.healthy)
		if err == nil && run.Manifest != nil && run.Manifest.Imported {
			err = fmt.Errorf("%s was imported: it has no models", f.healthy)
		}
		if err != nil {
			return o, nil, usageError{fmt.Errorf("--healthy: %w", err)}
		}
		o.Ancestor = backtrace.NewAncestor(run.Ranks, o.Resolver)
		if o.Ancestor.StateCount() == 0 {
			return o, nil, usageError{fmt.Errorf("--healthy %s: its models have no calls", f.healthy)}
		}
	}
	return o, o.Resolver.Close, nil
}

// writeRunDir makes the run directory.
func (m *importer) writeRunDir(job *backtrace.Job) (dir string, err error) {
	manifest := model.Manifest{Version: version, Command: []string{}, Ranks: job.Size}
	if m.flags.program != "" {
		manifest.Command = append(manifest.Command, m.flags.program)
	}
	if dir, err = rundir.Import(m.flags.out, job.Ranks, manifest); err == nil && job.Names.Len() > 0 {
		err = job.Names.Write(dir)
	}
	return dir, err
}

// printSummary says what came of it.
func (m *importer) printSummary(job *backtrace.Job, dir string) {
	fmt.Fprintf(m.app.out, "%d of %d ranks, from %d files, in %s\n", len(job.Ranks), job.Size, m.Files-m.Skipped, dir)
	if m.Skipped > 0 {
		fmt.Fprintf(m.app.out, "%d files have no backtrace and were skipped\n", m.Skipped)
	}
	if m.flags.healthy != "" {
		if n := job.Unmatched.Len(); n > 0 {
			fmt.Fprintf(m.app.out,
				"at places that the healthy run did not reach, or that cannot be distinguished: %s\n", job.Unmatched)
		}
		fmt.Fprintln(m.app.out, "progress is compared by the models of the healthy run")
	}
	fmt.Fprintf(m.app.out, "Next: laggard diagnose %s\n", dir)
}

// requirePIDFlags returns an error that says what to type where processes are given without --pid.
func requirePIDFlags(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError{fmt.Errorf("unexpected %q; processes are given as --pid %s", args[0], strings.Join(args, " --pid "))}
}

func (a runImport) attachCommand() *cobra.Command {
	var o attach.Options
	var f symbolFlags
	var out string
	cmd := &cobra.Command{
		Use: "attach [flags]", Short: "Make a run directory of running ranks that were not recorded",
		Long: attach.Help, Example: attach.Examples, Args: requirePIDFlags,
		RunE: func(*cobra.Command, []string) error {
			o.Symbols = f.symbolConfig(a.app, "")
			damaged, err := attach.Run(o, out, version, a.out, a.err)
			if err == nil && damaged {
				return exitError{exitDamaged}
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "run `DIR`ectory to write to (default laggard-DATE-TIME-PID)")
	cmd.Flags().IntSliceVar(&o.PIDs, "pid", nil, "the `PID` of a rank; may be repeated")
	cmd.Flags().StringVar(&o.Job, "job", "", "the ranks of the job with this `ID`")
	cmd.Flags().BoolVar(&o.Hold, "stop", false, "also stop sleeping threads, for at most 5 ms per sample")
	cmd.Flags().IntVar(&o.Looks, "looks", 10, "`NUMBER` of samples")
	durationVar(cmd.Flags(), &o.Over, "over", 3*time.Second, "`TIME` from the first sample to the last")
	f.register(cmd)
	return cmd
}
