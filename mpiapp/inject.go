package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"laggard/injector"
	"laggard/model"
	"laggard/symbol"
)

const injectLong = `Inject faults into a real MPI program, one run after another, diagnose each, and
print how often the faulty rank was named: the paper's measures (recall,
isolation, imprecision, exact), by user function and MPI call, for each
algorithm.

The program is profiled first, to learn which functions each rank enters and how
often; then rank, function and entry are drawn from the seeds of the campaign.
What was done is kept in a directory beside the campaign file; a campaign that
was cut off goes on there.`

const injectExample = `  laggard inject --example > crack.toml
  laggard inject crack.toml
  laggard inject --json crack.toml > crack.json
  laggard inject --only report crack.toml
  laggard inject --trial 2-017 crack.toml      # one trial again, with its diagnosis`

type injectFlags struct {
	json, example bool
	dir, trial    string
	only          string
}

func (a *app) injectCommand() *cobra.Command {
	var f injectFlags
	cmd := &cobra.Command{
		Use:     "inject [flags] CAMPAIGN.toml",
		Short:   "Inject faults into a program and score the diagnosis",
		Long:    injectLong,
		Example: injectExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 || f.example && len(args) == 0 {
				return nil
			}
			return usageError{fmt.Errorf("inject wants one campaign file, got %d arguments; see laggard inject --help", len(args))}
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.example {
				_, err := fmt.Fprint(a.out, injector.Example)
				return err
			}
			return a.inject(f, args[0])
		},
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON: every trial, and the totals")
	cmd.Flags().BoolVar(&f.example, "example", false, "print a commented campaign file")
	cmd.Flags().StringVarP(&f.dir, "output", "o", "", "`DIR`ectory for profiles, records and run directories (default: the campaign's name without .toml)")
	cmd.Flags().StringVar(&f.only, "only", "", "run a `PART` of the trials: tune, report, healthy")
	cmd.Flags().StringVar(&f.trial, "trial", "", "run this one trial, by its `ID`, and print its diagnosis")
	cmd.AddCommand(a.becomeCommand(), a.traceCommand())
	return cmd
}

// becomeCommand stands between the launcher and the program of a trial.
func (a *app) becomeCommand() *cobra.Command {
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
func (a *app) traceCommand() *cobra.Command {
	return &cobra.Command{
		Use: "trace", Hidden: true, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return injector.Trace(args) },
	}
}

