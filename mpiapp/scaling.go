package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"laggard/analysis/scaling"
	"laggard/report"
	scalingreport "laggard/report/scaling"
	"laggard/symbol"
)

const scalingLong = `Find bugs that appear only at scale, where every rank may be wrong in the same
way. train makes a model of small, good runs: how many bytes each rank sends
from each call site, by its rank, the number of ranks and the numbers among the
program's arguments. test judges a large run by it, and names the call site
where the run departs from what was predicted. Record with --record volume.`

const trainExample = `  for n in 4 6 8 12 15; do laggard run --record volume -o train-$n -- mpirun -np $n ./app 1000; done
  laggard scaling train -o app.model train-*
  laggard scaling train -o app.model --source mpi --feature nodes=1 train-*`

const testLong = `Judge a run by a model of smaller ones: which ranks do not send what was
predicted, whether the run is inside the range of the model, and the call sites
where it shows, with the first function and line in which their stacks part.

Exit status: 0 done, 1 failed, 2 usage, 3 ranks were flagged or one crashed
(only with --exit-code), 4 done but data was missing or damaged.`

const testExample = `  laggard run --record volume -o big -- mpirun -np 256 ./app 1000
  laggard scaling test --model app.model big
  laggard scaling test --json --model app.model big | jq .flagged_ranks
  laggard scaling test --html page.html --model app.model big`

func (a *app) scalingCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scaling",
		Short: "Judge a large run by small, good ones",
		Long:  scalingLong,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.trainCommand(), a.testCommand())
	return cmd
}

type scalingFlags struct {
	output, model, html, source, features string
	feature, ignore                       []string
	roots, debugDirs                      []string
	analysts                              int
	json, exitCode                        bool
}

func (f *scalingFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.source, "source", "both", "`WHERE` volumes are taken from: mpi (the calls), socket (below MPI), both")
	flags.StringArrayVar(&f.feature, "feature", nil, "a further number of the run, `NAME=VALUE`; may be repeated")
	flags.IntVar(&f.analysts, "analysts", 0, "how many analysis ranks to use in this process (default: one per core)")
	flags.StringSliceVar(&f.roots, "root", nil, "`DIR` with the files of the machine the job ran on; may be repeated")
	flags.StringSliceVar(&f.debugDirs, "debug-dir", nil, "`DIR` with separate debug files; may be repeated")
}

func (f *scalingFlags) symbols(a *app, dir string) symbol.Config {
	return symbol.Config{
		RunDir:    dir,
		Roots:     append(f.roots, a.settings.Symbols.Roots...),
		DebugDirs: append(f.debugDirs, a.settings.Symbols.DebugDirs...),
	}
}

// check settles the number of analysis ranks, and sees to it that there are runs.
func (f *scalingFlags) check(dirs []string) error {
	if f.analysts < 0 {
		return usageError{fmt.Errorf("--analysts %d: it is a number of ranks", f.analysts)}
	}
	if f.analysts == 0 {
		f.analysts = runtime.NumCPU()
	}
	for _, dir := range dirs {
		if err := isDir(dir); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) trainCommand() *cobra.Command {
	var f scalingFlags
	cmd := &cobra.Command{
		Use:     "train [flags] -o MODEL RUNDIR…",
		Short:   "Make a model of small, good runs",
		Long:    scalingLong,
		Example: trainExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("%s wants run directories; see %s --help", cmd.CommandPath(), cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.train(f, args) },
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "the model `FILE` to write")
	flags.StringVar(&f.features, "features", "", "TOML `FILE` with further numbers: a table for each run, named as the run")
	flags.StringSliceVar(&f.ignore, "ignore", nil, "leave out these numbers, `NAME` such as arg2 or --seed; may be repeated")
	return cmd
}

func (a *app) train(f scalingFlags, dirs []string) error {
	if f.output == "" {
		return usageError{fmt.Errorf("train: -o MODEL says where the model goes")}
	}
	q := training{dirs: dirs, watch: sighting{ignore: f.ignore}, symbols: f.symbols(a, dirs[0]), say: a.later()}
	var err error
	if err = f.check(dirs); err != nil {
		return err
	}
	if q.watch.sources, err = parseSources(f.source); err != nil {
		return err
	}
	if q.watch.add, err = parseFeatures(f.feature); err != nil {
		return err
	}
	if q.features, err = readFeatures(f.features, dirs); err != nil {
		return err
	}
	trained, err := concluded(q, f.analysts, training.train)
	if err != nil || trained == nil {
		return plainError(err)
	}
	data, err := scaling.EncodeTrained(trained.model)
	if err == nil {
		err = wholeFile(f.output, data)
	}
	if err != nil {
		return fmt.Errorf("model %s: %w", f.output, err)
	}
	if err := scalingreport.Training(a.out, f.output, trained.model, trained.seen.Problems.Lines()); err != nil {
		return err
	}
	if len(trained.seen.Problems.Kinds) > 0 {
		return exitError{exitDamaged}
	}
	return nil
}

// later prints lines of progress once the work has taken two seconds.
func (a *app) later() func(format string, args ...any) {
	start := time.Now()
	return func(format string, args ...any) {
		if time.Since(start) > 2*time.Second {
			fmt.Fprintf(a.err, "laggard: "+format+"\n", args...)
		}
	}
}

func (a *app) testCommand() *cobra.Command {
	var f scalingFlags
	cmd := &cobra.Command{
		Use:     "test [flags] --model MODEL RUNDIR",
		Short:   "Judge a run by a model of smaller ones",
		Long:    testLong,
		Example: testExample,
		Args:    oneRunDir,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.test(f, args[0]) },
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "the model `FILE` that train made")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.StringVar(&f.html, "html", "", "write the report as one page to `FILE`, - for the output; it needs a browser and nothing else")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit with 3 if ranks were flagged or one crashed")
	return cmd
}

func (a *app) test(f scalingFlags, dir string) error {
	switch {
	case f.model == "":
		return usageError{fmt.Errorf("test: --model MODEL says by which model")}
	case f.json && f.html != "":
		return usageError{fmt.Errorf("--json and --html: it is one or the other")}
	}
	if err := f.check([]string{dir}); err != nil {
		return err
	}
	data, err := os.ReadFile(f.model)
	if err != nil {
		return usageError{fmt.Errorf("model: %w", err)}
	}
	q := judging{dir: dir, symbols: f.symbols(a, dir)}
	if q.trained, err = scaling.DecodeTrained(data); err != nil {
		return fmt.Errorf("model %s: %w", f.model, err)
	}
	if q.add, err = parseFeatures(f.feature); err != nil {
		return err
	}
	if q.sources, err = parseSources(f.source); err != nil {
		return err
	}
	result, err := concluded(q, f.analysts, judging.judge)
	if err != nil || result == nil {
		return err
	}
	if err := a.writeVolume(f, result); err != nil {
		return err
	}
	if f.exitCode && (result.Flagged.Len() > 0 || result.Crash != nil) {
		return exitError{exitFindings}
	}
	return damage(result)
}

func (a *app) writeVolume(f scalingFlags, r *scalingreport.Result) error {
	switch {
	case f.json:
		return report.JSON(a.out, r)
	case f.html != "":
		return a.writePage(f.html, func(w io.Writer) error { return scalingreport.HTML(w, r) })
	}
	return scalingreport.Text(a.out, r)
}
