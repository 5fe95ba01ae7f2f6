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
where the run departs from the prediction. Record with --record volume.`

const trainExample = `  for n in 4 6 8 12 15; do laggard run --record volume -o train-$n -- mpirun -np $n ./app 1000; done
  laggard scaling train -o app.model train-*
  laggard scaling train -o app.model --source mpi --feature nodes=1 train-*`

const testLong = `Judge a run by a model of smaller ones: which ranks do not send the predicted
volume, whether the run is inside the range of the model, and the call sites where
it shows, with the first function and line at which their stacks differ.

Exit status: 0 done, 1 failed, 2 usage, 3 ranks were flagged or one crashed
(only with --exit-code), 4 done but data was missing or damaged.`

const testExample = `  laggard run --record volume -o big -- mpirun -np 256 ./app 1000
  laggard scaling test --model app.model big
  laggard scaling test --json --model app.model big | jq .flagged_ranks
  laggard scaling test --html page.html --model app.model big`

// scalingAnalysis trains models of small runs, and judges large ones by them.
type scalingAnalysis struct{ *app }

func (a scalingAnalysis) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scaling",
		Short: "Compare a large run with a model of small, good ones",
		Long:  scalingLong,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.scalingTrainCommand(), a.scalingTestCommand())
	return cmd
}

type scalingFlags struct {
	analysisFlags
	output                        outputFlags
	file, model, source, features string // file: where the model is written
	feature, ignore               []string
}

func (f *scalingFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.source, "source", "both",
		"`WHERE` volumes are taken from: mpi (the calls), socket (below MPI), both")
	flags.StringArrayVar(&f.feature, "feature", nil, "a further number of the run, `NAME=VALUE`; may be repeated")
	f.analysisFlags.register(cmd)
}

// checkRunDirs sees to it that there are runs.
func (f *scalingFlags) checkRunDirs(dirs []string) error {
	if err := checkDirs(dirs...); err != nil {
		return err
	}
	return f.analysisFlags.check()
}

func (a scalingAnalysis) scalingTrainCommand() *cobra.Command {
	var f scalingFlags
	cmd := &cobra.Command{
		Use:     "train [flags] -o MODEL RUNDIR…",
		Short:   "Make a model of small, good runs",
		Long:    scalingLong,
		Example: trainExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("expected run directories; see %s --help", cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.trainScaling(cmd.Context(), f, args) },
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "output", "o", "", "the model `FILE` to write")
	flags.StringVar(&f.features, "features", "",
		"TOML `FILE` with further numbers: a table for each run, with its name")
	flags.StringSliceVar(&f.ignore, "ignore", nil,
		"ignore these numbers, `NAME` such as arg2 or --seed; may be repeated")
	return cmd
}

func (a scalingAnalysis) trainScaling(ctx context.Context, f scalingFlags, dirs []string) error {
	if f.file == "" {
		return usageError{fmt.Errorf("train: -o MODEL is required")}
	}
	if err := f.checkRunDirs(dirs); err != nil {
		return err
	}
	q := scaling.Training{Dirs: dirs, Ignore: f.ignore, Symbols: f.symbolConfig(a.app, dirs[0]), Progress: a.delayedProgress(0)}
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
	learned, err := runAnalysis(ctx, runInWorld, f.analysts, q, scaling.Train)
	if errors.Is(err, training.ErrFew) {
		return usageError{err}
	}
	if err != nil || learned == nil {
		return asUsageError(err)
	}
	data, err := training.EncodeTrained(learned.Trained)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(f.file), 0o777)
	}
	if err == nil {
		err = regular.ReplaceFile(f.file, data)
	}
	if err != nil {
		return fmt.Errorf("model %s: %w", f.file, err)
	}
	if err := scalingreport.Training(a.out, f.file, learned.Trained, learned.Problems); err != nil {
		return err
	}
	if len(learned.Problems) > 0 {
		return exitError{exitDamaged}
	}
	return nil
}

// asUsageError makes a wrong command line of a question that the runs cannot answer.
func asUsageError(err error) error {
	if _, ok := errors.AsType[*scaling.UnfitError](err); ok {
		return usageError{err}
	}
	return err
}

func (a scalingAnalysis) scalingTestCommand() *cobra.Command {
	var f scalingFlags
	cmd := a.runDirCommand(&cobra.Command{
		Use: "test [flags] --model MODEL RUNDIR", Short: "Judge a run by a model of smaller ones",
		Long: testLong, Example: testExample,
	}, func(ctx context.Context, dir string) error { return a.testScaling(ctx, f, dir) })
	f.register(cmd)
	f.output.register(cmd, "the report", "ranks were flagged or one crashed")
	cmd.Flags().StringVar(&f.model, "model", "", "the model `FILE` that train made")
	return cmd
}

func (a scalingAnalysis) testScaling(ctx context.Context, f scalingFlags, dir string) error {
	if f.model == "" {
		return usageError{fmt.Errorf("test: --model MODEL is required")}
	}
	if err := f.output.check(); err != nil {
		return err
	}
	if err := f.checkRunDirs([]string{dir}); err != nil {
		return err
	}
	data, err := os.ReadFile(f.model)
	if err != nil {
		return usageError{fmt.Errorf("model: %w", err)}
	}
	q := scaling.Question{Dir: dir, Symbols: f.symbolConfig(a.app, dir)}
	if q.Trained, err = training.DecodeTrained(data); err != nil {
		return fmt.Errorf("model %s: %w", f.model, err)
	}
	if q.Add, err = parseFeatures(f.feature); err != nil {
		return err
	}
	if q.Sources, err = parseSources(f.source); err != nil {
		return err
	}
	found, err := runAnalysis(ctx, runInWorld, f.analysts, q, scaling.Run)
	if err != nil || found == nil {
		return asUsageError(err)
	}
	result := scalingreport.New(report.NewRun(found.Index), found)
	return a.print(f.output, output{
		result: result,
		text:   func(w io.Writer) error { return scalingreport.Text(w, result) },
		page:   func(w io.Writer) error { return scalingreport.HTML(w, result) },
		found:  result.Flagged.Len() > 0 || result.Crash != nil, damaged: len(result.Problems) > 0,
	})
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
			return nil, usageError{fmt.Errorf("--features: %s: [%q] is not one of the runs", path, run)}
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
			return nil, usageError{fmt.Errorf("--feature must be NAME=NUMBER, not %q", text)}
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
	return nil, usageError{fmt.Errorf("--source must be mpi, socket or both, not %q", text)}
}