func (a *app) inject(f injectFlags, file string) error {
	if !slices.Contains([]string{"", "tune", "report", "healthy"}, f.only) {
		return usageError{fmt.Errorf("--only %s: it is tune, report or healthy", f.only)}
	}
	campaign, err := injector.ReadCampaign(file)
	if err != nil {
		return usageError{err}
	}
	dir := f.dir
	if dir == "" {
		dir = strings.TrimSuffix(file, ".toml")
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if dir == file {
		return usageError{fmt.Errorf("inject: %s does not end in .toml; say where to keep the records with -o", file)}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	r := &trialRunner{app: a, campaign: campaign, dir: dir}
	trials, err := r.draw(ctx)
	if err != nil {
		return err
	}
	if f.trial != "" {
		return r.replay(ctx, trials, f.trial)
	}
	return a.runCampaign(ctx, f, r, trials)
}

// draw profiles the program, unless that was done before, and draws the trials.
func (r *trialRunner) draw(ctx context.Context) ([]injector.Trial, error) {
	path := filepath.Join(r.dir, "profiles.json")
	profiles, err := readProfiles(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := r.prepare(ctx); err != nil {
			return nil, err
		}
		fmt.Fprintf(r.app.err, "laggard: profiling %s\n", r.campaign.Program.Name)
		if profiles, err = r.profile(ctx); err == nil {
			err = writeProfiles(path, profiles)
		}
	}
	if err != nil {
		return nil, err
	}
	return r.campaign.Draw(profiles)
}

// prepare makes the program. What it prints is shown if it fails.
func (r *trialRunner) prepare(ctx context.Context) error {
	words := r.campaign.Program.Prepare
	if len(words) == 0 {
		return nil
	}
	fmt.Fprintf(r.app.err, "laggard: preparing %s\n", r.campaign.Program.Name)
	out, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("inject: prepare: %w\n%s", err, out)
	}
	return nil
}

func readProfiles(path string) ([]*injector.Profile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []*injector.Profile
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

func writeProfiles(path string, profiles []*injector.Profile) error {
	text, err := json.Marshal(profiles)
	if err != nil {
		return err
	}
	part := path + ".part"
	if err := os.WriteFile(part, text, 0o600); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// locate fills in where the functions of profiles begin in the source. The
// modules are those that a recorded rank had mapped.
func locate(profiles []*injector.Profile, modules []*model.Module, resolver *symbol.Resolver) {
	byName := map[string]*model.Module{}
	for _, m := range modules {
		byName[filepath.Base(m.Path)] = m
	}
	for _, p := range profiles {
		for i := range p.Functions {
			t := &p.Functions[i].Target
			if m := byName[t.Module]; m != nil && t.Class == injector.User {
				at := resolver.Resolve(model.Frame{Module: m, Offset: t.Offset}, false)
				t.File, t.Line = at.File, at.Line
			}
		}
	}
}

func (a *app) runCampaign(ctx context.Context, f injectFlags, r *trialRunner, trials []injector.Trial) error {
	journal, err := injector.OpenJournal(filepath.Join(r.dir, "trials.jsonl"), r.campaign, trials)
	if err != nil {
		return err
	}
	defer journal.Close()
	trials = partOf(r.campaign, f.only, trials)
	done := doneOf(journal, trials)
	err = injector.Run(ctx, trials, r, journal, func(record injector.Record) {
		done++
		fmt.Fprintf(a.err, "%4d/%d  %s\n", done, len(trials), trialText(record))
	})
	if err != nil {
		return fmt.Errorf("inject: %w; call it again to go on", err)
	}
	if f.json {
		return a.campaignJSON(r.campaign, journal.Records)
	}
	return a.campaignText(r.campaign, journal.Records)
}

// partOf picks the trials of a part of the campaign, "" all.
func partOf(c *injector.Campaign, part string, trials []injector.Trial) []injector.Trial {
	if part == "" {
		return trials
	}
	seeds := map[string][]uint64{"tune": c.Trials.Tune, "report": c.Trials.Report}[part]
	return slices.DeleteFunc(slices.Clone(trials), func(t injector.Trial) bool {
		if t.Fault.Kind == injector.None {
			return part != "healthy"
		}
		return !slices.Contains(seeds, t.Seed)
	})
}

// doneOf counts the trials that the journal has already.
func doneOf(j *injector.Journal, trials []injector.Trial) int {
	done, n := j.Done(), 0
	for _, t := range trials {
		if done[t.ID] {
			n++
		}
	}
	return n
}

// trialText is a trial in a line: what was done to whom, and what was found.
func trialText(record injector.Record) string {
	t := record.Trial
	if t.Fault.Kind == injector.None {
		return healthyText(record)
	}
	text := fmt.Sprintf("%s %s rank %d at entry %d of %s", t.ID, t.Fault, t.Rank, t.Invocation, t.Target)
	if record.Outcome == nil {
		return text + ": failed: " + record.Error
	}
	if s := record.Outcome.Report.State; s != injector.Injected {
		return text + ": " + string(s)
	}
	if record.Outcome.Over {
		return text + ": all ranks were through before it was looked at"
	}
	for _, d := range record.Outcome.Diagnoses {
		v := injector.Judge(t.Strike, d)
		mark := "MISSED"
		switch {
		case v.Exact:
			mark = "exact"
		case v.Recall:
			mark = "recalled"
		case v.Isolated:
			mark = "isolated"
		}
		text += fmt.Sprintf("; %s %s", d.Algorithm, mark)
	}
	return text
}

func healthyText(record injector.Record) string {
	text := record.Trial.ID + " no fault"
	if record.Trial.Loaded {
		text += ", loaded machine"
	}
	switch {
	case record.Outcome == nil:
		return text + ": failed: " + record.Error
	case record.Outcome.Hang:
		return text + ": FALSE ALARM"
	}
	return text + ": ended well"
}

// bySeeds picks the records of some seeds.
func bySeeds(records []injector.Record, seeds []uint64) []injector.Record {
	var out []injector.Record
	for _, r := range records {
		if r.Trial.Fault.Kind != injector.None && slices.Contains(seeds, r.Trial.Seed) {
			out = append(out, r)
		}
	}
	return out
}

func (a *app) campaignText(c *injector.Campaign, records []injector.Record) error {
	for _, part := range []struct {
		what  string
		seeds []uint64
	}{{"tuned on", c.Trials.Tune}, {"reported", c.Trials.Report}} {
		some := bySeeds(records, part.seeds)
		if len(some) == 0 {
			continue
		}
		fmt.Fprintf(a.out, "%s, %s, %d ranks, seeds %v (%s)\n", c.Program.Name, c.Launch.Family, c.Launch.Ranks, part.seeds, part.what)
		if err := injector.NewScore(some).Text(a.out); err != nil {
			return err
		}
		fmt.Fprintln(a.out)
	}
	if h := injector.NewHealth(records); h.Runs > 0 {
		fmt.Fprintln(a.out, h)
	}
	return nil
}

func (a *app) campaignJSON(c *injector.Campaign, records []injector.Record) error {
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{
		"schema_version": 1, "campaign": c, "trials": records,
		"totals": map[string]any{
			"tune":   injector.NewScore(bySeeds(records, c.Trials.Tune)),
			"report": injector.NewScore(bySeeds(records, c.Trials.Report)),
			"health": injector.NewHealth(records),
		},
	})
}
