package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"laggard/analysis/slowness"
	"laggard/injector"
	"laggard/internal/procfs"
	"laggard/job"
	"laggard/job/standstill"
	"laggard/job/watch"
	"laggard/model/runfiles"
	"laggard/symbol"
)

// Runner runs and diagnoses the trials of a campaign (injector.Runner).
type Runner struct {
	Campaign  *injector.Campaign
	Dir       string        // where profiles, records and run directories are kept
	Recording job.Recording // how its jobs are recorded; Dir and ID are filled in
	Symbols   symbol.Config // for the functions of profiles; RunDir is filled in
	// Diagnose asks every judge about the run in a directory, into which a fault was put.
	Diagnose func(dir string, f injector.Fault) ([]injector.Diagnosis, error)
	// Under is the words to put before a program that is to run under an order in a
	// file.
	Under func(file string) []string
	Say   io.Writer // where the user is told what is done
	// Sentence is how a user is told that a job gets slower.
	Sentence func(*slowness.Event) string

	profiles []*injector.Profile // once trials were drawn
}

// RunDir is the run directory of a trial.
func (r *Runner) RunDir(id string) string { return filepath.Join(r.Dir, "trials", id, "run") }

// Run runs one trial: until the fault is in and the job hangs or ends, or, of a
// slow-down, until the hang timeout after the fault. Then it diagnoses.
func (r *Runner) Run(ctx context.Context, t injector.Trial) (injector.Outcome, error) {
	place := filepath.Join(r.Dir, "trials", t.ID)
	if r.Campaign.CausesSlowdown() {
		return r.runSlowdown(ctx, place, t)
	}
	if t.Fault.Kind == injector.None {
		return r.runHealthy(ctx, place, t.Loaded)
	}
	order := injector.Order{Out: place, Strike: &t.Strike}
	l, err := r.launchJob(place, &order)
	if err != nil {
		return injector.Outcome{}, err
	}
	defer l.endJob()
	slow := t.Fault.Kind == injector.Slow
	var out injector.Outcome
	if out.Hang, out.Early, err = r.awaitStrike(ctx, l, order, slow); err != nil {
		return out, err
	}
	out.Ended = len(l.done) > 0
	if out.Report, err = lateReport(order); errors.Is(err, fs.ErrNotExist) {
		return out, fmt.Errorf("the tracer left no report; output: %s", l.output.Name())
	}
	if err != nil || out.Report.State != injector.Injected {
		return out, err
	}
	if out.Over = slow && (!out.Hang || allFinished(l.dir)); out.Over {
		return out, nil
	}
	out.Detected = time.Since(out.Report.Time).Seconds()
	if t.Fault.CausesDivergence() {
		if !out.Hang {
			return out, nil // absorbed
		}
		made, err := order.ReadCollectives(r.Campaign.Launch.Ranks)
		if err = errors.Join(err, detachTracers(l.dir, order)); err != nil {
			return out, err
		}
		out.Truth = injector.TruthOf(t.Strike, out.Report, r.profiles, made)
	}
	out.Diagnoses, err = r.Diagnose(l.dir, t.Fault)
	return out, err
}

// detachTracers has the tracers leave the ranks alone: a process that is traced looks stopped
// whenever a signal reaches it, as the recorder's do while it stands still. Nobody
// handles SIGWINCH in a job.
func detachTracers(dir string, order injector.Order) error {
	run, err := runfiles.Open(dir)
	if err = errors.Join(err, order.StopTracing()); err != nil {
		return err
	}
	for end := time.Now().Add(watch.Grace); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		traced := false
		for _, rank := range run.Ranks {
			status, err := procfs.ReadStatus(rank.PID)
			if err == nil && status["TracerPid"] != "0" {
				traced = true
				_ = syscall.Kill(rank.PID, syscall.SIGWINCH)
			}
		}
		if !traced {
			break
		}
	}
	return nil
}

// awaitStrike waits until the fault shows or the job is over. early: a hang was seen
// before the fault was in.
func (r *Runner) awaitStrike(ctx context.Context, l *launchedJob, order injector.Order, slow bool) (hang, early bool,
	err error) {
	hang, err = r.awaitJob(ctx, l, func(now time.Time) bool {
		hangs := !slow && r.isHung(l, now)
		report, err := order.ReadReport()
		if err != nil {
			early = early || hangs
			return false
		}
		// The job may have stood still before, while the tracer was at work.
		since := now.Sub(report.Time)
		return since >= time.Duration(r.Campaign.Launch.Timeout) && (hangs || slow)
	})
	return hang, early, err
}

// lateReport waits a moment for the report: the tracer outlives a job that ended
// without its fault.
func lateReport(order injector.Order) (report injector.Report, err error) {
	for end := time.Now().Add(watch.Grace); ; time.Sleep(50 * time.Millisecond) {
		if report, err = order.ReadReport(); !errors.Is(err, fs.ErrNotExist) || time.Now().After(end) {
			return report, err
		}
	}
}

// runHealthy runs the program without a fault. One that fails by itself is an error.
func (r *Runner) runHealthy(ctx context.Context, place string, loaded bool) (injector.Outcome, error) {
	l, err := r.launchJob(place, nil)
	if err != nil {
		return injector.Outcome{}, err
	}
	defer l.endJob()
	if loaded {
		defer busyCores()()
	}
	hang, err := r.awaitJob(ctx, l, func(now time.Time) bool { return r.isHung(l, now) })
	if err == nil && !hang {
		err = <-l.done
		l.done <- nil // for end
	}
	return injector.Outcome{Hang: hang, Diagnoses: []injector.Diagnosis{}}, err
}

// busyCores keeps every core busy until the function that it returns is called.
func busyCores() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	for range runtime.NumCPU() {
		go func() {
			for ctx.Err() == nil {
			}
		}()
	}
	return cancel
}

// allFinished reports whether every rank has finished with MPI.
func allFinished(dir string) bool {
	run, err := runfiles.OpenPresent(dir)
	return err == nil && new(standstill.Observer).Look(run, time.Now()).Over
}

func (r *Runner) isHung(l *launchedJob, now time.Time) bool {
	run, err := runfiles.OpenPresent(l.dir)
	return err == nil && l.eye.Look(run, now).IsHung(time.Duration(r.Campaign.Launch.Timeout), now,
		func() bool { return true }) // a fault was injected
}

// awaitJob waits until the job is over, or what the trial is to show is there.
func (r *Runner) awaitJob(ctx context.Context, l *launchedJob, there func(now time.Time) bool) (hang bool, err error) {
	longest := time.Duration(r.Campaign.Launch.Limit)
	limit := time.After(longest)
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-l.done:
			l.done <- err // for those who wait next
			return watch.IsUnfinished(l.dir), nil
		case <-ctx.Done():
			return false, ctx.Err()
		case <-limit:
			return false, fmt.Errorf("neither hung nor ended after %s; output: %s", longest, l.output.Name())
		case now := <-tick.C:
			if there(now) {
				return true, nil
			}
		}
	}
}
