package job

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"

	"laggard/internal/standby"
	"laggard/job/ending"
	"laggard/job/launcher"
	"laggard/job/rundir"
	"laggard/model"
)

// settle is how long what is left of a job that was told to end from outside may go on by itself: a launcher that got
// the signal as well is at it, and would take another one for an order to hurry.
const settle = 3 * time.Second

// localJob are those of the job on this machine. first is the launcher's, or that of rank 0's program.
func (r *Recording) localJob(first ending.Process) *ending.Job {
	return &ending.Job{ID: r.ID, Dir: r.Dir, Own: r.nodeFileDir(), Launcher: first, KillAfter: r.KillAfter,
		Shared: os.Getenv("LAGGARD_RUN_ID") != "" && os.Getenv(watched) == ""}
}

// endEverywhere ends the job, here and elsewhere, and returns what could not be ended.
func (r *Recording) endEverywhere(j *ending.Job, settle time.Duration, begun func()) []ending.Leftover {
	if err := rundir.MarkEnding(r.Dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		fmt.Fprintf(r.Say, "laggard: could not notify other nodes that the job ends: %v\n", err)
	}
	return append(j.End(settle, begun), j.RunningElsewhere()...)
}

// endBesideRankZero is end from beside rank 0. Slurm is asked only to end what is left then: a step that it cancels is no
// longer one that failed.
func (r *Recording) endBesideRankZero(j *ending.Job) []ending.Leftover {
	left := r.endEverywhere(j, 0, doNothing)
	if len(left) > 0 && ending.CancelStep() {
		left = r.endEverywhere(j, 0, doNothing)
	}
	return left
}

func doNothing() {}

// endInBackground makes what begins to end the job, and what waits until that is done and says what is left.
func (r *Recording) endInBackground(end func() []ending.Leftover) (begin, wait func()) {
	left := make(chan []ending.Leftover, 1)
	return func() { go func() { left <- end() }() }, func() { r.printLeftovers(<-left) }
}

func (r *Recording) printLeftovers(left []ending.Leftover) {
	for _, l := range left {
		fmt.Fprintf(r.Say, "laggard: could not end: %s\n", l)
	}
}

// endRemaining ends what is left of a job whose launcher ended so because something told it to. What a job leaves
// that ended by itself is left alone, such as a server that it started.
func (r *Recording) endRemaining(j *ending.Job, told bool, launcher *os.ProcessState) {
	if !launcher.Success() && (told || signalOf(launcher) != 0) {
		r.printLeftovers(r.endEverywhere(j, settle, func() { fmt.Fprintln(r.Say, "laggard: ending the remaining processes of the job") }))
	}
}

// startGuard starts a process that ends the job if this one ends without dismissing it.
func (r *Recording) startGuard(first ending.Process) *standby.Child {
	if r.Helper == nil {
		return nil
	}
	child, err := standby.Start(standby.Config{
		Name: ending.HelperName + "guard", Session: true,
		Become: r.Helper("guard", first.String(), r.Dir, model.RunIDText(r.ID)),
	})
	if err != nil {
		fmt.Fprintf(r.Say, "laggard: the job will not be ended if laggard is killed: %v\n", err)
	}
	return child
}

// EndOrphanedJob ends a job whose laggard run is gone, and so is its output: what could not be ended goes to a file of the
// run directory.
func (r *Recording) EndOrphanedJob(first ending.Process) error {
	return r.writeLeftovers(r.endEverywhere(r.localJob(first), 0, doNothing))
}

// writeLeftovers is printLeftovers of a process without output.
func (r *Recording) writeLeftovers(left []ending.Leftover) error {
	if len(left) == 0 {
		return nil
	}
	var text bytes.Buffer
	r.Say = &text
	r.printLeftovers(left)
	host, _ := os.Hostname()
	return os.WriteFile(rundir.RemainingFile(r.Dir, host), text.Bytes(), 0o600)
}

// startNodeGuard leaves, beside the first rank of a node, a process that ends the ranks of the node with the job: their
// launcher may not, as srun does not when another rank dies.
func (r *Recording) startNodeGuard() error {
	if launcher.LocalRank() != "0" || launcher.Rank() == "0" && os.Getenv(watched) == "" || r.Helper == nil {
		return nil
	}
	_, err := standby.Start(standby.Config{
		Name: ending.HelperName + "node", Session: true, Mark: rundir.EndingMark(r.Dir), PID: os.Getpid(),
		Become: r.Helper("node", ending.Identify(os.Getpid()).String(), r.Dir, model.RunIDText(r.ID)),
	})
	return err
}

// GuardNodeRanks ends the ranks of this node when the job is ended. It returns when none is left.
func (r *Recording) GuardNodeRanks() error {
	j := r.localJob(ending.Process{})
	for j.IsRunning() {
		if _, err := os.Stat(rundir.EndingMark(r.Dir)); err == nil {
			return r.writeLeftovers(j.End(0, doNothing))
		}
		time.Sleep(2 * time.Second)
	}
	return nil
}
