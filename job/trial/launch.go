package trial

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"laggard/injector"
	"laggard/job/standstill"
	"laggard/job/watch"
)

// launched is a job of a campaign.
type launched struct {
	cmd    *exec.Cmd
	dir    string // run directory
	done   chan error
	output *os.File
	eye    standstill.Eye
}

// launch starts the program under the recorder and, unless it is nil, an order.
func (r *Runner) launch(place string, order *injector.Order) (*launched, error) {
	if err := os.RemoveAll(place); err != nil {
		return nil, err
	}
	// Launchers put their session files where TMPDIR says, and jobs that share
	// such a place have been seen to hang.
	tmp := filepath.Join(place, "tmp")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return nil, err
	}
	under, err := r.under(place, order)
	if err != nil {
		return nil, err
	}
	words := slices.Concat(r.Campaign.LaunchCommand(), under, r.Campaign.Program.Command)
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, err
	}
	l := &launched{dir: filepath.Join(place, "run"), done: make(chan error, 1)}
	recording := r.Recording
	recording.Dir = l.dir
	if err := recording.Prepare(words); err != nil {
		return nil, err
	}
	env := map[string]string{}
	maps.Copy(env, r.Campaign.Program.Environment)
	env["TMPDIR"] = tmp
	if l.cmd, err = recording.Command(path, words, env); err != nil {
		return nil, err
	}
	return l, r.start(l, filepath.Join(place, "output"))
}

// under writes down an order and returns the words to put before the program.
func (r *Runner) under(place string, order *injector.Order) ([]string, error) {
	if order == nil {
		return nil, nil
	}
	if err := os.MkdirAll(order.Out, 0o700); err != nil {
		return nil, err
	}
	file := filepath.Join(place, "order.json")
	return r.Under(file), order.Write(file)
}

// start starts the job, apart from a terminal's interrupt, which is laggard's to
// handle.
func (r *Runner) start(l *launched, output string) (err error) {
	if l.output, err = os.Create(output); err != nil {
		return err
	}
	l.cmd.Dir, l.cmd.Stdout, l.cmd.Stderr = r.Campaign.Program.Directory, l.output, l.output
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := l.cmd.Start(); err != nil {
		return err
	}
	go func() { l.done <- l.cmd.Wait() }()
	return nil
}

// end kills what is left of the job and waits for it.
func (l *launched) end() {
	watch.KillRanks(l.dir)
	_ = syscall.Kill(-l.cmd.Process.Pid, syscall.SIGTERM)
	select {
	case <-l.done:
	case <-time.After(watch.Grace):
		_ = syscall.Kill(-l.cmd.Process.Pid, syscall.SIGKILL)
		<-l.done
	}
	watch.KillRanks(l.dir)
	l.output.Close()
	_ = os.RemoveAll(filepath.Join(filepath.Dir(l.dir), "tmp"))
}
