package ending

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"laggard/job/launcher"
	"laggard/model"
	"laggard/model/process"
	"laggard/model/runfiles"
)

// RunningElsewhere waits until the ranks that cannot be seen from here, as those of other hosts, give no more signs of life,
// and returns which still do after KillAfter. Their launcher ends them, or what watches their node.
func (j *Job) RunningElsewhere() []Leftover {
	for end := time.Now().Add(j.KillAfter + 2*process.Fresh); ; time.Sleep(time.Second) {
		left := j.beatingRanks(time.Now())
		if len(left) == 0 || time.Now().After(end) {
			return left
		}
	}
}

// beatingRanks are the ranks elsewhere that have just given a sign of life, and not ended since.
func (j *Job) beatingRanks(now time.Time) (out []Leftover) {
	host, err := os.Hostname()
	run, err2 := runfiles.OpenPresent(j.Dir)
	if err != nil || err2 != nil {
		return nil
	}
	for _, r := range run.Processes() {
		over := r.End != model.NoEnd || r.Phase == model.Finalized || now.Sub(r.Heartbeat) > process.Fresh
		if !over && !process.IsLocal(r, host) {
			why := fmt.Sprintf("rank %d", r.Rank)
			out = append(out, Leftover{Host: r.Host, PID: r.PID, Name: filepath.Base(r.Exe), Why: why})
		}
	}
	return out
}

// CancelStep has Slurm end the step that is this process's job, on all its nodes, and reports whether it could. A step in
// whose shell the job was started is not only the job's.
func CancelStep() bool {
	step := launcher.OwnStep()
	return step != "" && exec.Command("scancel", step).Run() == nil
}
