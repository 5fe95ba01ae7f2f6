package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"laggard/injector"
	"laggard/job"
	"laggard/job/trial"
	slownessreport "laggard/report/slowness"
)

const injectLong = `Inject faults into a real MPI program, one run after another, diagnose each, and
print how often the faulty rank was named: the paper's measures (recall,
isolation, imprecision, exact), by user function and MPI call, for each
algorithm. Where the faults make ranks leave the common sequence of collectives,
print how often the diagnosis named who left it, how, with which call, and the line
that decided. Where the faults make a rank slower, print how often the user was told,
with the right rank and cause, and after how many seconds; nothing is profiled.

The program is profiled first, to learn which functions each rank enters and how
often; then rank, function and entry are drawn from the seeds of the campaign.
Records are kept in a directory beside the campaign file; an interrupted campaign
continues from there.`

const injectExample = `  laggard inject --example > crack.toml
  laggard inject crack.toml
  laggard inject --json crack.toml > crack.json
  laggard inject --only report crack.toml
  laggard inject --trial 2-017 crack.toml      # one trial again, with its diagnosis
  laggard inject --sum -o records *.toml       # several campaigns that were run with -o records/NAME`

type injectFlags struct {
	json, example bool
	sum           bool
	dir, trial    string
	only          string
}

// faultInjection injects faults into programs, and scores the diagnoses.
type faultInjection struct{ *app }

func (a faultInjection) command() *cobra.Command {
	var f injectFlags
	cmd := &cobra.Command{
		Use:     "inject [flags] CAMPAIGN.toml",
		Short:   "Inject faults into a program and score the diagnosis",
		Long:    injectLong,
		Example: injectExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 || f.example && len(args) == 0 || f.sum && len(args) > 1 {
				return nil
			}
			return usageError{fmt.Errorf(
				"inject: expected one campaign file, got %d arguments; see laggard inject --help", len(args))}
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.example {
				_, err := fmt.Fprint(a.out, injector.Example)
				return err
			}
			if f.sum {
				return a.printCampaignTotals(f, args)
			}
			return a.injectFaults(f, args[0])
		},
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON: every trial, and the totals")
	cmd.Flags().BoolVar(&f.example, "example", false, "print a commented campaign file")
	cmd.Flags().StringVarP(&f.dir, "output", "o", "",
		"`DIR`ectory for profiles, records and run directories (default: the campaign's name without .toml)")
	cmd.Flags().StringVar(&f.only, "only", "", "run a `PART` of the trials: tune, report, healthy")
	cmd.Flags().BoolVar(&f.sum, "sum", false,
		"print the combined tables of several campaigns on diverging ranks; run nothing")
	cmd.Flags().StringVar(&f.trial, "trial", "", "run this one trial, by its `ID`, and print its diagnosis")
	cmd.AddCommand(a.becomeCommand(), a.traceCommand())
	return cmd
}

// becomeCommand stands between the launcher and the program of a trial.
func (a faultInjection) becomeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "exec ORDER -- PROGRAM …", Hidden: true, Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			return injector.Exec(args[0], args[1:], []string{self, "inject", "trace"})
		},
	}
}

// traceCommand is the tracer beside the chosen rank.
func (a faultInjection) traceCommand() *cobra.Command {
	return &cobra.Command{
		Use: "trace", Hidden: true, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return injector.Trace(args) },
	}
}

func (a faultInjection) injectFaults(f injectFlags, file string) error {
	if f.only != "" && !slices.Contains(injector.Parts, f.only) {
		return usageError{fmt.Errorf("--only must be tune, report or healthy, not %s", f.only)}
	}
	campaign, err := injector.ReadCampaign(file)
	if err != nil {
		return usageError{err}
	}
	if err := campaign.CheckPart(f.only); err != nil && f.trial == "" {
		return usageError{fmt.Errorf("%s: %w", file, err)}
	}
	runner, err := a.newTrialRunner(campaign, cmp.Or(f.dir, strings.TrimSuffix(file, ".toml")))
	if err != nil {
		return err
	}
	if runner.Dir == file {
		return usageError{fmt.Errorf("inject: %s does not end in .toml; give the directory for the records with -o", file)}
	}
	if err := os.MkdirAll(runner.Dir, 0o700); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	trials, err := runner.DrawTrials(ctx)
	if err != nil {
		return err
	}
	if f.trial != "" {
		return a.replayTrial(ctx, runner, trials, f.trial)
	}
	return a.runCampaign(ctx, f, runner, trials)
}

// printCampaignTotals prints what was reported of ranks that part, in the records of several campaigns.
func (a faultInjection) printCampaignTotals(f injectFlags, files []string) error {
	var campaigns []*injector.Campaign
	var records [][]injector.Record
	for _, file := range files {
		campaign, err := injector.ReadCampaign(file)
		if err != nil {
			return usageError{err}
		}
		name := strings.TrimSuffix(filepath.Base(file), ".toml")
		read, err := injector.ReadRecords(filepath.Join(cmp.Or(f.dir, filepath.Dir(file)), name, "trials.jsonl"))
		if err != nil {
			return err
		}
		campaigns, records = append(campaigns, campaign), append(records, read)
	}
	return injector.WriteCombinedText(a.out, campaigns, records)
}

// newTrialRunner runs the trials of a campaign, with the records in dir.
func (a faultInjection) newTrialRunner(c *injector.Campaign, dir string) (*trial.Runner, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return &trial.Runner{
		Campaign: c,
		Dir:      dir,
		Recording: job.Recording{Library: a.settings.Recorder.Library, Settings: a.settings.recorderEnv(),
			Version: version},
		Symbols:  new(symbolFlags).symbolConfig(a.app, ""),
		Diagnose: a.diagnoseTrial,
		Under:    func(order string) []string { return []string{self, "inject", "exec", order, "--"} },
		Say:      a.err,
		Sentence: slownessreport.Sentence,
	}, nil
}

func (a faultInjection) runCampaign(ctx context.Context, f injectFlags, r *trial.Runner, trials []injector.Trial) error {
	journal, err := injector.OpenJournal(filepath.Join(r.Dir, "trials.jsonl"), r.Campaign, trials)
	if err != nil {
		return err
	}
	defer journal.Close()
	trials = r.Campaign.Part(f.only, trials)
	known, done := journal.Done(), 0
	for _, t := range trials {
		if known[t.ID] {
			done++
		}
	}
	err = injector.Run(ctx, trials, r, journal, func(record injector.Record) {
		done++
		fmt.Fprintf(a.err, "%4d/%d  %s\n", done, len(trials), record)
	})
	if err != nil {
		return fmt.Errorf("inject: %w; run it again to continue", err)
	}
	if f.json {
		return r.Campaign.WriteJSON(a.out, journal.Records)
	}
	return r.Campaign.WriteText(a.out, journal.Records)
}

// replayTrial runs one trial and prints the diagnosis as a user would get it.
func (a faultInjection) replayTrial(ctx context.Context, r *trial.Runner, trials []injector.Trial, id string) error {
	i := slices.IndexFunc(trials, func(t injector.Trial) bool { return t.ID == id })
	if i < 0 {
		return usageError{fmt.Errorf("--trial %s: no such trial; a trial is SEED-NUMBER, such as %s", id,
			trials[0].ID)}
	}
	outcome, err := r.Run(ctx, trials[i])
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, injector.Record{Trial: trials[i], Outcome: &outcome})
	fmt.Fprintln(a.out, strings.Repeat("-", 72))
	return a.diagnose(context.Background(), diagnoseFlags{}, r.RunDir(id))
}
