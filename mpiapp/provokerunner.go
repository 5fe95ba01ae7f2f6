package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"laggard/injector/provoke"
	"laggard/job"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/model/runfiles"
	"laggard/report"
	"laggard/report/ci"
	"laggard/symbol"
)

// Bounds of how long perturbed runs may take.
const (
	certainHang   = 3 * time.Second  // standstill that is looked at, if no --timeout is given
	leastHang     = 10 * time.Second // that counts as a hang in any case
	leastEndless  = 30 * time.Second // after which a run that moves counts as endless, at the soonest
	endlessFactor = 25               // and times the first run: choices make a run at most 11 times as long

	// The same for the candidates of a reduction, once a run was seen to hang. Looks are a second apart.
	certainAgain = time.Second
	leastAgain   = 3 * time.Second
	endlessAgain = 12 * time.Second // or half of what counts as endless else
	againFactor  = 3                // times the first run, standing still
	quietAgain   = "900"            // milliseconds after which a rank says that it stands still; it looks each second
)

// oneThread are the kinds that are left out where several threads call MPI.
const oneThread = mpi.Match | mpi.BufferUse | mpi.EpochEnd

// perturbedRunner runs a program for a search.
type perturbedRunner struct {
	*app
	recording job.Recording
	dir       string // of all runs
	path      string // of the launcher
	command   []string
	expect    string
	number    int // of runs until now
	reference *provoke.Reference
	resolver  *symbol.Resolver
	log       *os.File   // what is said of single runs
	kept      []string   // run directories that were kept
	untried   []string   // what cannot be tried, and why
	places    []ci.Place // of the choices that are left, as far as they are known
}

