package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"laggard/intake/backtrace"
	"laggard/job/attach"
	"laggard/job/rundir"
	"laggard/model"
	"laggard/symbol"
)

const importLong = `Make a run directory from what a job left that ran without the recorder:
core files (of Linux, also packed; lightweight ones of Blue Gene), or text
backtraces by eu-stack or gdb, one file per rank or several processes in one. Of a
directory all files are read.

The rank comes from the text (Rank: 3, a line "rank 3", or the labels of srun and
mpiexec), else from the last number in the file's name, such as core.17.

With --healthy, a run directory of the same program that was recorded while all
was well, ranks are placed in its Markov models, which gives an order of progress.

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

func (a *app) importCommand() *cobra.Command {
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
			return usageError{errors.New("laggard import wants files or directories; see laggard import --help")}
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.importFiles(f, args) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "output", "o", "", "run `DIR`ectory to make (default laggard-DATE-TIME-PID)")
	flags.StringVar(&f.program, "program", "", "the program `FILE` that ran, to look up addresses in")
	flags.StringVar(&f.healthy, "healthy", "", "`RUNDIR` of an earlier run of the program, for the order of progress")
	flags.IntVar(&f.ranks, "ranks", 0,
		"`NUMBER` of ranks of the job (default: one more than the highest that left something)")
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

func (a *app) importFiles(f importFlags, args []string) error {
	if f.ranks < 0 || f.ranks > model.MaxRanks {
		return usageError{fmt.Errorf("--ranks %d: it is a number of ranks", f.ranks)}
	}
	if cores := attach.Cores(args); len(cores) > 0 {
		return a.importCores(f, cores)
	}
	m := &importer{app: a, flags: f}
	options, closeAll, err := m.options()
	if err != nil {
		return err
	}
	defer closeAll()
	if m.Gathered, err = backtrace.ReadFiles(args, m.problem, m.progress); err != nil {
		return usageError{err}
	}
	if len(m.Stacks) == 0 {
		return fmt.Errorf("import: there is no backtrace in %d files: %w", m.Files, backtrace.ErrFormat)
	}
	if guessed := backtrace.Assign(m.Stacks); guessed > 0 {
		fmt.Fprintf(a.err,
			"laggard: nothing tells the ranks of %d processes; they are numbered in the order of the files\n", guessed)
	}
	job, problems := backtrace.Build(m.Stacks, options)
	for _, p := range problems {
		m.problem(p)
	}
	if job.Nameless.Len() > 0 {
		fmt.Fprintf(a.err, "laggard: there are no names in the stacks of ranks %s; "+
			"the program they ran, given with --program, may tell\n", job.Nameless)
	}
	dir, err := m.write(job)
	if err != nil {
		return err
	}
	m.report(job, dir)
	if m.problems > 0 {
		return exitError{exitDamaged}
	}
	return nil
}

func (a *app) importCores(f importFlags, cores []string) error {
	resolver := symbol.New(f.symbols(a, ""))
	defer resolver.Close()
	damaged, err := attach.Import(cores, f.ranks, resolver, f.out, version, a.out, a.err)
	if err == nil && damaged {
		return exitError{exitDamaged}
	}
	return err
}

// problem says what is wrong with the input; the rest is used.
func (m *importer) problem(err error) {
	m.problems++
	fmt.Fprintf(m.app.err, "laggard: %v\n", err)
}

func (m *importer) progress(files int) {
	if files%1000 == 0 {
		fmt.Fprintf(m.app.err, "laggard: %d files\n", files)
	}
}

// options opens the program and the earlier run.
func (m *importer) options() (o backtrace.Options, closeAll func(), err error) {
	f := m.flags
	// Files may lie beside the data of the healthy run.
	o = backtrace.Options{Size: f.ranks, Resolver: symbol.New(f.symbols(m.app, f.healthy))}
	if f.program != "" {
		if o.Program, err = symbol.OpenProgram(f.program); err != nil {
			return o, nil, usageError{fmt.Errorf("--program: %w", err)}
		}
	}
	if f.healthy != "" {
		run, err := model.Open(f.healthy)
		if err == nil && run.Manifest != nil && run.Manifest.Imported {
			err = fmt.Errorf("%s was imported: it has no models", f.healthy)
		}
		if err != nil {
			return o, nil, usageError{fmt.Errorf("--healthy: %w", err)}
		}
		o.Ancestor = backtrace.NewAncestor(run.Ranks, o.Resolver)
		if o.Ancestor.States() == 0 {
			return o, nil, usageError{fmt.Errorf("--healthy %s: there is no call in its models", f.healthy)}
		}
	}
	return o, o.Resolver.Close, nil
}

// write makes the run directory.
func (m *importer) write(job *backtrace.Job) (dir string, err error) {
	manifest := model.Manifest{Version: version, Command: []string{}, Ranks: job.Size}
	if m.flags.program != "" {
		manifest.Command = append(manifest.Command, m.flags.program)
	}
	if dir, err = rundir.Import(m.flags.out, job.Ranks, manifest); err == nil && job.Names.Len() > 0 {
		err = job.Names.Write(dir)
	}
	return dir, err
}

// report says what came of it.
func (m *importer) report(job *backtrace.Job, dir string) {
	fmt.Fprintf(m.app.out, "%d of %d ranks, from %d files, in %s\n", len(job.Ranks), job.Size, m.Files-m.Skipped, dir)
	if m.Skipped > 0 {
		fmt.Fprintf(m.app.out, "%d files hold no backtrace and were skipped\n", m.Skipped)
	}
	if m.flags.healthy != "" {
		if n := job.Unmatched.Len(); n > 0 {
			fmt.Fprintf(m.app.out,
				"at places that the healthy run did not come to, or that cannot be told apart: %s\n", job.Unmatched)
		}
		fmt.Fprintln(m.app.out, "progress is compared by the models of the healthy run")
	}
	fmt.Fprintf(m.app.out, "Next: laggard diagnose %s\n", dir)
}

func (a *app) attachCommand() *cobra.Command {
	var o attach.Options
	var f symbolFlags
	var out string
	cmd := &cobra.Command{
		Use: "attach [flags]", Short: "Make a run directory of running ranks that were not recorded",
		Long: attach.Help, Example: attach.Examples, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			o.Symbols = f.symbols(a, "")
			damaged, err := attach.Run(o, out, version, a.out, a.err)
			if err == nil && damaged {
				return exitError{exitDamaged}
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "run `DIR`ectory to write to (default laggard-DATE-TIME-PID)")
	cmd.Flags().IntSliceVar(&o.PIDs, "pid", nil, "the `PID` of a rank; may be given several times")
	cmd.Flags().StringVar(&o.Job, "job", "", "the ranks of the job with this `ID`")
	cmd.Flags().BoolVar(&o.Hold, "stop", false, "hold also threads that are asleep, for at most 5 ms a look")
	cmd.Flags().IntVar(&o.Looks, "looks", 10, "`NUMBER` of looks")
	cmd.Flags().DurationVar(&o.Over, "over", 3*time.Second, "`TIME` from the first look to the last")
	f.register(cmd)
	return cmd
}
