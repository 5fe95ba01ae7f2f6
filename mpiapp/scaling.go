package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"laggard/analysis/scaling"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/internal/regular"
	"laggard/report"
	scalingreport "laggard/report/scaling"
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
	analysisFlags
	output, model, html, source, features string
	feature, ignore                       []string
	json, exitCode                        bool
}

func (f *scalingFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.source, "source", "both",
		"`WHERE` volumes are taken from: mpi (the calls), socket (below MPI), both")
	flags.StringArrayVar(&f.feature, "feature", nil, "a further number of the run, `NAME=VALUE`; may be repeated")
	f.analysisFlags.register(cmd)
}

// check sees to it that there are runs.
func (f *scalingFlags) check(dirs []string) error {
	for _, dir := range dirs {
		if err := isDir(dir); err != nil {
			return err
		}
	}
	return f.analysisFlags.check()
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
				return usageError{fmt.Errorf("%s wants run directories; see %s --help", cmd.CommandPath(),
					cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.train(cmd.Context(), f, args) },
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "the model `FILE` to write")
	flags.StringVar(&f.features, "features", "",
		"TOML `FILE` with further numbers: a table for each run, named as the run")
	flags.StringSliceVar(&f.ignore, "ignore", nil,
		"leave out these numbers, `NAME` such as arg2 or --seed; may be repeated")
	return cmd
}

func (a *app) train(ctx context.Context, f scalingFlags, dirs []string) error {
	if f.output == "" {
		return usageError{fmt.Errorf("train: -o MODEL says where the model goes")}
	}
	if err := f.check(dirs); err != nil {
		return err
	}
	q := scaling.Training{Dirs: dirs, Ignore: f.ignore, Symbols: f.symbols(a, dirs[0]), Progress: a.later()}
	var err error
	if q.Sources, err = parseSources(f.source); err != nil {
		return err
	}
	if q.Add, err = parseFeatures(f.feature); err != nil {
		return err
	}
	if q.Features, err = readFeatures(f.features, dirs); err != nil {
		return err
	}
	learned, err := concluded(ctx, inWorld, f.analysts, q, scaling.Train)
	if errors.Is(err, training.ErrFew) {
		return usageError{fmt.Errorf("%w: train on more runs, of different scales", err)}
	}
	if err != nil || learned == nil {
		return unfit(err)
	}
	data, err := training.EncodeTrained(learned.Trained)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(f.output), 0o777)
	}
	if err == nil {
		err = regular.Replace(f.output, data)
	}
	if err != nil {
		return fmt.Errorf("model %s: %w", f.output, err)
	}
	if err := scalingreport.Training(a.out, f.output, learned.Trained, learned.Problems); err != nil {
		return err
	}
	if len(learned.Problems) > 0 {
		return exitError{exitDamaged}
	}
	return nil
}

// unfit makes a wrong command line of a question that the runs cannot answer.
func unfit(err error) error {
	if _, ok := errors.AsType[*scaling.UnfitError](err); ok {
		return usageError{err}
	}
	return err
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
		RunE:    func(cmd *cobra.Command, args []string) error { return a.test(cmd.Context(), f, args[0]) },
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "the model `FILE` that train made")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.StringVar(&f.html, "html", "",
		"write the report as one page to `FILE`, - for the output; it needs a browser and nothing else")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit with 3 if ranks were flagged or one crashed")
	return cmd
}

func (a *app) test(ctx context.Context, f scalingFlags, dir string) error {
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
	q := scaling.Question{Dir: dir, Symbols: f.symbols(a, dir)}
	if q.Trained, err = training.DecodeTrained(data); err != nil {
		return fmt.Errorf("model %s: %w", f.model, err)
	}
	if q.Add, err = parseFeatures(f.feature); err != nil {
		return err
	}
	if q.Sources, err = parseSources(f.source); err != nil {
		return err
	}
	found, err := concluded(ctx, inWorld, f.analysts, q, scaling.Run)
	if err != nil || found == nil {
		return unfit(err)
	}
	result := scalingreport.New(report.NewRun(found.Index), found)
	switch {
	case f.json:
		err = report.JSON(a.out, result)
	case f.html != "":
		err = a.writePage(f.html, func(w io.Writer) error { return scalingreport.HTML(w, result) })
	default:
		err = scalingreport.Text(a.out, result)
	}
	switch {
	case err != nil:
		return err
	case f.exitCode && (result.Flagged.Len() > 0 || result.Crash != nil):
		return exitError{exitFindings}
	case len(result.Problems) > 0:
		return exitError{exitDamaged}
	}
	return nil
}

// readFeatures reads a file with a table for each run: its path or its name, and in it control features.
func readFeatures(path string, dirs []string) (map[string]map[string]float64, error) {
	var out map[string]map[string]float64
	if path == "" {
		return nil, nil
	}
	if _, err := toml.DecodeFile(path, &out); err != nil {
		return nil, usageError{fmt.Errorf("--features: %s: %w", path, err)}
	}
	for run := range out {
		if !slices.ContainsFunc(dirs, func(d string) bool {
			return d == run || filepath.Clean(d) == run ||
				filepath.Base(d) == run
		}) {
			return nil, usageError{fmt.Errorf("--features: %s: [%q] is none of the runs", path, run)}
		}
	}
	return out, nil
}

// parseFeatures reads NAME=VALUE.
func parseFeatures(list []string) (map[string]float64, error) {
	out := map[string]float64{}
	for _, text := range list {
		name, value, found := strings.Cut(text, "=")
		v, err := strconv.ParseFloat(value, 64)
		if !found || name == "" || err != nil {
			return nil, usageError{fmt.Errorf("--feature %q: it is NAME=NUMBER", text)}
		}
		out[name] = v
	}
	return out, nil
}

func parseSources(text string) ([]recorded.Source, error) {
	switch text {
	case "both":
		return recorded.Sources, nil
	case string(recorded.AtMPI), string(recorded.AtSocket):
		return []recorded.Source{recorded.Source(text)}, nil
	}
	return nil, usageError{fmt.Errorf("--source %q: it is mpi, socket or both", text)}
}