// newRunner runs a command as a recording says, in directories below f.dir.
func (a perturbedRuns) newRunner(f provokeFlags, recording job.Recording, command []string) (*perturbedRunner, error) {
	path, err := findProgram(command)
	if err != nil {
		return nil, err
	}
	dir, err := makeDir(f.dir)
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(dir, "log.txt"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	recording.Quiet, recording.Say = true, log
	return &perturbedRunner{app: a.app, recording: recording, dir: dir, path: path, command: command,
		expect: f.expect, resolver: symbol.New(new(symbolFlags).symbolConfig(a.app, "")), log: log}, nil
}

func (r *perturbedRunner) close() {
	r.resolver.Close()
	r.log.Close()
}

// outputOf is the file with what the program of a run printed.
func (r *perturbedRunner) outputOf(dir string) string { return dir + ".out" }

// Reference runs the program as it is.
func (r *perturbedRunner) Reference(ctx context.Context, why string) (*provoke.Outcome, *provoke.Reference, error) {
	o, err := r.Run(ctx, nil, why, provoke.Sure)
	if err == nil && o.Failure != "" && o.Void != "" {
		if missing := missingProgram(r.command); missing != "" {
			err = usageError{errors.New(missing)}
		}
	}
	if err != nil || o.Failure != "" {
		return o, nil, err
	}
	if r.reference != nil { // an earlier run has shown what is open
		return o, r.reference, nil
	}
	run, err := runfiles.Open(o.Dir)
	if err != nil {
		return nil, nil, err
	}
	if o.Void != "" {
		return nil, nil, fmt.Errorf("%s: %w; laggard doctor PROGRAM checks whether the program can be recorded",
			o.Void, provoke.ErrUnrecorded)
	}
	r.reference = &provoke.Reference{Took: o.Took, Ranks: len(run.Ranks)}
	r.reference.Open, r.reference.Places = provoke.FindOpen(run)
	threads := false
	for _, rank := range run.Ranks {
		r.reference.Quiet = max(r.reference.Quiet, rank.LongestQuiet)
		threads = threads || len(rank.Threads) > 1
	}
	if threads {
		r.reference.Open = slices.DeleteFunc(r.reference.Open, func(o *provoke.Open) bool { return o.Kind&oneThread != 0 })
		r.untried = append(r.untried,
			fmt.Sprintf("%s, and noes of MPI_Iprobe and MPI_Win_test: another thread may take the message, or wait for it", oneThread))
	}
	return o, r.reference, nil
}

// Run runs the program with the choices of a schedule.
func (r *perturbedRunner) Run(ctx context.Context, s *provoke.Schedule, why string, p provoke.Patience) (
	*provoke.Outcome, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	fmt.Fprintf(r.err, "laggard: %s\n", why)
	rec, dir := r.recording, filepath.Join(r.dir, fmt.Sprintf("run-%d", r.number))
	r.number++
	rec.Dir = dir
	if err := rec.Prepare(r.command); err != nil {
		return nil, err
	}
	if err := perturb(&rec, s); err != nil {
		return nil, err
	}
	output, err := os.OpenFile(r.outputOf(dir), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	defer output.Close()
	rec.Output = output
	began := time.Now()
	r.limitRun(&rec, began, s, p)
	hung, ended := rec.Run(r.path, r.command, func() {})
	o := &provoke.Outcome{Dir: dir, Took: time.Since(began)}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if o.Status, err = job.ExitStatus(ended); err != nil {
		return nil, err
	}
	if o.Failure, err = r.judge(o, hung); err != nil {
		return nil, err
	}
	if err := r.readRecord(o); err != nil {
		return nil, err
	}
	return o, r.removeUnless(o.Failure != "" || r.reference == nil, dir)
}

// perturb has the recorder follow a schedule in a run that is prepared; nil: none.
func perturb(r *job.Recording, s *provoke.Schedule) error {
	if s == nil {
		return nil
	}
	set(r, "LAGGARD_PERTURB", provoke.ScheduleFile(r.Dir))
	return s.WriteFor(r.Dir)
}

// set gives the recorder of one run a setting. Other runs have the same map.
func set(r *job.Recording, name, value string) {
	settings := map[string]string{}
	maps.Copy(settings, r.Settings)
	settings[name] = value
	r.Settings = settings
}

// limitRun says when a run hangs: the first by the settings, the others by what it showed, and by how long calls are held back.
func (r *perturbedRunner) limitRun(rec *job.Recording, began time.Time, s *provoke.Schedule, p provoke.Patience) {
	if rec.Timeout > 0 || r.reference == nil { // as the user said, or by the settings
		return
	}
	ref := r.reference
	certain, hang, endless := certainHang, leastHang, max(leastEndless, endlessFactor*ref.Took)
	if p == provoke.Brief {
		certain, hang, endless = certainAgain, max(leastAgain, againFactor*ref.Took), max(endlessAgain, endlessFactor*ref.Took/2)
		set(rec, "LAGGARD_QUIET_MS", quietAgain)
	}
	longest := ref.Longest()
	if s != nil {
		longest = time.Duration(s.LongestUS) * time.Microsecond
	}
	rec.CertainAfter = max(certain, 2*longest)
	rec.Timeout = max(hang, 3*ref.Quiet+4*longest)
	rec.Limit = func(now time.Time) (bool, string) {
		if now.Sub(began) < endless {
			return false, ""
		}
		return true, fmt.Sprintf("the run takes longer than %s", endless)
	}
}

// judge says how a run failed. The error is that the command of --expect is none.
func (r *perturbedRunner) judge(o *provoke.Outcome, hung bool) (provoke.Failure, error) {
	switch {
	case hung:
		return provoke.Hangs, nil
	case o.Status > 128:
		return provoke.Crashes, nil
	case o.Status != 0:
		return provoke.Fails, nil
	case r.expect == "":
		return "", nil
	}
	in, err := os.Open(r.outputOf(o.Dir))
	if err != nil {
		return provoke.Rejected, nil
	}
	defer in.Close()
	cmd := exec.Command("sh", "-c", r.expect)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, r.log, r.log
	err = cmd.Run()
	switch status := cmd.ProcessState.ExitCode(); {
	case status == notFound || status == notExecutable:
		return "", usageError{fmt.Errorf("--expect %q: a command in it cannot be run (status %d); what it said is in %s", r.expect, status,
			r.log.Name())}
	case err != nil:
		return provoke.Rejected, nil
	}
	return "", nil
}

// Exit statuses of a shell whose command cannot be run.
const (
	notExecutable = 126
	notFound      = 127
)

// readRecord reads which choices were made, and whether every rank could make them.
func (r *perturbedRunner) readRecord(o *provoke.Outcome) (err error) {
	if o.Made, err = provoke.ReadMade(o.Dir); err != nil {
		return err
	}
	run, err := runfiles.OpenPresent(o.Dir)
	if err != nil || len(run.Ranks) == 0 {
		o.Void = "no rank was recorded"
		return nil
	}
	if o.Failure != "" && r.reference != nil {
		var places map[uint64]provoke.Place
		o.Open, places = provoke.FindOpen(run)
		for key, place := range places {
			r.reference.Places[key] = r.reference.Places[key].Merge(place)
		}
	}
	for _, rank := range run.Ranks {
		if rank.Off {
			o.Void = fmt.Sprintf("the recording of rank %d stopped", rank.Rank)
		}
	}
	return nil
}

// removeUnless removes what a run left unless it is to be kept.
func (r *perturbedRunner) removeUnless(keep bool, dir string) error {
	if keep {
		r.kept = append(r.kept, dir)
		return nil
	}
	return errors.Join(os.RemoveAll(r.outputOf(dir)), os.RemoveAll(dir))
}

// keepOnly removes the failed runs that the result does not name.
func (r *perturbedRunner) keepOnly(result *provoke.Result) error {
	named := []*provoke.Outcome{result.Reference, result.Unperturbed, result.Failed}
	named = append(named, result.Unconfirmed...)
	var err error
	for _, dir := range slices.Clone(r.kept) {
		keep := slices.ContainsFunc(named, func(o *provoke.Outcome) bool { return o != nil && o.Dir == dir })
		err = errors.Join(err, r.removeUnless(keep, dir))
	}
	return err
}

// writeSchedule writes the schedule of a failure, if it takes one.
func (r *perturbedRunner) writeSchedule(result *provoke.Result) error {
	if result.Schedule == nil {
		return nil
	}
	r.describe(result.Schedule, result.Failed.Made)
	text, err := result.Schedule.Text()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.dir, scheduleName), []byte(text), 0o600)
}

// describe names the calls of a schedule's rules, and their lines. made is what a run made with it.
func (r *perturbedRunner) describe(s *provoke.Schedule, made []provoke.Made) {
	for i := range s.Rules {
		rule := &s.Rules[i]
		var calls, lines []string
		for _, key := range rule.Places(made) {
			place, known := r.reference.Places[key]
			if !known || place.Frame.Module == nil {
				continue
			}
			for _, call := range place.CallsWith(rule.Choice()) {
				if !slices.Contains(calls, call) {
					calls = append(calls, call)
				}
			}
			site := report.NewSite(r.resolver.ResolveStack([]model.Frame{place.Frame}, false))
			if line := placeName(site); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
			if at := (ci.Place{File: site.File, Line: site.Line}); site.File != "" && !slices.Contains(r.places, at) {
				r.places = append(r.places, at)
			}
		}
		rule.Call, rule.Where = strings.Join(calls, ", "), strings.Join(lines, ", ")
	}
}

// placeName is the file and line of a call, or else what is known of it.
func placeName(site report.Site) string {
	if site.File != "" {
		return fmt.Sprintf("%s:%d", path.Base(site.File), site.Line)
	}
	return site.String()
}
