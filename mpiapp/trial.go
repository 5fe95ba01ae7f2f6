package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"laggard/analysis/progress"
	"laggard/injector"
	"laggard/model"
	"laggard/reduce"
	"laggard/report"
	"laggard/symbol"
)

// trialRunner runs and diagnoses the trials of a campaign (injector.Runner).
type trialRunner struct {
	app      *app
	campaign *injector.Campaign
	dir      string // of the campaign
}

// judges are the ways of diagnosing that a campaign compares: as laggard does
// it, and by each algorithm without evidence.
var judges = []struct {
	name    string
	options progress.Options
}{
	{"laggard", progress.Options{}},
	{"loop-aware alone", progress.Options{Algorithm: progress.LoopAware, PaperOnly: true}},
	{"pdi", progress.Options{Algorithm: progress.PDI, PaperOnly: true}},
}

// launched is a job of a campaign.
type launched struct {
	cmd    *exec.Cmd
	dir    string // run directory
	done   chan error
	output *os.File
}

// launch starts the program under the recorder and, unless it is nil, an order.
func (r *trialRunner) launch(place string, order *injector.Order) (*launched, error) {
	if err := os.RemoveAll(place); err != nil {
		return nil, err
	}
	// Launchers put their session files where TMPDIR says, and jobs that share
	// such a place have been seen to hang.
	tmp := filepath.Join(place, "tmp")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return nil, err
	}
	l := &launched{dir: filepath.Join(place, "run"), done: make(chan error, 1)}
	under, err := underOrder(place, order)
	if err != nil {
		return nil, err
	}
	words := slices.Concat(r.campaign.LaunchCommand(), under, r.campaign.Program.Command)
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, err
	}
	_, id, err := r.app.prepare(runFlags{dir: l.dir}, words)
	if err != nil {
		return nil, err
	}
	env, err := r.app.recorderEnv(l.dir, "", nil, id)
	if err != nil {
		return nil, err
	}
	for name, value := range r.campaign.Program.Environment {
		env[name] = value
	}
	env["TMPDIR"] = tmp
	if l.output, err = os.Create(filepath.Join(place, "output")); err != nil {
		return nil, err
	}
	l.cmd = exec.Command(path, forward(path, words[1:], env)...)
	l.cmd.Dir, l.cmd.Env = r.campaign.Program.Directory, merge(os.Environ(), env)
	l.cmd.Stdout, l.cmd.Stderr = l.output, l.output
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a terminal's interrupt is laggard's to handle
	if err := l.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { l.done <- l.cmd.Wait() }()
	return l, nil
}

// underOrder writes down an order and returns the words to put before a program
// that is to run under it.
func underOrder(place string, order *injector.Order) ([]string, error) {
	if order == nil {
		return nil, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(order.Out, 0o700); err != nil {
		return nil, err
	}
	file := filepath.Join(place, "order.json")
	return []string{self, "inject", "exec", file, "--"}, order.Write(file)
}

// end kills what is left of the job and waits for it.
func (l *launched) end() {
	killRanks(l.dir)
	_ = syscall.Kill(-l.cmd.Process.Pid, syscall.SIGTERM)
	select {
	case <-l.done:
	case <-time.After(graceful):
		_ = syscall.Kill(-l.cmd.Process.Pid, syscall.SIGKILL)
		<-l.done
	}
	killRanks(l.dir)
	l.output.Close()
	_ = os.RemoveAll(filepath.Join(filepath.Dir(l.dir), "tmp"))
}

// profile runs the program once with every rank traced.
func (r *trialRunner) profile(ctx context.Context) ([]*injector.Profile, error) {
	place := filepath.Join(r.dir, "profile")
	order := r.campaign.ProfileOrder(filepath.Join(place, "out"))
	l, err := r.launch(place, &order)
	if err != nil {
		return nil, err
	}
	select {
	case err = <-l.done:
		l.done <- nil
	case <-ctx.Done():
		err = ctx.Err()
	}
	run, openErr := model.Open(l.dir)
	l.end()
	if err = errors.Join(err, openErr); err != nil {
		return nil, fmt.Errorf("profiling: %w; the output is in %s", err, l.output.Name())
	}
	profiles, err := order.ReadProfiles(r.campaign.Launch.Ranks)
	if err == nil && len(run.Ranks) > 0 {
		resolver := symbol.New(r.symbols(l.dir))
		locate(profiles, run.Ranks[0].Modules, resolver)
		resolver.Close()
	}
	return profiles, err
}

func (r *trialRunner) symbols(dir string) symbol.Config {
	return symbol.Config{RunDir: dir, Roots: r.app.settings.Symbols.Roots, DebugDirs: r.app.settings.Symbols.DebugDirs}
}

// Run runs one trial: until the fault is in and the job hangs or ends, or, of a
// slow-down, until the hang timeout after the fault. Then it diagnoses.
func (r *trialRunner) Run(ctx context.Context, t injector.Trial) (injector.Outcome, error) {
	place := filepath.Join(r.dir, "trials", t.ID)
	if t.Fault.Kind == injector.None {
		return r.healthy(ctx, place, t.Loaded)
	}
	order := injector.Order{Out: place, Strike: &t.Strike}
	l, err := r.launch(place, &order)
	if err != nil {
		return injector.Outcome{}, err
	}
	defer l.end()
	var out injector.Outcome
	out.Hang, err = r.await(ctx, l, func(now time.Time) bool {
		hangs := t.Fault.Kind != injector.Slow && r.hangs(l, now)
		report, err := order.ReadReport()
		if err != nil {
			out.Early = out.Early || hangs
			return false
		}
		// The job may have stood still before, for the tracer's sake.
		since := now.Sub(report.Time)
		return since >= time.Duration(r.campaign.Launch.Timeout) && (hangs || t.Fault.Kind == injector.Slow)
	})
	if err != nil {
		return out, err
	}
	if out.Report, err = lateReport(order); errors.Is(err, fs.ErrNotExist) {
		return out, fmt.Errorf("the tracer left no report; the output is in %s", l.output.Name())
	}
	if err != nil || out.Report.State != injector.Injected {
		return out, err
	}
	if out.Over = t.Fault.Kind == injector.Slow && (!out.Hang || r.over(l.dir)); out.Over {
		return out, nil
	}
	out.Detected = time.Since(out.Report.Time).Seconds()
	out.Diagnoses, err = r.diagnoses(l.dir)
	return out, err
}

// lateReport waits a moment for the report: the tracer outlives a job that ended
// without its fault.
func lateReport(order injector.Order) (report injector.Report, err error) {
	for end := time.Now().Add(graceful); ; time.Sleep(50 * time.Millisecond) {
		if report, err = order.ReadReport(); !errors.Is(err, fs.ErrNotExist) || time.Now().After(end) {
			return report, err
		}
	}
}

// healthy runs the program without a fault. One that fails by itself is an error.
func (r *trialRunner) healthy(ctx context.Context, place string, loaded bool) (injector.Outcome, error) {
	l, err := r.launch(place, nil)
	if err != nil {
		return injector.Outcome{}, err
	}
	defer l.end()
	if loaded {
		defer busyCores()()
	}
	hang, err := r.await(ctx, l, func(now time.Time) bool { return r.hangs(l, now) })
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

// over tells whether every rank is through with MPI.
func (r *trialRunner) over(dir string) bool {
	run, err := model.Open(dir)
	return err == nil && lookAt(run, time.Now()).over
}

func (r *trialRunner) hangs(l *launched, now time.Time) bool {
	run, err := model.Open(l.dir)
	return err == nil && lookAt(run, now).hung(time.Duration(r.campaign.Launch.Timeout), now)
}

// await waits until the job is over, or what the trial is to show is there.
func (r *trialRunner) await(ctx context.Context, l *launched, there func(now time.Time) bool) (hang bool, err error) {
	limit := time.After(time.Duration(r.campaign.Launch.Limit))
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-l.done:
			l.done <- err // for those who wait next
			return r.ended(l.dir), nil
		case <-ctx.Done():
			return false, ctx.Err()
		case <-limit:
			return false, fmt.Errorf("neither hung nor ended after %s; the output is in %s", time.Duration(r.campaign.Launch.Limit), l.output.Name())
		case now := <-tick.C:
			if there(now) {
				return true, nil
			}
		}
	}
}

