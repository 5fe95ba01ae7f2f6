package trial

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"laggard/injector"
	"laggard/job/ending"
	"laggard/job/standstill"
	"laggard/job/watch"
)

// launchedJob is a job of a campaign.
type launchedJob struct {
	cmd    *exec.Cmd
	dir    string // run directory
	job    ending.Job
	done   chan error
	output *os.File
	eye    standstill.Observer
}

// launchJob starts the program under the recorder and, unless it is nil, an order.
func (r *Runner) launchJob(place string, order *injector.Order) (*launchedJob, error) {
	if err := os.RemoveAll(place); err != nil {
		return nil, err
	}
	// Launchers put their session files where TMPDIR says, and jobs that share
	// such a place have been seen to hang.
	tmp := filepath.Join(place, "tmp")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return nil, err
	}
	under, err := r.writeOrder(place, order)
	if err != nil {
		return nil, err
	}
	words := slices.Concat(r.Campaign.LaunchCommand(), under, r.Campaign.Program.Command)
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, err
	}
	l := &launchedJob{dir: filepath.Join(place, "run"), done: make(chan error, 1)}
	recording := r.Recording
	recording.Dir = l.dir
	if err := recording.Prepare(words); err != nil {
		return nil, err
	}
	l.job = ending.Job{ID: recording.ID, Dir: l.dir, Own: l.dir, KillAfter: watch.Grace}
	env := map[string]string{}
	maps.Copy(env, r.Campaign.Program.Environment)
	env["TMPDIR"] = tmp
	if l.cmd, err = recording.LauncherCommand(path, words, env); err != nil {
		return nil, err
	}
	return l, r.startJob(l, filepath.Join(place, "output"))
}

// writeOrder writes down an order and returns the words to put before the program.
func (r *Runner) writeOrder(place string, order *injector.Order) ([]string, error) {
	if order == nil {
		return nil, nil
	}
	if err := os.MkdirAll(order.Out, 0o700); err != nil {
		return nil, err
	}
	file := filepath.Join(place, "order.json")
	return r.Under(file), order.Write(file)
}

// startJob starts the job, apart from a terminal's interrupt, which is laggard's to
// handle.
func (r *Runner) startJob(l *launchedJob, output string) (err error) {
	if l.output, err = os.Create(output); err != nil {
		return err
	}
	l.cmd.Dir, l.cmd.Stdout, l.cmd.Stderr = r.Campaign.Program.Directory, l.output, l.output
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := l.cmd.Start(); err != nil {
		return err
	}
	l.job.Launcher = ending.Identify(l.cmd.Process.Pid)
	go func() { l.done <- l.cmd.Wait() }()
	return nil
}

// endJob ends what is left of the job and waits for it.
func (l *launchedJob) endJob() {
	l.job.End(0, func() {})
	<-l.done
	l.output.Close()
	_ = os.RemoveAll(filepath.Join(filepath.Dir(l.dir), "tmp"))
}