// ended tells whether a job that is over left ranks that did not finish.
func (r *trialRunner) ended(dir string) bool {
	run, err := model.Open(dir)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(run.Ranks, func(k *model.Rank) bool { return k.Phase < model.Finalized })
}

// diagnoses asks all judges.
func (r *trialRunner) diagnoses(dir string) ([]injector.Diagnosis, error) {
	var out []injector.Diagnosis
	for _, j := range judges {
		q := question{dir: dir, options: j.options, symbols: r.symbols(dir), analysts: 1}
		var result *report.Result
		err := reduce.Run(1, func(c reduce.Comm) (err error) {
			result, err = answer(q, c)
			return err
		})
		if err != nil {
			return nil, err
		}
		out = append(out, diagnosisOf(j.name, result))
	}
	return out, nil
}

func diagnosisOf(name string, r *report.Result) injector.Diagnosis {
	d := injector.Diagnosis{Algorithm: name, LP: []int{}, First: []int{}, Isolated: []int{}}
	if l := r.LeastProgressed; l != nil {
		d.LP, d.Method = l.Ranks, l.Method
		for _, at := range l.Locations {
			d.Where = append(d.Where, locationOf(at))
		}
	}
	if len(r.RankOrder) > 0 {
		d.First = ranksOfSet(r.RankOrder[0])
	}
	for _, g := range r.Groups {
		if g.Isolated {
			d.Isolated = append(d.Isolated, ranksOfSet(g.Ranks)...)
		}
	}
	return d
}

func ranksOfSet(text string) []int {
	set, err := model.ParseRankSet(text)
	if err != nil {
		return nil
	}
	return set.Slice()
}

func locationOf(l report.Location) injector.Location {
	out := injector.Location{Rank: l.Rank}
	if l.InMPI != nil {
		out.MPI = *l.InMPI
	}
	for _, f := range l.Stack {
		out.Stack = append(out.Stack, injector.Source{Function: f.Function, File: f.File, Line: f.Line})
	}
	return out
}

// replay runs one trial and prints the diagnosis as a user would get it.
func (r *trialRunner) replay(ctx context.Context, trials []injector.Trial, id string) error {
	i := slices.IndexFunc(trials, func(t injector.Trial) bool { return t.ID == id })
	if i < 0 {
		return usageError{fmt.Errorf("--trial %s: there is no such trial; they are SEED-NUMBER, such as %s", id, trials[0].ID)}
	}
	outcome, err := r.Run(ctx, trials[i])
	if err != nil {
		return err
	}
	record := injector.Record{Trial: trials[i], Outcome: &outcome}
	fmt.Fprintln(r.app.out, trialText(record))
	fmt.Fprintln(r.app.out, strings.Repeat("-", 72))
	return r.app.diagnose(diagnoseFlags{}, filepath.Join(r.dir, "trials", id, "run"))
}
